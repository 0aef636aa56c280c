#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cache/frame.h"

namespace rtsim {

struct RunInfo {
  std::string run_id;  // same for an uninterrupted and a resumed run of one resolved scene
  int threads = 1;     // for compressing chunks
};

struct WrittenFile {
  std::string path;  // from the run folder
  std::uint64_t bytes;
  std::uint64_t xxh3;
};

// VTKHDF 1.0 in a file named .hdf, all columns as PointData of points, of quads between the centres
// of cells (grids in the plane, height fields), or of an image;
// chunk + shuffle + deflate 1 + fletcher32. No times, no random bytes: equal frames, equal files.
void write_hdf5(const std::filesystem::path& file, const RunInfo&, const Frame&, const FrameFile&);

// Grids as a volume a column. Particles as a fog volume `density` (volume fraction) and a level set
// `surface`, both on voxels of about one spacing. The file's UUID comes from run, object and frame,
// so equal frames are equal files.
void write_vdb(const std::filesystem::path& file, const RunInfo&, const Frame&, const FrameFile&);

// Gets each file of a surface ("ply", "obj", "stl", "sdf") and what writes it to a path.
using SurfaceSink = std::function<void(
    const std::string& file, const std::function<void(const std::filesystem::path&)>& write)>;

// The surface of particles, made once, in every form that its output asks for. Equal frames, equal
// files, whatever the number of threads. Throws Error{bad_input} in the plane.
void write_surface(const RunInfo&, const Frame&, const FrameFile&, const SurfaceSink&);

// Writes all files of one frame into `folder`/cache under temporary names, asks the disk to begin
// with them, and returns what a commit line needs.
std::vector<WrittenFile> begin_frame(const std::filesystem::path& folder, const RunInfo&,
                                     const Frame&);

// Of any number of frames: their files survive the machine under their own names.
void finish_files(const std::filesystem::path& folder, std::span<const WrittenFile>);

// Removes what was begun and not finished.
void drop_files(const std::filesystem::path& folder, std::span<const WrittenFile>);

// Begins and finishes one frame.
std::vector<WrittenFile> write_frame(const std::filesystem::path& folder, const RunInfo&,
                                     const Frame&);

// {"frame":12,"step":240,"time":0.5,"files":[{"path":...,"bytes":...,"xxh3":...}]}
std::string commit_line(const Frame&, const std::vector<WrittenFile>&);

}  // namespace rtsim
