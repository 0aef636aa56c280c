#include "mac/wall_force.h"

#include "mac/open_face.h"
#include "mac/reduce_rows.h"

namespace rtsim::mac {

namespace {

// A force along an axis at a place [m].
RTSIM_HD Wrench at_place(const double x[3], int axis, double force) {
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  Wrench w;
  w.force[axis] = force;
  w.torque[b] = x[c] * force, w.torque[c] = -x[b] * force;
  return w;
}

struct PressureOnCell {
  Domain domain;
  OpenFace face[3];
  int which;
  double area;  // of a face [m^(D-1)]
  const Real* pressure;

  RTSIM_HD Real open(int axis, const Index f[3]) const {
    return face[axis].open[domain.row(axis, f[0], f[1], f[2])];
  }
  // How far solids leave a face at an end of the domain open, which the boundary condition of that
  // end closes too.
  RTSIM_HD Real open_at_end(int axis, Index i, Index j, Index k) const {
    const Index f[3] = {i, j, k};
    return domain.periodic(axis) ? face[axis].open[domain.row(axis, i, j, k)]
                                 : face[axis].obstacle_share(f);
  }
  RTSIM_HD bool meets(const Index cell[3]) const {
    Index up[3] = {cell[0], cell[1], cell[2]};
    up[0] += 1;
    const Index low = face[0].deepest_node(cell), high = face[0].deepest_node(up);
    const Nodes& n = face[0].nodes;
    return n.nearest[n.distance[high] < n.distance[low] ? high : low] == which;
  }
  RTSIM_HD Wrench at_cell(int axis, const Index cell[3], Real closed) const {
    if (!meets(cell)) return {};
    double x[3] = {0, 0, 0};
    for (int a = 0; a < domain.dims; ++a)
      x[a] = face[a].first[a] + double(domain.spacing) * (double(cell[a]) + 0.5);
    const double p = double(pressure[domain.row(centres, cell[0], cell[1], cell[2])]);
    return at_place(x, axis, area * double(closed) * p);
  }
  RTSIM_HD Wrench operator()(Index i, Index j, Index k) const {
    const Index cell[3] = {i, j, k};
    Wrench sum;
    for (int a = 0; a < domain.dims; ++a) {
      const Index up[3] = {i + (a == 0), j + (a == 1), k + (a == 2)}, last = domain.cells[a] - 1;
      // Both ends at once where the domain is one cell thick.
      const Real below = cell[a] == 0 ? open_at_end(a, i, j, k) : open(a, cell);
      const Real above = cell[a] == last ? open_at_end(a, up[0], up[1], up[2]) : open(a, up);
      if (below != above) sum = sum + at_cell(a, cell, below - above);
    }
    return sum;
  }
};

struct PressureOnSides {
  Domain domain;
  OpenFace face[3];
  double area;          // of a face [m^(D-1)]
  double half_cell[3];  // its weight over the area, along each axis
  const Real *distance, *pressure;

  // Through one end of an axis, whose face the boundary condition closes as far as solids do not.
  RTSIM_HD double at_end(int axis, const Index cell[3], int end) const {
    const Index f[3] = {cell[0] + (axis == 0 && end == 1), cell[1] + (axis == 1 && end == 1),
                        cell[2] + (axis == 2 && end == 1)};
    const Index row = domain.row(centres, cell[0], cell[1], cell[2]);
    if (!(distance[row] < 0)) return 0;
    const Real closed =
        face[axis].obstacle_share(f) - face[axis].open[domain.row(axis, f[0], f[1], f[2])];
    const double out = end == 1 ? 1 : -1;
    return out * area * double(closed) * (double(pressure[row]) + out * half_cell[axis]);
  }
  RTSIM_HD Force operator()(Index i, Index j, Index k) const {
    const Index cell[3] = {i, j, k};
    Force sum;
    for (int a = 0; a < domain.dims; ++a) {
      if (domain.periodic(a)) continue;
      if (cell[a] == 0) sum.along[a] += at_end(a, cell, 0);
      if (cell[a] == domain.cells[a] - 1) sum.along[a] += at_end(a, cell, 1);
    }
    return sum;
  }
};

struct FrictionOnFace {
  Domain domain;
  OpenFace face;
  int which;
  double factor;  // mu h^(D-2)
  const Real* u;

  RTSIM_HD bool in_solid(Index r) const { return sticks(face.open[r], face.clearance[r]); }

  RTSIM_HD Index row(const Index f[3]) const { return domain.row(face.axis, f[0], f[1], f[2]); }
  // The next face along an axis, across a seam if there is one; -1: beyond a side.
  RTSIM_HD Index beside(const Index f[3], int axis, int step) const {
    Index n[3] = {f[0], f[1], f[2]};
    n[axis] += step;
    const Index count = domain.periodic(axis) ? domain.cells[axis] : domain.count(face.axis, axis);
    if (domain.periodic(axis)) n[axis] = (n[axis] + count) % count;
    return n[axis] < 0 || n[axis] >= count ? Index(-1) : row(n);
  }
  RTSIM_HD Wrench operator()(Index i, Index j, Index k) const {
    const int axis = face.axis;
    const Index f[3] = {i, j, k}, r = row(f);
    if (!in_solid(r) || f[axis] == domain.cells[axis]) return {};
    if (f[axis] == 0 && !domain.periodic(axis)) return {};  // a side's
    if (face.nodes.nearest[face.deepest_node(f)] != which) return {};
    Wrench sum;
    for (int a = 0; a < domain.dims; ++a)
      for (int e = -1; e <= 1; e += 2) {
        const Index n = beside(f, a, e);
        if (n < 0 || in_solid(n)) continue;
        const double own = double(face.clearance[n]), other = double(face.clearance[r]);
        const double from_closed = -other / (own - other);  // of the way to the open one
        double x[3] = {0, 0, 0};
        for (int b = 0; b < domain.dims; ++b)
          x[b] = face.first[b] + double(domain.spacing) * (double(f[b]) + (b == axis ? 0 : 0.5) +
                                                           (b == a ? from_closed * e : 0));
        const double share = double(friction_share(face.clearance[n], face.clearance[r]));
        sum = sum + at_place(x, axis, factor * share * (double(u[n]) - double(face.velocity[r])));
      }
    return sum;
  }
};

double power(double x, int n) { return n == 0 ? 1 : x * power(x, n - 1); }

}  // namespace

Wrench pressure_on(const Exec& ex, const Domain& d, const Walls& w, const SolidNodes& nodes,
                   int which, Span<const Real> pressure) {
  PressureOnCell law{d, {}, which, power(double(d.spacing), d.dims - 1), pressure.data};
  for (int a = 0; a < d.dims; ++a) law.face[a] = OpenFace::of(d, nodes, a, w);
  return reduce_rows(ex, "mac.wall_force", d, centres, Wrench{}, law, Plus{});
}

Force pressure_on_sides(const Exec& ex, const Domain& d, const Walls& w, const SolidNodes& nodes,
                        Span<const Real> distance, const double weight[3],
                        Span<const Real> pressure) {
  const double h = double(d.spacing);
  PressureOnSides law{d, {}, power(h, d.dims - 1), {0, 0, 0}, distance.data, pressure.data};
  for (int a = 0; a < d.dims; ++a) {
    law.face[a] = OpenFace::of(d, nodes, a, w);
    law.half_cell[a] = weight[a] * h / 2;
  }
  return reduce_rows(ex, "mac.wall_force", d, centres, Force{}, law, Plus{});
}

Wrench friction_on(const Exec& ex, const Domain& d, const Walls& w, const SolidNodes& nodes,
                   int which, double viscosity, const Velocity& v) {
  Wrench all;
  const double factor = viscosity * power(double(d.spacing), d.dims - 2);
  for (int a = 0; a < d.dims; ++a) {
    const FrictionOnFace law{d, OpenFace::of(d, nodes, a, w), which, factor, v.u[a].data};
    all = all + reduce_rows(ex, "mac.wall_force", d, a, Wrench{}, law, Plus{});
  }
  return all;
}

}  // namespace rtsim::mac
