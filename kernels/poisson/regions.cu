#include "exec/parallel.h"
#include "poisson/poisson.h"

namespace rtsim::poisson {

namespace {

template <class T>
struct SumRun {
  Span<const Run> runs;
  const T* values;
  double* sums;
  RTSIM_HD void operator()(Index r) const {
    double sum = 0;
    for (Index c = runs[r].first; c < runs[r].end; ++c) sum += double(values[c]);
    sums[r] = sum;
  }
};

template <class T>
struct SubtractMean {
  Span<const Run> runs;
  const double* means;
  T* values;
  RTSIM_HD void operator()(Index r) const {
    const double mean = means[runs[r].region];
    for (Index c = runs[r].first; c < runs[r].end; ++c) values[c] = T(double(values[c]) - mean);
  }
};

}  // namespace

template <class T>
void sum_runs(const Exec& ex, Span<const Run> runs, Span<const T> values, Span<double> sums) {
  parallel_for(ex, "poisson.mean", runs.size, SumRun<T>{runs, values.data, sums.data});
}

template <class T>
void subtract_means(const Exec& ex, Span<const Run> runs, Span<const double> means,
                    Span<T> values) {
  parallel_for(ex, "poisson.mean", runs.size, SubtractMean<T>{runs, means.data, values.data});
}

#define RTSIM_FOR(T)                                                                    \
  template void sum_runs<T>(const Exec&, Span<const Run>, Span<const T>, Span<double>); \
  template void subtract_means<T>(const Exec&, Span<const Run>, Span<const double>, Span<T>);
RTSIM_FOR(float)
RTSIM_FOR(double)
#undef RTSIM_FOR

}  // namespace rtsim::poisson
