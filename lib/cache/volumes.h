#pragma once
#include "cache/frame_writer.h"

namespace rtsim {

// What writes by OpenVDB, from base/volumes_library.h.
struct VolumeWriters {
  void (*write_vdb)(const std::filesystem::path&, const RunInfo&, const Frame&, const FrameFile&);
  void (*write_vdb_points)(const std::filesystem::path&, const RunInfo&, const Frame&,
                           const FrameFile&);
  void (*write_surface)(const RunInfo&, const Frame&, const FrameFile&, const SurfaceSink&);
};

// Throws Error{io} where that file is missing, or of another build.
const VolumeWriters& volume_writers();

}  // namespace rtsim
