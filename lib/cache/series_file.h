#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "cache/commits.h"

namespace rtsim {

// Keeps cache/<object>.hdf.series in step with frames.jsonl: ParaView reads a frame's time only
// there. Each file is replaced whole, so a reader never sees half of it.
class SeriesFiles {
 public:
  explicit SeriesFiles(std::filesystem::path run_folder) : folder_(std::move(run_folder)) {}

  void add(const CommittedFrame&);  // notes it, and which files are now behind
  void write();                     // those that are behind

 private:
  struct Entries {
    std::string text;
    bool behind = false;
  };

  std::filesystem::path folder_;
  std::map<std::string, Entries> objects_;
};

// Writes all of them as frames.jsonl says and removes those of objects that have no frame.
SeriesFiles rewrite_series(const std::filesystem::path& run_folder);

}  // namespace rtsim
