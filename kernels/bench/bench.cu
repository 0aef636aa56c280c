#include "bench/bench.h"

#include "exec/parallel.h"

namespace rtsim::bench {

struct Triad {
  Span<Real> a;
  Span<const Real> b, c;
  Real s;

  RTSIM_HD void operator()(Index i) const { a[i] = b[i] + s * c[i]; }
};

void triad(const Exec& ex, Span<Real> a, Span<const Real> b, Span<const Real> c, Real s) {
  parallel_for(ex, "bench.triad", a.size, Triad{a, b, c, s});
}

struct Touch {
  Span<Real> a;

  RTSIM_HD void operator()(Index i) const { a[i] = 0; }
};

void empty_launch(const Exec& ex, Span<Real> a) {
  parallel_for(ex, "bench.empty", a.size, Touch{a});
}

}  // namespace rtsim::bench
