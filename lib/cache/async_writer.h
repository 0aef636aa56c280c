#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "cache/durable.h"
#include "cache/frame_writer.h"
#include "cache/series_file.h"

namespace rtsim {

// Writes frames behind the run, in order, on a thread of its own. Two frames may wait; the third
// push blocks. To sync a file costs the disk a pause, however small it is, so frames that were
// written within half a second are committed together. After a failure every call throws what went
// wrong.
class AsyncWriter {
 public:
  static constexpr std::size_t may_wait = 2;                // frames in the queue
  static constexpr std::chrono::milliseconds may_lag{500};  // of a commit behind its frame

  AsyncWriter(std::filesystem::path folder, RunInfo info);  // appends to folder/frames.jsonl
  ~AsyncWriter();  // finishes what waits; swallows nothing: call drain()

  void push(Frame frame);
  void drain();  // until every frame pushed is committed and synced
  void check();  // throws what went wrong, if anything did: asked before each step

  long frames_committed() const;
  LogEnd log_end() const;       // of frames.jsonl, after drain()
  double seconds_busy() const;  // of the writer's thread
  std::uint64_t bytes_written() const;

 private:
  struct Batch {  // of frames that are written and have no line yet
    std::vector<CommittedFrame> frames;
    std::vector<std::string> lines;
    std::vector<WrittenFile> files;
    std::uint64_t bytes = 0;
    std::chrono::steady_clock::time_point due;
    bool logged = false;  // the lines are in frames.jsonl, whatever failed after that
  };

  void work();
  std::optional<Frame> next(std::unique_lock<std::mutex>&);  // none: commit what there is
  void write(const Frame&);
  void commit();
  void give_up();
  void drop();
  void rethrow(std::unique_lock<std::mutex>&);

  std::filesystem::path folder_;
  RunInfo info_;
  SeriesFiles series_;
  LineLog log_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> queue_;
  std::exception_ptr failure_;
  Batch batch_;  // the thread's own
  bool stop_ = false;
  int waiting_ = 0;  // who wants all committed at once
  long pushed_ = 0, committed_ = 0;
  std::uint64_t bytes_ = 0;
  double seconds_ = 0;
  std::thread thread_;
};

}  // namespace rtsim
