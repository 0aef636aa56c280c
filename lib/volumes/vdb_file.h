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

// Component `a` of every row of a column of real numbers.
std::vector<float> component(const FrameColumn&, int a);

// Calls work() with no more of TBB's threads than the writer may use.
void with_threads(int threads, const std::function<void()>& work);

struct NamedGrid {
  std::string name;
  std::string unit;
  openvdb::GridBase::Ptr grid;
};

// Where voxels lie: their side, and the centre of voxel (0, 0, 0) [m].
struct Voxels {
  double side;
  Vec3d first = {};
};

// Grids on voxels, with the frame's metadata. The file's UUID comes from run, `stem`
// (of the file's name) and frame, so that equal frames are equal files.
void write_vdb_file(const std::filesystem::path&, const RunInfo&, const Frame&, const FrameObject&,
                    const std::string& stem, const std::vector<NamedGrid>&, const Voxels&,
                    bool half);

// The columns of a grid, a volume each; those that are no real numbers are left out.
void write_grid_vdb(const std::filesystem::path&, const RunInfo&, const Frame&, const FrameFile&);

// The water of a height field: `density`, `surface` and `velocity`.
void write_heights_vdb(const std::filesystem::path&, const RunInfo&, const Frame&,
                       const FrameFile&);

}  // namespace rtsim
