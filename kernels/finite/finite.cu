#include "finite/finite.h"

#include "exec/parallel.h"

namespace rtsim::finite {

namespace {

constexpr Index none = 0x7fffffff;

// Zero of a finite number, else not a number; so is the sum of all.
template <class T>
struct Astray {
  Span<const T> values;
  RTSIM_HD T operator()(Index i) const { return values[i] - values[i]; }
};
template <class T>
struct NotFinite {
  Span<const T> values;
  RTSIM_HD Index operator()(Index i) const { return values[i] - values[i] == 0 ? none : i; }
};
struct Lowest {
  RTSIM_HD Index operator()(Index a, Index b) const { return a < b ? a : b; }
};

}  // namespace

template <class T>
Index first_not_finite(const Exec& ex, Span<const T> values) {
  if (reduce(ex, "finite.watch", values.size, T(0), Astray<T>{values}, Plus{}) == 0) return -1;
  const Index i = reduce(ex, "finite.watch", values.size, none, NotFinite<T>{values}, Lowest{});
  return i == none ? -1 : i;
}

template Index first_not_finite<float>(const Exec&, Span<const float>);
template Index first_not_finite<double>(const Exec&, Span<const double>);

}  // namespace rtsim::finite
