#include "cache/async_writer.h"

#include "base/error.h"
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
  ++pushed_;
  lock.unlock();
  changed_.notify_all();
}

void AsyncWriter::drain() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return committed_ == pushed_ || failure_; });
  --waiting_;
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

LogEnd AsyncWriter::log_end() const {
  const std::scoped_lock lock(mutex_);
  return log_.end();
}

double AsyncWriter::seconds_busy() const {
  const std::scoped_lock lock(mutex_);
  return seconds_;
}

std::uint64_t AsyncWriter::bytes_written() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

// The next frame to write, once there is one; none where the batch is due, or all is done.
std::optional<Frame> AsyncWriter::next(std::unique_lock<std::mutex>& lock) {
  const auto has_frame = [&] { return !queue_.empty() || stop_; };
  if (batch_.frames.empty())
    changed_.wait(lock, has_frame);
  else
    changed_.wait_until(lock, batch_.due, [&] { return has_frame() || waiting_ > 0; });
  const bool due = !batch_.frames.empty() && std::chrono::steady_clock::now() >= batch_.due;
  if (queue_.empty() || due) return std::nullopt;
  std::optional<Frame> frame = std::move(queue_.front());
  queue_.pop_front();
  changed_.notify_all();
  return frame;
}

void AsyncWriter::write(const Frame& frame) {
  const std::vector<WrittenFile> files = begin_frame(folder_, info_, frame);
  if (batch_.frames.empty()) batch_.due = std::chrono::steady_clock::now() + may_lag;
  batch_.frames.push_back({frame.index, frame.step, frame.time, files});
  batch_.lines.push_back(commit_line(frame, files));
  batch_.files.insert(batch_.files.end(), files.begin(), files.end());
  for (const WrittenFile& f : files) batch_.bytes += f.bytes;
}

// The line in frames.jsonl is the commit; what follows it can be made again from it.
void AsyncWriter::commit() {
  finish_files(folder_, batch_.files);
  for (const std::string& line : batch_.lines) log_.append(line);
  log_.sync();
  batch_.logged = true;
  for (const CommittedFrame& c : batch_.frames) series_.add(c);
  series_.write();
}

// After a failure: frames that were whole before it are kept if they can be.
void AsyncWriter::give_up() {
  try {
    commit();
  } catch (const std::exception&) {  // the failure at hand says more
    drop();
  }
}

// Frames without a line. Those that have one stay, and count, though a series file failed after it.
void AsyncWriter::drop() {
  if (batch_.logged) return;
  drop_files(folder_, batch_.files);
  batch_.frames.clear(), batch_.bytes = 0;
}

void AsyncWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    const std::optional<Frame> frame = next(lock);
    if (!frame && batch_.frames.empty()) return;
    lock.unlock();

    const auto start = std::chrono::steady_clock::now();
    std::exception_ptr failure;
    try {
      frame ? write(*frame) : commit();
    } catch (...) {
      failure = std::current_exception();
      if (frame)
        give_up();
      else
        drop();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

    lock.lock();
    seconds_ += seconds.count();
    if (!frame || failure) {
      committed_ += long(batch_.frames.size());
      bytes_ += batch_.bytes;
      batch_ = {};
    }
    if (failure) failure_ = failure, queue_.clear();
    changed_.notify_all();
    if (failure) return;
  }
}

}  // namespace rtsim
