#include "shallow_water/sources.h"

#include <cmath>

#include "exec/parallel.h"

namespace rtsim::shallow_water {

namespace {

struct Pour {
  Flow flow;
  Disc disc;
  Real rise;
  Columns at;

  RTSIM_HD void operator()(Index k) const {
    const Index i = disc.first_x + k % disc.across, j = disc.first_z + k / disc.across;
    const Real dx = Real(i) - disc.x, dz = Real(j) - disc.z;
    if (dx * dx + dz * dz > disc.radius2) return;
    const Index c = i + flow.nx * j;
    const Real h = at.depth[c], left = h + rise > 0 ? h + rise : 0;
    if (rise < 0 && h > 0) {
      at.discharge_x[c] *= left / h;
      at.discharge_z[c] *= left / h;
    }
    at.depth[c] = left;
  }
};

struct Damp {
  Flow flow;
  Layers layers;
  Real dt;
  Span<const Real> rest;
  Columns at;

  RTSIM_HD void operator()(Index c) const {
    const Index i = c % flow.nx, j = c / flow.nx;
    const Index from_edge[4] = {i, flow.nx - 1 - i, j, flow.nz - 1 - j};
    Real rate = 0;  // over the wave speed [1/m]
    for (int e = 0; e < 4; ++e) {
      if (from_edge[e] >= layers.width[e]) continue;
      const Real w = Real(layers.width[e]), s = 1 - (Real(from_edge[e]) + Real(0.5)) / w;
      rate += 7 * s * s / (w * flow.spacing);
    }
    if (rate == 0) return;
    const Real left = 1 / (1 + dt * rate * std::sqrt(flow.g * max(rest[c], at.depth[c])));
    at.depth[c] = fma(left, at.depth[c] - rest[c], rest[c]);
    at.discharge_x[c] *= left, at.discharge_z[c] *= left;
  }
};

}  // namespace

void pour(const Exec& ex, const Flow& flow, const Disc& disc, Real rise, const Columns& at) {
  parallel_for(ex, "shallow_water.sources", disc.across * disc.along, Pour{flow, disc, rise, at});
}

void damp(const Exec& ex, const Flow& flow, const Layers& layers, double dt, Span<const Real> rest,
          const Columns& at) {
  parallel_for(ex, "shallow_water.layers", flow.cells(), Damp{flow, layers, Real(dt), rest, at});
}

}  // namespace rtsim::shallow_water
