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

Launch::Launch(const Exec& ex, const char* label, Index rows)
    : ex_(ex), label_(label), rows_(rows) {
  if (ex_.profile().enabled) start_ = ex_.profile().now();
}

Launch::~Launch() {
  Profile& p = ex_.profile();
  if (!p.enabled) return;
  // A device runs behind the host: its launches are timed to their end only when somebody asks.
  if (ex_.backend() == Backend::cuda && p.trace) ex_.wait();
  p.record(label_, rows_, start_, p.now() - start_);
}

}  // namespace rtsim
