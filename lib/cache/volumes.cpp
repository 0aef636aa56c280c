#include "cache/volumes.h"

#include <dlfcn.h>

#include "base/error.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// From the program, wherever it was moved to: bin/rtsim and lib/rtsim/rtsim_volumes.so.
fs::path library_path() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / RTSIM_VOLUMES;
}

[[noreturn]] void fail(const std::string& why, const char* advice) {
  throw Error(ExitCode::io, "cannot load what writes volumes and surfaces: " + why + "; " + advice);
}

VolumeWriters load() {
  const fs::path path = library_path();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* error = ::dlerror();
    const std::string why = error ? error : path.string();
    const bool openvdb = why.find("libopenvdb") != why.npos;
    fail(why, openvdb ? "install OpenVDB, on Debian the package libopenvdb-dev"
                      : "it belongs to the program: build or install it again");
  }
  // Named after all that the two pass to each other, which another build may lay out otherwise.
  void* found = ::dlsym(library, RTSIM_VOLUMES_BUILD);
  if (!found)
    fail(path.string() + " is of another build than the program", "build or install them together");
  return *static_cast<const VolumeWriters*>(found);
}

}  // namespace

const VolumeWriters& volume_writers() {
  static const VolumeWriters writers = load();  // stays for as long as the program
  return writers;
}

void write_vdb(const fs::path& path, const RunInfo& info, const Frame& frame,
               const FrameFile& what) {
  volume_writers().write_vdb(path, info, frame, what);
}

}  // namespace rtsim
