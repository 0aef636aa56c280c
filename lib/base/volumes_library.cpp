#include "base/volumes_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "base/error.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// From the program, wherever it was moved to: bin/rtsim and lib/rtsim/rtsim_volumes.so.
fs::path library_path() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / RTSIM_VOLUMES;
}

[[noreturn]] void fail(const char* purpose, const std::string& why, const char* advice) {
  throw Error(ExitCode::io,
              std::string("cannot load what ") + purpose + ": " + why + "; " + advice);
}

}  // namespace

const void* volumes_table(const char* name, const char* purpose) {
  const fs::path path = library_path();
  void* library =
      ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays for as long as the program
  if (!library) {
    const char* error = ::dlerror();
    const std::string why = error ? error : path.string();
    const bool openvdb = why.find("libopenvdb") != why.npos;
    fail(purpose, why,
         openvdb ? "install OpenVDB, on Debian the package libopenvdb-dev"
                 : "it belongs to the program: build or install it again");
  }
  // Named after all that the two pass to each other, which another build may lay out otherwise.
  const void* found = ::dlsym(library, name);
  if (!found)
    fail(purpose, path.string() + " is of another build than the program",
         "build or install them together");
  return found;
}

}  // namespace rtsim
