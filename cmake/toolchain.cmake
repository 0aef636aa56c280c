# Flags for every target, and the launch files (.cu), which are C++ where there is no CUDA.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(ccache ccache)
# Paths below the tree count from where the compiler runs: clones elsewhere share what was built.
if(ccache)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher} ${ccache})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher} ${ccache})
endif()

# Contraction is off because a vector body and its scalar tail may contract differently, and then
# results depend on where chunks are cut; kernels that gain write fma out.
set(rtsim_cxx_flags -Wall -Wextra -Wpedantic -ffp-contract=off -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND rtsim_cxx_flags -Wno-restrict)  # GCC 12 warns of "a" + std::string (GCC bug 105651)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # collecting garbage takes it up to a seventh of its time
  list(APPEND rtsim_cxx_flags --param=ggc-min-heapsize=524288)
endif()
if(RTSIM_WERROR)
  list(APPEND rtsim_cxx_flags -Werror)
endif()
if(RTSIM_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND rtsim_cxx_flags -march=${RTSIM_ARCH})
endif()

add_library(rtsim_flags INTERFACE)
target_compile_options(rtsim_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${rtsim_cxx_flags}>)
if(RTSIM_DOUBLE)
  target_compile_definitions(rtsim_flags INTERFACE RTSIM_DOUBLE)
endif()
if(RTSIM_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${RTSIM_SANITIZE}> $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=${RTSIM_SANITIZE})
endif()

if(RTSIM_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES "75-virtual;90-real")
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # CMake 3.25 does not know that nvcc 13 speaks C++20.
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION --std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION --std=c++20)
  target_compile_options(rtsim_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false -Werror=cross-execution-space-call -diag-error=20013,20014,20015 -Xcompiler=-Wall,-Wextra,-ffp-contract=off,-fno-math-errno,-march=${RTSIM_ARCH}>)
endif()

# Only launch files differ from the release build: ccache has the others where that was built.
if(RTSIM_SIMT)
  if(RTSIM_CUDA)
    message(FATAL_ERROR "RTSIM_SIMT takes the place of CUDA: one of the two")
  endif()
  set(rtsim_simt_flags -DRTSIM_SIMT -include ${PROJECT_SOURCE_DIR}/lib/exec/simt/runtime.h
    -I${PROJECT_SOURCE_DIR}/lib/exec/simt/include -O1 -fsanitize=thread --param=tsan-instrument-func-entry-exit=0)
endif()

# Headers are two thirds of what a host file costs: some files are compiled as one. GCC takes what
# such a one includes for headers, where nothing unnamed would be in place.
function(rtsim_in_groups target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${RTSIM_GROUPS})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

# Headers that all files of a target include, compiled once. GCC takes what a compiled header has of
# the library for the project's own, and warns of it. It knows the files in there by their bytes, and would include
# one again of which only a comment has changed: ccache compares them as they stand, too (DEPEND).
function(rtsim_compiled_headers target)
  if(ccache)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher};CCACHE_DEPEND=1;${ccache}")
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess;-Wno-array-bounds;-Wno-maybe-uninitialized;-Wno-stringop-overflow>)
endfunction()

# A library of launch files and CPU-shaped bodies: the only places that may include exec/parallel.h.
function(rtsim_launch_library name)
  add_library(${name} STATIC ${ARGN})
  target_compile_definitions(${name} PRIVATE RTSIM_KERNEL_TU)
  if(NOT RTSIM_CUDA)
    foreach(source ${ARGN})
      if(source MATCHES "\\.cu$")
        set_source_files_properties(${source} PROPERTIES LANGUAGE CXX)
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS "-xc++" ${rtsim_simt_flags})
      endif()
    endforeach()
  else()
    target_link_libraries(${name} PRIVATE CUDA::cudart_static)
  endif()
endfunction()
