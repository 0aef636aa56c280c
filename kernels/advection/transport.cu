#include "advection/transport.h"

#include <cmath>
#include <limits>

#include "mac/for_rows.h"
#include "mac/reduce_rows.h"

namespace rtsim::advection {

using mac::Domain;
using mac::Layout;

namespace {

// Inflows are closed faces whose wall has the velocity of the fluid that flows in.
RTSIM_HD bool flows_in(const Domain& d, int axis, Index face) {
  return (face == 0 && d.condition[axis][0] == mac::BoundaryCondition::inflow) ||
         (face == d.cells[axis] && d.condition[axis][1] == mac::BoundaryCondition::inflow);
}

struct FindFlow {
  Domain domain;
  Layout layout;
  int axis;
  Real cells_per_speed;
  const Real *open, *wall, *u;
  Real* q;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, r = domain.row(axis, i, j, k);
    const Real through =
        flows_in(domain, axis, at[axis]) ? wall[r] : open[r] * u[layout.at(i, j, k)];
    q[r] = cells_per_speed * through;
  }
};

struct FindSwept {
  Domain domain;
  mac::Walls walls;
  Real cells_per_speed;
  Real* out;

  RTSIM_HD Real pushed(int axis, const Index f[3]) const {
    if (flows_in(domain, axis, f[axis])) return 0;
    const Index r = domain.row(axis, f[0], f[1], f[2]);
    return (1 - walls.open[axis][r]) * walls.velocity[axis][r];
  }
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    Real sum = 0;
    for (int a = 0; a < domain.dims; ++a) {
      const Index low[3] = {i, j, k}, high[3] = {i + (a == 0), j + (a == 1), k + (a == 2)};
      sum += pushed(a, low) - pushed(a, high);
    }
    out[domain.row(mac::centres, i, j, k)] = cells_per_speed * sum;
  }
};

constexpr Real largest = std::numeric_limits<Real>::max(),
               beyond = std::numeric_limits<Real>::infinity();

struct Courant {
  Domain domain;
  Carrier by;

  RTSIM_HD Real operator()(Index i, Index j, Index k) const {
    const Index r = domain.row(mac::centres, i, j, k);
    const Real share = by.share.size > 0 ? by.share[r] : Real(1);
    if (!(share > 0)) return 0;
    Real sum = 0;
    for (int a = 0; a < domain.dims; ++a)
      sum += std::abs(by.flows.q[a][domain.row(a, i, j, k)]) +
             std::abs(by.flows.q[a][domain.row(a, i + (a == 0), j + (a == 1), k + (a == 2))]);
    sum /= share;
    return sum <= largest ? sum : beyond;
  }
};

RTSIM_HD inline Real least(Real a, Real b) { return a < b ? a : b; }

// At a cell's lower face, `f` to the cell above it. All four cells are read and then chosen from,
// so that there is no branch in the way of vectors.
RTSIM_HD inline Real at_face(Real q, const Real* f, Index stride) {
  const Real far_below = f[-2 * stride], below = f[-stride], above = f[0], far_above = f[stride];
  const bool up = q > 0;
  const Real here = up ? below : above;
  const Real a = here - (up ? far_below : far_above), b = (up ? above : below) - here;
  const Real slope =
      least(2 * least(std::abs(a), std::abs(b)), std::abs(a + 2 * b) * (Real(1) / 3));
  const Real half = b > 0 ? Real(0.5) : Real(-0.5);
  return here + (a * half > 0 ? half : Real(0)) * slope;
}

enum class Solid : std::uint8_t { none, standing, moving };

template <int D, Solid solid, Keeps keeps>
struct Transport {
  Domain domain;
  Layout layout;
  const Real* q[3];
  const Real *share, *swept;
  Real part;  // 1 / m
  const Real *field, *start;
  Real of_start, of_carried;  // weights of the mean
  Real* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index stride[3] = {1, layout.pitch, layout.plane},
                up[3] = {1, domain.cells[0], domain.cells[0] * domain.cells[1]};
    const Index c = layout.at(i, j, k);
    const Real here = field[c];
    Real gain = 0, net = 0;
    for (int a = 0; a < D; ++a) {
      const Index r = domain.row(a, i, j, k);
      const Real low = q[a][r], high = q[a][r + up[a]];
      Real from_low = at_face(low, field + c, stride[a]),
           from_high = at_face(high, field + c + stride[a], stride[a]);
      if (keeps == Keeps::level) from_low -= here, from_high -= here;
      gain += low * from_low - high * from_high;
      net += low - high;
    }
    if constexpr (solid != Solid::none) {
      const Index r = domain.row(mac::centres, i, j, k);
      if (solid == Solid::moving && keeps == Keeps::amount)
        gain -= swept[r] != 0 ? net * here : Real(0);
      gain /= share[r] > 0 ? share[r] : Real(1);  // solids gain nothing
    }
    out[c] = of_start * start[c] + of_carried * (here + part * gain);
  }
};

template <int D, Solid solid, Keeps keeps>
void launch(const Exec& ex, const Domain& d, const Carrier& by, const Stage& s) {
  const bool mean = s.start != nullptr;
  mac::for_rows(ex, "advection.transport", d, mac::centres,
                Transport<D, solid, keeps>{
                    d,
                    Layout::of(d),
                    {by.flows.q[0].data, by.flows.q[1].data, D == 3 ? by.flows.q[2].data : nullptr},
                    by.share.data,
                    by.swept.data,
                    Real(1.0 / by.substeps),
                    s.field,
                    mean ? s.start : s.field,
                    Real(mean ? 0.5 : 0),
                    Real(mean ? 0.5 : 1),
                    s.out});
}

template <int D, Solid solid>
void launch(const Exec& ex, const Domain& d, const Carrier& by, const Stage& s) {
  s.keeps == Keeps::amount ? launch<D, solid, Keeps::amount>(ex, d, by, s)
                           : launch<D, solid, Keeps::level>(ex, d, by, s);
}

template <int D>
void launch(const Exec& ex, const Domain& d, const Carrier& by, const Stage& s) {
  if (by.share.size == 0) return launch<D, Solid::none>(ex, d, by, s);
  by.swept.size == 0 ? launch<D, Solid::standing>(ex, d, by, s)
                     : launch<D, Solid::moving>(ex, d, by, s);
}

}  // namespace

void find_flows(const Exec& ex, const Domain& d, const mac::Walls& w, const mac::Faces& velocity,
                double dt, const Flows& flows) {
  for (int a = 0; a < d.dims; ++a)
    mac::for_rows(ex, "advection.flows", d, a,
                  FindFlow{d, Layout::of(d), a, Real(dt / double(d.spacing)), w.open[a].data,
                           w.velocity[a].data, velocity.u[a], flows.q[a].data});
}

void find_swept(const Exec& ex, const Domain& d, const mac::Walls& w, double dt, Span<Real> out) {
  mac::for_rows(ex, "advection.swept", d, mac::centres,
                FindSwept{d, w, Real(dt / double(d.spacing)), out.data});
}

Real greatest_courant(const Exec& ex, const Domain& d, const Carrier& by) {
  return mac::reduce_rows(ex, "advection.courant", d, mac::centres, Real(0), Courant{d, by}, Max{});
}

void transport(const Exec& ex, const Domain& d, const Carrier& by, const Stage& s) {
  d.dims == 2 ? launch<2>(ex, d, by, s) : launch<3>(ex, d, by, s);
}

}  // namespace rtsim::advection
