# Facts about this build for --version and the manifests. The header is rewritten by every build and
# touched only when a fact changed, so a new commit recompiles one file.
set(facts_dir ${CMAKE_BINARY_DIR}/generated)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(JOIN " " facts_flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} ${rtsim_cxx_flags})
if(RTSIM_SANITIZE)
  string(APPEND facts_flags " -fsanitize=${RTSIM_SANITIZE}")
endif()

add_custom_target(rtsim_build_facts
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUT=${facts_dir}/build_facts.h
          "-DVERSION=${PROJECT_VERSION}" "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
          "-DFLAGS=${facts_flags}" -P ${CMAKE_SOURCE_DIR}/cmake/build_facts.cmake
  BYPRODUCTS ${facts_dir}/build_facts.h
  VERBATIM)
set_source_files_properties(lib/sim/build_info.cpp PROPERTIES
  INCLUDE_DIRECTORIES ${facts_dir} OBJECT_DEPENDS ${facts_dir}/build_facts.h)
