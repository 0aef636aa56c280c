#include "diffusion/diffusion.h"

#include "base/conjugate_gradients.h"
#include "mac/for_rows.h"
#include "mac/margin.h"

namespace rtsim::diffusion {

using mac::Domain;
using mac::Layout;
using mac::Walls;

namespace {

// The sum over the neighbours of (neighbour - x).
RTSIM_HD inline Real differences(const Domain& d, const Layout& l, const Real* x, Index c) {
  Real sum = (x[c - 1] + x[c + 1]) + (x[c - l.pitch] + x[c + l.pitch]);
  if (d.dims == 3) sum += x[c - l.plane] + x[c + l.plane];
  return sum - Real(2 * d.dims) * x[c];
}

void stop_sides(Domain& d) {
  for (auto& axis : d.boundary_velocity)
    for (auto& side : axis)
      for (Real& v : side) v = 0;
}

// L x at a row of a component of the velocity; closed faces, and those whose middle lies in a
// solid, hold what they have.
struct VelocityOperator {
  Domain domain;
  Layout layout;
  int lattice;
  const Real *open, *clearance;

  RTSIM_HD bool held(Index row) const {
    return mac::sticks(open[row], clearance ? clearance[row] : Real(1));
  }
  RTSIM_HD Real capacity(Index r) const {
    return clearance ? mac::fluid_share(clearance[r], domain.spacing) : Real(1);
  }
  RTSIM_HD Real at(const Real* x, Index i, Index j, Index k) const {
    const Index c = layout.at(i, j, k);
    if (!clearance) return differences(domain, layout, x, c);
    const Index at[3] = {i, j, k}, own = domain.row(lattice, i, j, k);
    Real sum = 0;
    for (int a = 0; a < domain.dims; ++a) {
      const Real low = mac::friction_share(clearance[own], beside(at, a, -1)),
                 high = mac::friction_share(clearance[own], beside(at, a, 1));
      const Index stride = a == 0 ? 1 : a == 1 ? layout.pitch : layout.plane;
      sum += low * (x[c - stride] - x[c]) + high * (x[c + stride] - x[c]);
    }
    return sum;
  }
  VelocityOperator of_changes() const {  // those of walls are zero
    VelocityOperator o = *this;
    stop_sides(o.domain);
    return o;
  }
  void fill_margin(const Exec& ex, Real* padded) const {
    mac::fill_velocity_margin(ex, domain, lattice, padded);
  }

 private:
  // The clearance of the next face along an axis; beyond a side there are no solids.
  RTSIM_HD Real beside(const Index at[3], int axis, int step) const {
    Index n[3] = {at[0], at[1], at[2]};
    n[axis] += step;
    if (domain.periodic(axis)) n[axis] = (n[axis] + domain.cells[axis]) % domain.cells[axis];
    const bool outside = n[axis] < 0 || n[axis] >= domain.count(lattice, axis);
    return outside ? domain.spacing : clearance[domain.row(lattice, n[0], n[1], n[2])];
  }
};

struct Stick {
  const Real *open, *clearance, *wall;
  Real* u;
  RTSIM_HD void operator()(Index r) const {
    if (open[r] > 0 && clearance[r] <= 0) u[r] = wall[r];
  }
};

struct CentredOperator {
  Domain domain;
  Layout layout;
  int component;
  static constexpr int lattice = mac::centres;

  RTSIM_HD bool held(Index) const { return false; }
  RTSIM_HD Real capacity(Index) const { return 1; }
  RTSIM_HD Real at(const Real* x, Index i, Index j, Index k) const {
    return differences(domain, layout, x, layout.at(i, j, k));
  }
  CentredOperator of_changes() const {
    CentredOperator o = *this;
    stop_sides(o.domain);
    return o;
  }
  void fill_margin(const Exec& ex, Real* padded) const {
    mac::fill_centred_margin(ex, domain, component, padded);
  }
};

// Whether a cell has a way out: solids have none, and walls do not warm them.
RTSIM_HD bool is_open(const Domain& d, const Real* const* open, Index i, Index j, Index k) {
  const Index face[3] = {1, d.cells[0], d.cells[0] * d.cells[1]};
  for (int a = 0; a < d.dims; ++a) {
    const Index f = d.row(a, i, j, k);
    if (open[a][f] > 0 || open[a][f + face[a]] > 0) return true;
  }
  return false;
}

// L x of a scalar: each face lets through as much as it is open. Half a cell from the middles of
// cells beside it a wall holds a value, which is twice the difference.
struct ScalarOperator {
  Domain domain;
  Layout layout;
  static constexpr int lattice = mac::centres;
  mac::ScalarConditions conditions;
  const Real* open[3];
  const Real* volume;  // the share V of each cell; null: 1

  RTSIM_HD bool held(Index) const { return false; }
  RTSIM_HD Real capacity(Index r) const { return volume && volume[r] > 0 ? volume[r] : Real(1); }
  RTSIM_HD Real share(int axis, Index cell, Index face, bool warmed) const {
    const bool wall = (cell == 0 && conditions.wall[axis][0]) ||
                      (cell == domain.cells[axis] && conditions.wall[axis][1]);
    return wall ? Real(warmed ? 2 : 0) : open[axis][face];
  }
  RTSIM_HD Real at(const Real* x, Index i, Index j, Index k) const {
    const Index c = layout.at(i, j, k), at[3] = {i, j, k};
    const Index stride[3] = {1, layout.pitch, layout.plane},
                face[3] = {1, domain.cells[0], domain.cells[0] * domain.cells[1]};
    const bool warmed = is_open(domain, open, i, j, k);
    Real sum = 0;
    for (int a = 0; a < domain.dims; ++a) {
      const Index f = domain.row(a, i, j, k);
      sum += share(a, at[a], f, warmed) * (x[c - stride[a]] - x[c]) +
             share(a, at[a] + 1, f + face[a], warmed) * (x[c + stride[a]] - x[c]);
    }
    return sum;
  }
  ScalarOperator of_changes() const {
    ScalarOperator o = *this;
    for (auto& axis : o.conditions.value)
      for (Real& v : axis) v = 0;
    return o;
  }
  void fill_margin(const Exec& ex, Real* padded) const {
    mac::fill_scalar_margin(ex, domain, conditions, padded);
  }
};

// residual = c L x: of backward Euler and of Crank-Nicolson alike, when x is the start.
template <class Operator>
struct FirstResidual {
  Operator op;
  Real c;
  const Real* x;
  Real *residual, *direction;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index r = op.domain.row(op.lattice, i, j, k);
    residual[r] = op.held(r) ? Real(0) : c * op.at(x, i, j, k);
    direction[r] = 0;
  }
};

// image = V p - theta c L p
template <class Operator>
struct MatrixProduct {
  Operator op;
  Real c;
  const Real* p;
  Real* image;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index r = op.domain.row(op.lattice, i, j, k);
    image[r] =
        op.held(r) ? Real(0) : op.capacity(r) * p[op.layout.at(i, j, k)] - c * op.at(p, i, j, k);
  }
};

struct Dot {
  Domain domain;
  int lattice;
  const Real *a, *b;
  RTSIM_HD double operator()(Index i) const {
    if (lattice != mac::centres && domain.periodic(lattice)) {  // both ends are one face
      Index stride = 1;
      for (int e = 0; e < lattice; ++e) stride *= domain.count(lattice, e);
      if (i / stride % domain.count(lattice, lattice) == domain.cells[lattice]) return 0;
    }
    return double(a[i]) * double(b[i]);
  }
};

struct AdvanceSolution {
  Real alpha;
  const Real *direction, *image;
  Real *x, *residual;
  RTSIM_HD void operator()(Index i) const {
    x[i] += alpha * direction[i], residual[i] -= alpha * image[i];
  }
};

struct UpdateDirection {
  Real beta;
  const Real* residual;
  Real* direction;
  RTSIM_HD void operator()(Index i) const { direction[i] = residual[i] + beta * direction[i]; }
};

// The gradient into a cell at one end of the domain, by its number along that end.
struct IntoCell {
  Domain domain;
  int axis, end;
  Real value;
  const Real* open[3];
  const Real* x;

  RTSIM_HD double operator()(Index n) const {
    Index below = 1;  // rows from one cell to the next along the axis
    for (int a = 0; a < axis; ++a) below *= domain.cells[a];
    const Index across = end == 0 ? 0 : domain.cells[axis] - 1;
    const Index row = n % below + below * (across + domain.cells[axis] * (n / below));
    const Index nx = domain.cells[0], ny = domain.cells[1];
    if (!is_open(domain, open, row % nx, row / nx % ny, row / nx / ny)) return 0;
    return 2 * (double(value) - double(x[row]));
  }
};

// Of one solve, without a preconditioner.
template <class Operator>
struct Descent {
  const Exec& ex;
  const Domain& domain;
  const Operator& op;  // of changes
  const Law& law;
  Scratch& s;
  Real* x;
  double rr, enough;

  double dot(const Buffer<Real>& a, const Buffer<Real>& b) const {
    return reduce(ex, "diffusion.dot", Index(a.size()), 0.0,
                  Dot{domain, op.lattice, a.data(), b.data()}, Plus{});
  }

  bool near() const { return !(rr > enough); }
  double residual_product() const { return rr; }
  void update_direction(double beta) {
    parallel_for(ex, "diffusion.direction", Index(s.residual.size()),
                 UpdateDirection{Real(beta), s.residual.data(), s.direction.data()});
  }
  double multiply() {
    mac::to_padded(ex, domain, op.lattice, s.direction.span(), s.padded.data());
    op.fill_margin(ex, s.padded.data());
    mac::for_rows(ex, "diffusion.image", domain, op.lattice,
                  MatrixProduct<Operator>{op, Real(law.c * law.theta),
                                          s.padded.data() + op.layout.origin, s.image.data()});
    return dot(s.direction, s.image);
  }
  void advance(double alpha) {
    parallel_for(
        ex, "diffusion.descend", Index(s.residual.size()),
        AdvanceSolution{Real(alpha), s.direction.data(), s.image.data(), x, s.residual.data()});
    rr = dot(s.residual, s.residual);
  }
};

template <class Operator>
int solve(const Exec& ex, const Domain& d, const Operator& op, const Law& law, Scratch& s,
          Span<Real> x) {
  s.padded.resize(std::size_t(op.layout.size));
  for (Buffer<Real>* b : {&s.residual, &s.direction, &s.image}) b->resize(std::size_t(x.size));
  mac::to_padded(ex, d, op.lattice, x, s.padded.data());
  op.fill_margin(ex, s.padded.data());
  mac::for_rows(ex, "diffusion.residual", d, op.lattice,
                FirstResidual<Operator>{op, Real(law.c), s.padded.data() + op.layout.origin,
                                        s.residual.data(), s.direction.data()});
  const Operator changes = op.of_changes();
  Descent<Operator> descent{ex, d, changes, law, s, x.data, 0, 0};
  descent.rr = descent.dot(s.residual, s.residual);
  descent.enough = law.tolerance * law.tolerance * descent.rr;
  const CgEnd end = conjugate_gradients(descent, law.max_iterations);
  return end.near ? end.steps : law.max_iterations;  // broken down: as good as stalled
}

}  // namespace

int velocity(const Exec& ex, const Domain& d, const Walls& w, const Law& law, int axis, Scratch& s,
             Span<Real> u) {
  const Real *open = w.open[axis].data, *clearance = w.clearance[axis].data;
  if (clearance)
    parallel_for(ex, "diffusion.stick", u.size,
                 Stick{open, clearance, w.velocity[axis].data, u.data});
  return solve(ex, d, VelocityOperator{d, Layout::of(d), axis, open, clearance}, law, s, u);
}

int scalar(const Exec& ex, const Domain& d, const Walls& w, Span<const Real> volume,
           const mac::ScalarConditions& conditions, const Law& law, Scratch& s, Span<Real> x) {
  return solve(ex, d,
               ScalarOperator{d,
                              Layout::of(d),
                              conditions,
                              {w.open[0].data, w.open[1].data, w.open[2].data},
                              volume.size > 0 ? volume.data : nullptr},
               law, s, x);
}

int centred(const Exec& ex, const Domain& d, const Law& law, int component, Scratch& s,
            Span<Real> u) {
  return solve(ex, d, CentredOperator{d, Layout::of(d), component}, law, s, u);
}

double through_wall(const Exec& ex, const Domain& d, const Walls& w,
                    const mac::ScalarConditions& conditions, int axis, int end,
                    Span<const Real> x) {
  const Index cells = d.rows(mac::centres) / d.cells[axis];
  return reduce(ex, "diffusion.through_wall", cells, 0.0,
                IntoCell{d,
                         axis,
                         end,
                         conditions.value[axis][end],
                         {w.open[0].data, w.open[1].data, w.open[2].data},
                         x.data},
                Plus{});
}

}  // namespace rtsim::diffusion
