#pragma once
#include <string>
#include <vector>

namespace rtsim {

// What one writer does with half a million jittered particles, synced to the folder for temporary
// files. `plain` is the same bytes by write(2) alone. The best of three.
struct WriterResult {
  std::string name;  // plain, hdf5, vdb
  int threads;       // that compress
  double seconds;
  double raw_megabytes, file_megabytes;

  double megabytes_per_second() const { return raw_megabytes / seconds; }
};
std::vector<WriterResult> time_writers(const std::vector<int>& threads);

}  // namespace rtsim
