#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cache/commits.h"

namespace rtsim {

// One HDF5 file of all frames of a run: /water/000012 is frame 12 of `water` as its own file has
// it, its chunks copied without being unpacked; /water/frame, step and time [s] list the frames.
// Room for it must be there: HDF5 does not survive a full disk while it copies.
class PackedFile {
 public:
  PackedFile(const std::filesystem::path&, const std::string& run_id);
  ~PackedFile();

  // `bytes`: the whole file of the frame.
  void add(const CommittedFrame&, const std::string& object, std::string_view bytes);
  void finish();

 private:
  void abandon();

  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace rtsim
