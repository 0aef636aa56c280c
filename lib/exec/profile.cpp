#include "exec/profile.h"

#include "exec/exec.h"

namespace rtsim {

// Labels are string literals, so equal pointers are the same label; two literals with equal text
// merely give two rows. A run has some dozens: a linear search is the fastest map.
void Profile::record(const char* label, Index rows, double start, double seconds) {
  if (trace && events_.size() < most_events)
    events_.push_back({label, start, seconds});
  else if (trace)
    ++left_out_;
  for (Row& r : rows_) {
    if (r.label != label) continue;
    ++r.launches, r.rows += std::uint64_t(rows), r.seconds += seconds;
    return;
  }
  rows_.push_back({label, 1, std::uint64_t(rows), seconds});
}

Profile::~Profile() {
  forget_noted();
  cuda::forget(start_mark_);
}

void Profile::clear() {
  forget_noted();
  rows_.clear(), events_.clear(), left_out_ = 0;
}

void Profile::forget_noted() {
  for (const Noted& n : noted_) cuda::forget(n.begin), cuda::forget(n.end);
  noted_.clear();
}

cuda::Mark Profile::begin() {
  if (noted_.size() >= most_noted) collect();
  if (!start_mark_) start_mark_ = cuda::mark(), start_time_ = now();
  return start_mark_ ? cuda::mark() : nullptr;
}

void Profile::record(const char* label, Index rows, cuda::Mark begin, cuda::Mark end) {
  noted_.push_back({label, rows, begin, end});
}

void Profile::collect() {
  for (const Noted& n : noted_) {
    const double start = cuda::seconds_between(start_mark_, n.begin);
    record(n.label, n.rows, start_time_ + start, cuda::seconds_between(n.begin, n.end));
  }
  forget_noted();
}

Launch::Launch(const Exec& ex, const char* label, Index rows)
    : ex_(ex), label_(label), rows_(rows) {
  Profile& p = ex_.profile();
  if (!p.enabled) return;
  start_ = p.now();
  if (ex_.backend() != Backend::cuda || !p.device_times) return;
  begin_ = p.begin();
}

Launch::~Launch() {
  Profile& p = ex_.profile();
  if (!p.enabled) return;
  const cuda::Mark end = begin_ ? cuda::mark() : nullptr;
  if (end)
    p.record(label_, rows_, begin_, end);
  else
    p.record(label_, rows_, start_, p.now() - start_), cuda::forget(begin_);
}

}  // namespace rtsim
