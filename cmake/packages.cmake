# Debian 12's packages; scripts/rtsim installs them.
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(PNG REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(Spectra REQUIRED CONFIG)
find_package(Qhull REQUIRED CONFIG)
find_package(TinyGLTF REQUIRED CONFIG)

# libopenvdb-dev ships a find module beside its library, not a config.
list(APPEND CMAKE_MODULE_PATH /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/OpenVDB)
find_package(OpenVDB REQUIRED COMPONENTS openvdb)

# libdeflate ships no CMake files.
find_library(deflate_library NAMES deflate REQUIRED)
add_library(libdeflate INTERFACE)
target_link_libraries(libdeflate INTERFACE ${deflate_library})

# cairo has a pkg-config file alone.
find_package(PkgConfig REQUIRED)
pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo)
