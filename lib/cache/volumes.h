#pragma once
#include "cache/frame_writer.h"

namespace rtsim {

// What needs OpenVDB. Its library takes 40 ms to load, ten times as long as all else that a short
// command does, so it lies behind a file of its own, which is loaded by whoever first asks for it.
struct VolumeWriters {
  void (*write_vdb)(const std::filesystem::path&, const RunInfo&, const Frame&, const FrameFile&);
  void (*write_vdb_points)(const std::filesystem::path&, const RunInfo&, const Frame&,
                           const FrameFile&);
  void (*write_surface)(const RunInfo&, const Frame&, const FrameFile&, const SurfaceSink&);
};

// Throws Error{io} where that file is missing, or of another build.
const VolumeWriters& volume_writers();

}  // namespace rtsim
