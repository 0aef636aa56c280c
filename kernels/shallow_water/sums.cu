#include "shallow_water/sums.h"

#include <cmath>

#include "exec/parallel.h"

namespace rtsim::shallow_water {

namespace {

struct SumOf {
  Flow flow;
  Columns at;
  Real wet_depth;

  RTSIM_HD Sums operator()(Index c) const {
    const double h = at.depth[c], qx = at.discharge_x[c], qz = at.discharge_z[c];
    const double f = over_depth(at.depth[c], flow.dry), u = qx * f, v = qz * f;
    const bool wet = at.depth[c] > wet_depth;
    return {h,
            qx,
            qz,
            0.5 * h * (u * u + v * v),
            double(flow.g) * h * (double(at.bed[c]) + 0.5 * h),
            wet ? 1.0 : 0.0,
            wet ? double(c % flow.nx) : -1e300,
            wet ? std::sqrt(u * u + v * v) : 0.0};
  }
};

struct AngularMomentumOfRow {
  Flow flow;
  Columns at;

  RTSIM_HD double operator()(Index k) const {
    double along = 0, across = 0;  // sums of q_x, and of x q_z
    for (Index i = 0; i < flow.nx; ++i) {
      const Index c = i + flow.nx * k;
      along += double(at.discharge_x[c]), across += (i + 0.5) * double(at.discharge_z[c]);
    }
    return (k + 0.5) * along - across;
  }
};

struct AngularMomentum {
  Flow flow;
  Columns at;

  RTSIM_HD double operator()(Index c) const {
    return (c / flow.nx + 0.5) * double(at.discharge_x[c]) -
           (c % flow.nx + 0.5) * double(at.discharge_z[c]);
  }
};

struct Look {
  Flow flow;
  Columns at;
  Span<const Probe> probes;
  Span<Real> out;

  RTSIM_HD void operator()(Index p) const {
    Real h = 0, w = 0, u = 0, v = 0;
    for (int k = 0; k < 4; ++k) {
      const Index c = probes[p].cell[k];
      const Real weight = probes[p].weight[k], f = over_depth(at.depth[c], flow.dry);
      h += weight * at.depth[c], w += weight * (at.bed[c] + at.depth[c]);
      u += weight * at.discharge_x[c] * f, v += weight * at.discharge_z[c] * f;
    }
    out[4 * p] = h, out[4 * p + 1] = w, out[4 * p + 2] = u, out[4 * p + 3] = v;
  }
};

}  // namespace

Sums sums(const Exec& ex, const Flow& flow, const Columns& at, Real wet_depth) {
  if (ex.cpu_shaped()) return sums_of_rows(ex, flow, at, wet_depth);
  return reduce(ex, "shallow_water.sums", flow.cells(), Sums{}, SumOf{flow, at, wet_depth},
                AddSums{});
}

double angular_momentum(const Exec& ex, const Flow& flow, const Columns& at) {
  if (!ex.cpu_shaped())
    return reduce(ex, "shallow_water.turn", flow.cells(), 0.0, AngularMomentum{flow, at}, Plus{});
  return reduce(ex, "shallow_water.turn", flow.nz, 0.0, AngularMomentumOfRow{flow, at}, Plus{});
}

void probe(const Exec& ex, const Flow& flow, const Columns& at, Span<const Probe> probes,
           Span<Real> out) {
  parallel_for(ex, "shallow_water.probes", probes.size, Look{flow, at, probes, out});
}

}  // namespace rtsim::shallow_water
