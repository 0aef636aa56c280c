#pragma once
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"
#include "pbd/projection.h"

// Tethers of points to held ones: no point goes farther from what holds it than the mesh at rest
// reaches (Kim, Chentanez & Müller, "Long Range Attachments", SCA 2012, sec. 3).
namespace rtsim::pbd {

// As many slots for each point i, slot k of it at k n + i: the row of a held point, and how far
// from it the point may go. Where there are fewer, its own row at an infinite length: the place of
// that row is the one before slots pulled.
struct Tethers {
  Span<const Index> held;
  Span<const Real> length;  // [m]
  Index slots;
};

// C = |x - a| - L <= 0, which moves x alone.
void pull_back(const Exec&, const Tethers&, Span<Row4> place);

namespace detail {

template <class T>
RTSIM_HD void pull_back(Point<T>& x, const Point<T>& a, const T& length) {
  const Arrow<T> d = x - a;
  const T r2 = dot(d, d), limit = length * length;
  const T back = length / root(r2) - T(Real(1));
  x.x = select_less(limit, r2, fma(back, d.x, x.x), x.x);
  x.y = select_less(limit, r2, fma(back, d.y, x.y), x.y);
  x.z = select_less(limit, r2, fma(back, d.z, x.z), x.z);
}

}  // namespace detail

// The CPU's form of rows from `begin` to `end`, eight at once.
void pull_back_lanes(const Tethers&, Index begin, Index end, Span<Row4> place);

}  // namespace rtsim::pbd
