#include "cache/async_writer.h"

#include <chrono>

#include "cache/commits.h"

namespace rtsim {

AsyncWriter::AsyncWriter(std::filesystem::path folder, RunInfo info)
    : folder_(std::move(folder)),
      info_(std::move(info)),
      series_(rewrite_series(folder_)),
      log_(folder_ / "frames.jsonl"),
      thread_([this] { work(); }) {}

AsyncWriter::~AsyncWriter() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AsyncWriter::push(Frame frame) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queue_.size() < may_wait || failure_; });
  rethrow(lock);
  queue_.push_back(std::move(frame));
  lock.unlock();
  changed_.notify_all();
}

void AsyncWriter::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return (queue_.empty() && !busy_) || failure_; });
  rethrow(lock);
}

void AsyncWriter::check() {
  std::unique_lock lock(mutex_);
  rethrow(lock);
}

// Every caller gets an exception of its own to catch; all tell the same.
void AsyncWriter::rethrow(std::unique_lock<std::mutex>&) {
  if (failure_) std::rethrow_exception(failure_);
}

long AsyncWriter::frames_committed() const {
  const std::scoped_lock lock(mutex_);
  return committed_;
}

std::uint64_t AsyncWriter::log_bytes() const {
  const std::scoped_lock lock(mutex_);
  return log_.bytes();
}

double AsyncWriter::seconds_busy() const {
  const std::scoped_lock lock(mutex_);
  return seconds_;
}

std::uint64_t AsyncWriter::bytes_written() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

// The line in frames.jsonl is the commit; what follows it can be made again from it.
std::uint64_t AsyncWriter::commit(const Frame& frame) {
  const std::vector<WrittenFile> files = write_frame(folder_, info_, frame);
  log_.append(commit_line(frame, files));
  log_.sync();
  series_.add({frame.index, frame.step, frame.time, files});
  series_.write();
  std::uint64_t bytes = 0;
  for (const WrittenFile& f : files) bytes += f.bytes;
  return bytes;
}

void AsyncWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !queue_.empty() || stop_; });
    if (queue_.empty()) return;
    const Frame frame = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    changed_.notify_all();

    const auto start = std::chrono::steady_clock::now();
    std::uint64_t bytes = 0;
    std::exception_ptr failure;
    try {
      bytes = commit(frame);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

    lock.lock();
    busy_ = false;
    seconds_ += seconds.count();
    bytes_ += bytes;
    if (!failure) ++committed_;
    if (failure) failure_ = failure, queue_.clear();
    changed_.notify_all();
    if (failure) return;
  }
}

}  // namespace rtsim
