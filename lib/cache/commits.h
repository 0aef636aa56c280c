#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/frame_writer.h"

namespace rtsim {

// A line of frames.jsonl: a frame exists when its line does.
struct CommittedFrame {
  long frame = 0;
  long step = 0;
  double time = 0;  // [s]
  std::vector<WrittenFile> files;
};

// Throws Error{io}: `where` and what is wrong. Paths that leave cache/ are refused.
CommittedFrame parse_commit(std::string_view line, const std::string& where);

// All frames of a run folder, in order; none if there is no frames.jsonl. A last line without its
// newline is being written, or was torn, and is no commit. Throws Error{io} for other damage.
std::vector<CommittedFrame> read_commits(const std::filesystem::path& run_folder);

// cache/water/water.000012.hdf, .vdb
std::string frame_path(const std::string& object, long frame, Format);
// cache/water/water.surface.000012.ply, .obj, .stl, or .vdb for "sdf"
std::string surface_path(const std::string& object, long frame, const std::string& file);
// All files of an output.
std::vector<std::string> frame_paths(const std::string& object, long frame, const Output&);

// Of cache/water/water.000012.hdf: water, and that it is an HDF5 frame.
std::string object_of(const WrittenFile&);
bool is_hdf5(const WrittenFile&);

// The other way round: the frame number in such a file name, if it is one.
std::optional<long> frame_number(const std::filesystem::path& file);

}  // namespace rtsim
