#include "smoke/smoke.h"

#include <cmath>

#include "mac/for_rows.h"

namespace rtsim::smoke {

using mac::Domain;
using mac::Layout;

namespace {

struct AddBuoyancy {
  Domain domain;
  Layout layout;
  Buoyancy law;
  int axis;
  Real dt;
  const Real *density, *temperature;
  Real* u;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index stride = axis == 0 ? 1 : (axis == 1 ? layout.pitch : layout.plane);
    const Index up = layout.at(i, j, k), down = up - stride;
    const Real s = Real(0.5) * (density[down] + density[up]),
               t = Real(0.5) * (temperature[down] + temperature[up]);
    u[domain.row(axis, i, j, k)] += dt * law.acceleration(axis, s, t);
  }
};

struct FindVorticity {
  Domain domain;
  Layout layout;
  mac::Faces faces;
  Swirl out;
  Real scale;  // 1 / (4 h)

  // 2 u_b at the centre of a cell.
  RTSIM_HD Real twice(const Real* u, Index at, Index stride) const {
    return u[at] + u[at + stride];
  }

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index here = layout.at(i, j, k), px = 1, py = layout.pitch, pz = layout.plane;
    const Real *u = faces.u[0], *v = faces.u[1], *w = faces.u[2];
    const Real z = scale * ((twice(v, here + px, py) - twice(v, here - px, py)) -
                            (twice(u, here + py, px) - twice(u, here - py, px)));
    out.part[2][here] = z;
    if (domain.dims == 2) {
      out.magnitude[here] = std::abs(z);
      return;
    }
    const Real x = scale * ((twice(w, here + py, pz) - twice(w, here - py, pz)) -
                            (twice(v, here + pz, py) - twice(v, here - pz, py)));
    const Real y = scale * ((twice(u, here + pz, px) - twice(u, here - pz, px)) -
                            (twice(w, here + px, pz) - twice(w, here - px, pz)));
    out.part[0][here] = x, out.part[1][here] = y;
    out.magnitude[here] = std::sqrt(x * x + y * y + z * z);
  }
};

struct ConfinementForce {
  Domain domain;
  Layout layout;
  Swirl swirl;
  Real strength;  // times h

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index here = layout.at(i, j, k);
    const Real* m = swirl.magnitude;
    const Real gx = m[here + 1] - m[here - 1], gy = m[here + layout.pitch] - m[here - layout.pitch];
    const Real gz = domain.dims == 3 ? m[here + layout.plane] - m[here - layout.plane] : Real(0);
    // Where nothing swirls there is no direction, and no force.
    const Real length = std::sqrt(gx * gx + gy * gy + gz * gz) + Real(1e-20);
    const Real c = strength / length;
    const Real z = swirl.part[2][here];
    if (domain.dims == 2) {
      swirl.part[0][here] = c * (gy * z), swirl.part[1][here] = -c * (gx * z);
      return;
    }
    const Real x = swirl.part[0][here], y = swirl.part[1][here];
    swirl.part[0][here] = c * (gy * z - gz * y);
    swirl.part[1][here] = c * (gz * x - gx * z);
    swirl.part[2][here] = c * (gx * y - gy * x);
  }
};

struct AddConfinement {
  Domain domain;
  Layout layout;
  int axis;
  Real half_dt;
  const Real* a;
  Real* u;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index stride = axis == 0 ? 1 : (axis == 1 ? layout.pitch : layout.plane);
    const Index up = layout.at(i, j, k);
    u[domain.row(axis, i, j, k)] += half_dt * (a[up - stride] + a[up]);
  }
};

struct Scale {
  Real factor;
  Real* x;
  RTSIM_HD void operator()(Index i) const { x[i] *= factor; }
};

}  // namespace

void add_buoyancy(const Exec& ex, const Domain& d, const Buoyancy& law, Real dt,
                  const Real* density, const Real* temperature, const mac::Velocity& v) {
  for (int a = 0; a < d.dims; ++a)
    if (law.gravity[a] != 0)
      mac::for_rows(ex, "smoke.buoyancy", d, a,
                    AddBuoyancy{d, Layout::of(d), law, a, dt, density, temperature, v.u[a].data});
}

void find_vorticity(const Exec& ex, const Domain& d, const mac::Faces& faces, const Swirl& out) {
  mac::for_rows(ex, "smoke.vorticity", d, mac::centres,
                FindVorticity{d, Layout::of(d), faces, out, 1 / (4 * d.spacing)});
}

void confinement_force(const Exec& ex, const Domain& d, Real strength, const Swirl& swirl) {
  mac::for_rows(ex, "smoke.confinement", d, mac::centres,
                ConfinementForce{d, Layout::of(d), swirl, strength * d.spacing});
}

void add_confinement(const Exec& ex, const Domain& d, Real dt, const Swirl& swirl,
                     const mac::Velocity& v) {
  for (int a = 0; a < d.dims; ++a)
    mac::for_rows(ex, "smoke.confinement", d, a,
                  AddConfinement{d, Layout::of(d), a, dt / 2, swirl.part[a], v.u[a].data});
}

void scale(const Exec& ex, Real factor, Span<Real> x) {
  parallel_for(ex, "smoke.decay", x.size, Scale{factor, x.data});
}

}  // namespace rtsim::smoke
