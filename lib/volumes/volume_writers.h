#pragma once
#include "cache/frame_writer.h"

namespace rtsim {

// What this library exports, as cache/volumes.h has it.
void write_volumes(const std::filesystem::path&, const RunInfo&, const Frame&, const FrameFile&);
void write_vdb_points(const std::filesystem::path&, const RunInfo&, const Frame&, const FrameFile&);
void write_surface_of_particles(const RunInfo&, const Frame&, const FrameFile&, const SurfaceSink&);

}  // namespace rtsim
