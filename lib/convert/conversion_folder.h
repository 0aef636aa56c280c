#pragma once
#include <string>
#include <vector>

#include "cache/durable.h"
#include "cache/lock.h"
#include "convert/convert.h"
#include "convert/format.h"

namespace rtsim {

// The folder that a conversion writes into, held for as long as this lives: begun afresh, or found
// as an earlier call with the same options left it, with what is no whole frame taken away.
class ConversionFolder {
 public:
  // Throws Error{output_exists} where it holds anything else.
  ConversionFolder(const Conversion&, const ConversionPlan&, bool goes_on);

  std::size_t done() const { return done_; }  // of the plan's frames
  bool is_complete() const { return complete_; }

  // Files of these frames are synced, then get their lines: at once where enough has come together.
  void add(const CommittedFrame&, const std::vector<WrittenFile>&);
  bool is_due() const;
  void commit();
  // Nothing is missing; `files` hold several frames.
  void complete(const std::vector<WrittenFile>& files);

 private:
  void find_done(const ConversionPlan&);
  void write_marker(const std::vector<WrittenFile>& files) const;

  const Conversion& c_;
  std::size_t done_ = 0;
  bool complete_ = false;
  std::unique_ptr<FolderLock> lock_;
  LineLog log_;
  std::vector<std::string> lines_;
  std::vector<std::filesystem::path> unsynced_;
  std::uint64_t bytes_ = 0;
  double since_ = 0;  // [s]
};

}  // namespace rtsim
