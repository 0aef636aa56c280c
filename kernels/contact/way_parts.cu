#include "contact/way_parts.h"

#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

// The last one ends where the way does, to the bit.
RTSIM_HD Vec<3> aimed(const WayParts& p, int left, Index i) {
  return left == 1 ? p.end[i] : p.from[i] + Real(1) / Real(left) * (p.end[i] - p.from[i]);
}

struct Aim {
  WayParts p;
  int left;
  Span<Vec<3>> x;
  RTSIM_HD void operator()(Index i) const { x[i] = aimed(p, left, i); }
};

struct GoOn {
  WayParts p;
  int left;
  Real time;
  Span<const Vec<3>> x, v;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> moved = x[i] - aimed(p, left, i), turned = v[i] - p.velocity[i];
    p.end[i] = p.end[i] + (moved + time * turned);
    p.from[i] = x[i], p.velocity[i] = v[i];
  }
};

}  // namespace

void aim(const Exec& ex, const WayParts& p, int left, Span<Vec<3>> x) {
  parallel_for(ex, "contact.aim", x.size, Aim{p, left, x});
}

void go_on(const Exec& ex, const WayParts& p, int left, Real time, Span<const Vec<3>> x,
           Span<const Vec<3>> v) {
  parallel_for(ex, "contact.go_on", x.size, GoOn{p, left, time, x, v});
}

}  // namespace rtsim::contact
