#include "shallow_water/bodies.h"

#include "exec/parallel.h"
#include "lanes/row4.h"

namespace rtsim::shallow_water {

namespace {

constexpr int rays = 4;  // a side of a cell, so that a body that slides does not go in jerks

struct Raise {
  grid::GridView columns;
  Body body;
  Span<const Real> ground, still;
  Span<Real> raised;

  RTSIM_HD Real distance(Real x, Real y, Real z) const {
    const boundary::Pose& p = body.pose;
    const Vec<3> d = Vec<3>{{x, y, z}} - p.translation;
    return grid::interpolate(body.map.grid, body.map.distance.data,
                             d[0] * p.rotation[0] + d[1] * p.rotation[1] + d[2] * p.rotation[2]);
  }
  // How much of [a, b] lies inside, where the distance goes from d to e: linear between.
  RTSIM_HD static void clip(Real d, Real e, Real& a, Real& b) {
    const Real way = b - a;
    if (d > 0) a = b - way * (e / (e - d));
    if (e > 0) b = a + way * (d / (d - e));
  }
  RTSIM_HD Real along_ray(Real x, Real z, Real bottom, Real top) const {
    const Real step = body.map.grid.spacing;
    Real sum = 0, y = body.low, d = distance(x, y, z);
    for (Index k = 1; y < body.high; ++k) {
      const Real next = body.low + Real(k) * step, e = distance(x, next, z);
      if (d <= 0 || e <= 0) {
        Real a = y, b = next;
        clip(d, e, a, b);
        sum += max(0, min(b, top) - max(a, bottom));
      }
      y = next, d = e;
    }
    return sum;
  }
  RTSIM_HD void operator()(Index r) const {
    const Index i = body.first_x + r % body.across, k = body.first_z + r / body.across;
    const Index c = i + columns.n[0] * k;
    const Vec<3> middle = columns.place(i, 0, k);
    Real sum = 0;
    for (int e = 0; e < rays * rays; ++e) {
      const Real dx = (Real(e % rays) + Real(0.5)) / Real(rays) - Real(0.5),
                 dz = (Real(e / rays) + Real(0.5)) / Real(rays) - Real(0.5);
      sum += along_ray(middle[0] + dx * columns.spacing, middle[2] + dz * columns.spacing,
                       ground[c], still[c]);
    }
    // Bodies that overlap displace no more than all the water there is.
    const Real both = raised[c] + sum / Real(rays * rays), most = still[c] - ground[c];
    raised[c] = both < most ? both : most > 0 ? most : Real(0);
  }
};

struct Add {
  const Real *ground, *raised;
  Real* bed;
  RTSIM_HD void operator()(Index c) const { bed[c] = ground[c] + raised[c]; }
};

struct Widen {
  const Real* x;
  RTSIM_HD double operator()(Index c) const { return double(x[c]); }
};

}  // namespace

void raise(const Exec& ex, const grid::GridView& columns, const Body& body, Span<const Real> ground,
           Span<const Real> still, Span<Real> raised) {
  parallel_for(ex, "shallow_water.bodies", body.across * body.along,
               Raise{columns, body, ground, still, raised});
}

void add(const Exec& ex, Span<const Real> ground, Span<const Real> raised, Span<Real> bed) {
  parallel_for(ex, "shallow_water.bodies", bed.size, Add{ground.data, raised.data, bed.data});
}

double sum(const Exec& ex, Span<const Real> x) {
  return reduce(ex, "shallow_water.bodies", x.size, 0.0, Widen{x.data}, Plus{});
}

}  // namespace rtsim::shallow_water
