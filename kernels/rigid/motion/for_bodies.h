#pragma once
#include <algorithm>

#include "exec/parallel.h"
#include "lanes/row4.h"
#include "rigid/motion/rows.h"

namespace rtsim::rigid {

// kernel(i) for every i in [0, n), of which each is a lot of work: a CPU's threads take no more
// than `rows` at a time.
template <class Kernel>
void for_bodies(const Exec& ex, const char* label, Index n, const Kernel& kernel,
                Index rows = 128) {
  if (ex.backend() == Backend::cuda) return parallel_for(ex, label, n, kernel);
  parallel_chunks(ex, label, n, rows, [&](Index begin, Index end) {
    const Kernel k = kernel;
    for (Index i = begin; i < end; ++i) k(i);
  });
}

template <class Kernel>
struct AtPlace {
  Rows rows;
  Kernel kernel;
  RTSIM_HD void operator()(Index place) const {
    const Index i = rows.at(place);
    if (i < rows.n) kernel(i);
  }
};

// work(k, first, end) for eights of these rows, the last of which may be fewer.
template <class Kernel, class Work>
void for_eights_of(const Exec& ex, const char* label, const Rows& rows, const Kernel& kernel,
                   const Work& work) {
  constexpr Index places = 128;  // whole eights
  parallel_chunks(ex, label, rows.places(), places, [&](Index begin, Index end) {
    const Kernel k = kernel;
    for (Index place = begin; place < end; place += lane_count) {
      const Index first = rows.at(place);
      work(k, first, std::min(first + lane_count, rows.n));
    }
  });
}

template <class Kernel>
void for_bodies(const Exec& ex, const char* label, const Rows& rows, const Kernel& kernel) {
  if (ex.backend() == Backend::cuda)
    return parallel_for(ex, label, rows.places(), AtPlace<Kernel>{rows, kernel});
  for_eights_of(ex, label, rows, kernel, [](const Kernel& k, Index first, Index end) {
    for (Index i = first; i < end; ++i) k(i);
  });
}

// Likewise, and on a CPU eight rows at once where `kernel.eight(i)` can do those from i on.
template <class Kernel>
void for_eights(const Exec& ex, const char* label, const Rows& rows, const Kernel& kernel) {
  if (!ex.cpu_shaped()) return for_bodies(ex, label, rows, kernel);
  for_eights_of(ex, label, rows, kernel, [](const Kernel& k, Index first, Index end) {
    if (end - first == lane_count && k.eight(first)) return;
    for (Index i = first; i < end; ++i) k(i);
  });
}

template <class T, class Kernel>
struct ValueAtPlace {
  Rows rows;
  T identity;
  Kernel kernel;
  RTSIM_HD T operator()(Index place) const {
    const Index i = rows.at(place);
    return i < rows.n ? kernel(i) : identity;
  }
};

// Of an `op` whose result no order changes: all rows and those of a list then agree to the bit.
template <class T, class Kernel, class Op>
T reduce_bodies(const Exec& ex, const char* label, const Rows& rows, const T& identity,
                const Kernel& kernel, Op op) {
  return reduce(ex, label, rows.places(), identity, ValueAtPlace<T, Kernel>{rows, identity, kernel},
                op);
}

}  // namespace rtsim::rigid
