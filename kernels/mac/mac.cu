#include "mac/mac.h"

#include <limits>
#include <type_traits>

#include "mac/for_rows.h"
#include "mac/reduce_rows.h"

namespace rtsim::mac {

namespace {

struct Constrain {
  const Real *open, *velocity;
  Real* u;

  RTSIM_HD void operator()(Index r) const { u[r] = open[r] > 0 ? u[r] : velocity[r]; }
};

struct OneFace {
  Domain domain;
  int axis;
  Real* u;

  RTSIM_HD void operator()(Index l) const {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    Index at[3];
    at[axis] = domain.cells[axis], at[b] = l % domain.cells[b], at[c] = l / domain.cells[b];
    const Index last = domain.row(axis, at[0], at[1], at[2]);
    at[axis] = 0;
    u[last] = u[domain.row(axis, at[0], at[1], at[2])];
  }
};

struct DrawFromRest {
  Domain domain;
  int axis, end;
  Real cells_per_speed;
  Real* u;

  RTSIM_HD void operator()(Index l) const {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    Index at[3];
    at[axis] = end == 0 ? 0 : domain.cells[axis];
    at[b] = l % domain.cells[b], at[c] = l / domain.cells[b];
    Real& v = u[domain.row(axis, at[0], at[1], at[2])];
    const Real inwards = end == 0 ? v : -v, lost = Real(0.5) * cells_per_speed * inwards;
    if (inwards > 0) v = lost < 1 ? v - lost * v : Real(0);
  }
};

// The flow through faces along an axis, of the open and the closed part.
struct Flux {
  const Real *open, *wall, *u;

  RTSIM_HD Real at(Index f) const { return open[f] * u[f] + (1 - open[f]) * wall[f]; }
};

struct Divergence {
  Domain domain;
  Flux flux[3];
  Real inverse_spacing;
  Real* out;

  RTSIM_HD Real at(Index i, Index j, Index k) const {
    Real sum = 0;
    const Index x = domain.row(0, i, j, k), y = domain.row(1, i, j, k);
    sum = (flux[0].at(x + 1) - flux[0].at(x)) + (flux[1].at(y + domain.cells[0]) - flux[1].at(y));
    if (domain.dims == 3) {
      const Index z = domain.row(2, i, j, k);
      sum += flux[2].at(z + domain.cells[0] * domain.cells[1]) - flux[2].at(z);
    }
    return inverse_spacing * sum;
  }
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    out[domain.row(centres, i, j, k)] = at(i, j, k);
  }
};

Divergence divergence_of(const Domain& d, const Walls& w, const Velocity& v, Real* out) {
  Divergence law{d, {}, 1 / d.spacing, out};
  for (int a = 0; a < d.dims; ++a) law.flux[a] = {w.open[a].data, w.velocity[a].data, v.u[a].data};
  return law;
}

template <int D>
struct CentreVelocity {
  Domain domain;
  const Real* u[3];
  Vec<D>* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index stride[3] = {1, domain.cells[0], domain.cells[0] * domain.cells[1]};
    Vec<D> v;
    for (int a = 0; a < D; ++a) {
      const Index f = domain.row(a, i, j, k);
      v[a] = Real(0.5) * (u[a][f] + u[a][f + stride[a]]);
    }
    out[domain.row(centres, i, j, k)] = v;
  }
};

constexpr Real largest = std::numeric_limits<Real>::max(),
               beyond = std::numeric_limits<Real>::infinity();

struct Magnitude {
  const Real* u;

  RTSIM_HD Real operator()(Index i) const {
    const Real v = std::abs(u[i]);
    return v <= largest ? v : beyond;
  }
};

struct AddSums {
  RTSIM_HD FlowSums operator()(const FlowSums& a, const FlowSums& b) const {
    FlowSums s{a.speed2 + b.speed2, a.vorticity2 + b.vorticity2, a.divergence2 + b.divergence2,
               a.divergence_max > b.divergence_max ? a.divergence_max : b.divergence_max,
               a.open_cells + b.open_cells};
    for (int k = 0; k < 3; ++k)
      s.velocity[k] = a.velocity[k] + b.velocity[k],
      s.angular_momentum[k] = a.angular_momentum[k] + b.angular_momentum[k];
    return s;
  }
};

struct Centres {
  Layout layout;
  Faces faces;
  Real scale;  // 1 / (4 h)

  RTSIM_HD Index stride(int a) const { return a == 0 ? 1 : (a == 1 ? layout.pitch : layout.plane); }
  // Twice component b at the centre of a cell, e cells along axis a.
  RTSIM_HD Real twice(Index here, int b, int a, int e) const {
    const Real* u = faces.u[b] + here + e * stride(a);
    return u[0] + u[stride(b)];
  }
  // d u_b / d x_a - d u_a / d x_b
  RTSIM_HD Real curl(Index here, int a, int b) const {
    return scale * ((twice(here, b, a, 1) - twice(here, b, a, -1)) -
                    (twice(here, a, b, 1) - twice(here, a, b, -1)));
  }
};

template <class Out>
struct Curl {
  Domain domain;
  Centres centre;
  Out* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index here = centre.layout.at(i, j, k), r = domain.row(centres, i, j, k);
    if constexpr (std::is_same_v<Out, Real>)
      out[r] = centre.curl(here, 0, 1);
    else
      out[r] = {{centre.curl(here, 1, 2), centre.curl(here, 2, 0), centre.curl(here, 0, 1)}};
  }
};

Centres centres_of(const Domain& d, const Faces& faces) {
  return {Layout::of(d), faces, 1 / (4 * d.spacing)};
}

struct CellSums {
  Domain domain;
  Divergence divergence;
  Centres centre;
  const std::uint8_t* layer;

  RTSIM_HD FlowSums operator()(Index i, Index j, Index k) const {
    if (layer[domain.row(centres, i, j, k)] != 0) return {};
    const Index here = centre.layout.at(i, j, k);
    FlowSums s;
    for (int a = 0; a < domain.dims; ++a) {
      const double low = double(centre.faces.u[a][here]),
                   high = double(centre.faces.u[a][here + centre.stride(a)]);
      s.speed2 += 0.5 * (low * low + high * high);
      s.velocity[a] = 0.5 * (low + high);
    }
    const double x[3] = {i + 0.5, j + 0.5, domain.dims == 3 ? k + 0.5 : 0};
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      s.angular_momentum[a] = x[b] * s.velocity[c] - x[c] * s.velocity[b];
    }
    for (int a = domain.dims == 3 ? 0 : 2; a < 3; ++a) {
      const double w = double(centre.curl(here, (a + 1) % 3, (a + 2) % 3));
      s.vorticity2 += w * w;
    }
    const double q = double(divergence.at(i, j, k));
    s.divergence2 = q * q, s.divergence_max = q < 0 ? -q : q, s.open_cells = 1;
    return s;
  }
};

struct Widen {
  const Real *from, *share;
  RTSIM_HD double operator()(Index i) const {
    return share ? double(share[i]) * double(from[i]) : double(from[i]);
  }
};

}  // namespace

void draw_from_rest(const Exec& ex, const Domain& d, double dt, const Velocity& v) {
  for (int a = 0; a < d.dims; ++a)
    for (int end = 0; end < 2; ++end)
      if (d.condition[a][end] == BoundaryCondition::open)
        parallel_for(ex, "mac.open_side", d.rows(a) / (d.cells[a] + 1),
                     DrawFromRest{d, a, end, Real(dt / double(d.spacing)), v.u[a].data});
}

void constrain(const Exec& ex, const Domain& d, const Walls& w, const Velocity& v) {
  for (int a = 0; a < d.dims; ++a) {
    parallel_for(ex, "mac.constrain", v.u[a].size,
                 Constrain{w.open[a].data, w.velocity[a].data, v.u[a].data});
    const Index plane = d.rows(centres) / d.cells[a];
    if (d.periodic(a)) parallel_for(ex, "mac.constrain", plane, OneFace{d, a, v.u[a].data});
  }
}

void divergence(const Exec& ex, const Domain& d, const Walls& w, const Velocity& v, double factor,
                Span<Real> out) {
  Divergence law = divergence_of(d, w, v, out.data);
  law.inverse_spacing = Real(factor / double(d.spacing));
  for_rows(ex, "mac.divergence", d, centres, law);
}

template <int D>
void centre_velocity(const Exec& ex, const Domain& d, const Velocity& v, Span<Vec<D>> out) {
  for_rows(ex, "mac.centre_velocity", d, centres,
           CentreVelocity<D>{d, {v.u[0].data, v.u[1].data, v.u[2].data}, out.data});
}
template void centre_velocity<2>(const Exec&, const Domain&, const Velocity&, Span<Vec<2>>);
template void centre_velocity<3>(const Exec&, const Domain&, const Velocity&, Span<Vec<3>>);

void vorticity(const Exec& ex, const Domain& d, const Faces& faces, Span<Real> out) {
  for_rows(ex, "mac.vorticity", d, centres, Curl<Real>{d, centres_of(d, faces), out.data});
}
void vorticity(const Exec& ex, const Domain& d, const Faces& faces, Span<Vec<3>> out) {
  for_rows(ex, "mac.vorticity", d, centres, Curl<Vec<3>>{d, centres_of(d, faces), out.data});
}

Real greatest(const Exec& ex, Span<const Real> x) {
  return reduce(ex, "mac.greatest", x.size, Real(0), Magnitude{x.data}, Max{});
}

Real greatest_speed(const Exec& ex, const Domain& d, const Velocity& v) {
  Real speed = 0;
  for (int a = 0; a < d.dims; ++a) {
    const Real m = greatest(ex, v.u[a]);
    speed = m > speed ? m : speed;
  }
  return speed;
}

FlowSums flow_sums(const Exec& ex, const Domain& d, const Walls& w, Span<const std::uint8_t> layer,
                   const Velocity& v, const Faces& faces) {
  const CellSums law{d, divergence_of(d, w, v, nullptr), centres_of(d, faces), layer.data};
  return reduce_rows(ex, "mac.sums", d, centres, FlowSums{}, law, AddSums{});
}

double sum(const Exec& ex, Span<const Real> x, Span<const Real> share) {
  return reduce(ex, "mac.sum", x.size, 0.0, Widen{x.data, share.size > 0 ? share.data : nullptr},
                Plus{});
}

}  // namespace rtsim::mac
