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

VolumeWriters load() {
  const fs::path path = library_path();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* found = library ? ::dlsym(library, "rtsim_volume_writers") : nullptr;
  if (!found) {
    const char* why = ::dlerror();
    throw Error(ExitCode::io, std::string("cannot load what writes volumes and surfaces: ") +
                                  (why ? why : path.c_str()) +
                                  "; it belongs to the program: build or install it again");
  }
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
