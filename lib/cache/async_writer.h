#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include "cache/durable.h"
#include "cache/frame_writer.h"
#include "cache/series_file.h"

namespace rtsim {

// Writes frames behind the run, in order, on a thread of its own. Two frames may wait; the third
// push blocks. After a failure every call throws what went wrong.
class AsyncWriter {
 public:
  static constexpr std::size_t may_wait = 2;  // frames in the queue

  AsyncWriter(std::filesystem::path folder, RunInfo info);  // appends to folder/frames.jsonl
  ~AsyncWriter();  // finishes what waits; swallows nothing: call drain()

  void push(Frame frame);
  void drain();  // until every frame pushed is committed and synced
  void check();  // throws what went wrong, if anything did: asked before each step

  long frames_committed() const;
  std::uint64_t log_bytes() const;  // of frames.jsonl, after drain()
  double seconds_busy() const;      // of the writer's thread
  std::uint64_t bytes_written() const;

 private:
  void work();
  std::uint64_t commit(const Frame&);  // returns the bytes of its files
  void rethrow(std::unique_lock<std::mutex>&);

  std::filesystem::path folder_;
  RunInfo info_;
  SeriesFiles series_;
  LineLog log_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> queue_;
  std::exception_ptr failure_;
  bool busy_ = false, stop_ = false;
  long committed_ = 0;
  std::uint64_t bytes_ = 0;
  double seconds_ = 0;
  std::thread thread_;
};

}  // namespace rtsim
