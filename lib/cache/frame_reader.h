#pragma once
#include <filesystem>
#include <functional>

#include "cache/commits.h"
#include "cache/frame.h"

namespace rtsim {

// Whether a column is read, of an object that has the names and units of all: the others stay
// empty.
using ColumnChoice = std::function<bool(const FrameObject&, const std::string& column)>;

// A frame (.hdf) of a run folder, as it was given to the writer but for the order of its
// columns: the position of points, then by name. Throws Error{io} where the file is not the one
// that frames.jsonl announces: HDF5 itself is no guard against damaged bytes, so it sees only whole
// files. May be called by several threads at once.
FrameObject read_frame(const std::filesystem::path& run_folder, const WrittenFile&,
                       const ColumnChoice& = {});

// Two frames that are to be held against each other. Columns that are the same in both, row by row,
// are found by their packed bytes and stay empty in both, as do those that nobody wants, but for
// `id`.
struct FramePair {
  FrameObject a, b;
  std::vector<std::string> alike;
};
FramePair read_pair(const std::filesystem::path& run_a, const WrittenFile& a,
                    const std::filesystem::path& run_b, const WrittenFile& b,
                    const ColumnChoice& wanted = {});

// As above for <run>/cache/<object>/<file>. Reads frames.jsonl each time.
FrameObject read_frame(const std::filesystem::path& file);

}  // namespace rtsim
