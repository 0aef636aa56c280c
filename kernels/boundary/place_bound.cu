#include "boundary/place_bound.h"

#include "exec/parallel.h"

namespace rtsim::boundary {

namespace {

// A unit vector a / |a| and its rate of change: (a' - (a' . u) u) / |a|.
struct Direction {
  Vec<3> unit, rate;

  RTSIM_HD Direction(const Vec<3>& a, const Vec<3>& change) {
    const Real length = norm(a);
    if (!(length > 0)) return;
    unit = Real(1) / length * a;
    rate = Real(1) / length * (change - dot(change, unit) * unit);
  }
};

struct PlaceBound {
  Span<const Bound> bound;
  Span<const Vec<3>> corners, velocities;
  Span<Vec<3>> position, velocity;

  RTSIM_HD void operator()(Index i) const {
    const Bound& b = bound[i];
    Vec<3> p[3], v[3];
    for (int k = 0; k < 3; ++k) p[k] = corners[b.corner[k]], v[k] = velocities[b.corner[k]];
    const Vec<3> side = p[1] - p[0], other = p[2] - p[0];
    const Vec<3> side_rate = v[1] - v[0], other_rate = v[2] - v[0];
    const Direction e(side, side_rate);
    const Direction n(cross(side, other), cross(side_rate, other) + cross(side, other_rate));
    Vec<3> x = b.offset[0] * e.unit + b.offset[1] * cross(n.unit, e.unit) + b.offset[2] * n.unit;
    Vec<3> u = b.offset[0] * e.rate +
               b.offset[1] * (cross(n.rate, e.unit) + cross(n.unit, e.rate)) + b.offset[2] * n.rate;
    for (int k = 0; k < 3; ++k) x = x + b.weight[k] * p[k], u = u + b.weight[k] * v[k];
    position[i] = x, velocity[i] = u;
  }
};

}  // namespace

void place_bound(const Exec& ex, Span<const Bound> bound, Span<const Vec<3>> corners,
                 Span<const Vec<3>> velocities, Span<Vec<3>> position, Span<Vec<3>> velocity) {
  parallel_for(ex, "boundary.place", bound.size,
               PlaceBound{bound, corners, velocities, position, velocity});
}

}  // namespace rtsim::boundary
