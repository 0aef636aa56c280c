#pragma once
#include <openvdb/openvdb.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cache/frame_writer.h"

// OpenVDB files of frames; only .cpp files of the cache include this.
namespace rtsim {

// Positions in voxels; voxel (i, j, k) is centred on (i, j, k). Throws Error{diverged} that names
// the row whose position is not finite or too far away for a voxel's number.
std::vector<openvdb::Vec3d> positions_in_voxels(const FrameObject&, double voxel);

// Calls work() with no more of TBB's threads than the writer may use.
void with_threads(int threads, const std::function<void()>& work);

struct NamedGrid {
  const char* name;
  const char* unit;
  openvdb::FloatGrid::Ptr grid;
};

// Grids on voxels of a side [m], with the frame's metadata. The file's UUID comes from run, `stem`
// (of the file's name) and frame, so that equal frames are equal files.
void write_vdb_file(const std::filesystem::path&, const RunInfo&, const Frame&, const FrameObject&,
                    const std::string& stem, const std::vector<NamedGrid>&, double voxel,
                    bool half);

}  // namespace rtsim
