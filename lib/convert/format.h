#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/commits.h"
#include "cache/frame_writer.h"
#include "convert/file_stream.h"

namespace rtsim {

// What is converted: known, and checked, before anything is written.
struct ConversionPlan {
  std::filesystem::path run, out;
  RunInfo info;
  Output output;                             // parameters of volumes and surfaces
  std::vector<std::string> columns;          // empty: all
  std::vector<CommittedFrame> frames;        // with the files that are converted alone
  std::map<std::string, FrameObject> first;  // of each object
  int jobs = 1;
};

// One frame of one object on its way into files.
struct FrameJob {
  const Frame& frame;  // its number, step and time
  const FrameObject& object;
  const Output& output;
  RunInfo info;
  const ConversionPlan& plan;
};

// Takes the files of a frame. They get their names when they are whole, and are synced by whoever
// commits the frame.
class FileSink {
 public:
  explicit FileSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void stream(const std::string& path, const std::function<void(FileStream&)>& put);
  void parts(const std::string& path, std::span<const std::string_view> parts);
  void bytes(const std::string& path, std::string_view bytes) { parts(path, {&bytes, 1}); }
  void file(const std::string& path,
            const std::function<void(const std::filesystem::path&)>& write);
  void forget();  // removes what it took

  const std::vector<WrittenFile>& written() const { return written_; }

 private:
  // `write` gets the temporary path and returns its hash.
  void take(const std::string& path,
            const std::function<std::uint64_t(const std::filesystem::path&)>& write);

  std::filesystem::path folder_;
  std::vector<WrittenFile> written_;
};

// Files that hold many frames. They stand under another name, with .part behind it, until they are
// whole.
class Sequence {
 public:
  virtual ~Sequence() = default;
  // What add() needs of a frame's file; called by several threads at once.
  virtual std::string prepare(const CommittedFrame&, const WrittenFile&) const = 0;
  virtual void add(const CommittedFrame&, const WrittenFile&, std::string part) = 0;  // in order
  virtual void sync() = 0;  // what was added survives the machine
  virtual std::vector<WrittenFile> finish() = 0;
};

// One way to write frames: either `write_frame`, files for each, or `sequence`.
struct FormatInfo {
  const char* name;
  const char* files;        // how their names end
  std::vector<Kind> kinds;  // of objects that it holds
  const char* summary;
  bool is_surface = false;  // several may be made at once
  bool has_columns = true;  // --columns chooses some
  bool is_dataset = false;  // of one run or many: see dataset.h
  // What else speaks against an object, empty if nothing.
  std::string (*obstacle)(const FrameObject&, const Output&) = nullptr;
  void (*write_frame)(const FrameJob&, FileSink&) = nullptr;
  // What lies beside the files of all frames, once those are there.
  std::vector<WrittenFile> (*finish)(const ConversionPlan&) = nullptr;
  // The first `done` frames are in the files already; 0 begins them.
  std::unique_ptr<Sequence> (*sequence)(const ConversionPlan&, std::size_t done) = nullptr;
  void (*check)(const ConversionPlan&) = nullptr;  // of all frames; throws Error{bad_input}
  bool goes_on = true;  // false: a sequence that was cut off begins again
};

// cache/water/water.000012.npz
std::string converted_path(const FrameJob&, const std::string& ending);

}  // namespace rtsim
