#include "flip/viscosity.h"

#include "exec/parallel.h"
#include "mac/for_rows.h"

namespace rtsim::flip {

namespace {

// The row of a face across `axis`, round a periodic seam; -1 outside.
RTSIM_HD inline Index face_row(const mac::Domain& d, int axis, const Index (&at)[3]) {
  Index q[3] = {at[0], at[1], at[2]};
  for (int a = 0; a < d.dims; ++a) {
    const Index n = d.cells[a];
    if (d.periodic(a))
      q[a] = (q[a] + n) % n;
    else if (q[a] < 0 || q[a] >= d.count(axis, a))
      return -1;
  }
  return d.row(axis, q[0], q[1], q[2]);
}
RTSIM_HD inline Index cell_row(const mac::Domain& d, const Index (&at)[3], int axis) {
  Index q[3] = {at[0], at[1], at[2]};
  const Index n = d.cells[axis];
  if (d.periodic(axis)) q[axis] = (q[axis] + n) % n;
  return q[axis] < 0 || q[axis] >= n ? -1 : d.row(mac::centres, q[0], q[1], q[2]);
}
RTSIM_HD inline void moved(const Index (&at)[3], int axis, Index by, Index (&to)[3]) {
  for (int a = 0; a < 3; ++a) to[a] = at[a] + (a == axis ? by : 0);
}

struct WallFaces {
  mac::Walls walls;

  RTSIM_HD Real clearance(int axis, Index r) const {
    return walls.clearance[axis].size > 0 ? walls.clearance[axis][r] : Real(1);
  }
  RTSIM_HD bool in_wall(int axis, Index r) const {
    return mac::sticks(walls.open[axis][r], clearance(axis, r));
  }
};

struct FaceVolumes {
  mac::Domain domain;
  int axis;
  WallFaces faces;
  const Real* surface;
  const std::uint8_t* known;
  Real *u, *out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, r = domain.row(axis, i, j, k);
    out[r] = 0;
    const bool seam = domain.periodic(axis) && at[axis] == domain.cells[axis];
    if (faces.in_wall(axis, r)) u[r] = faces.walls.velocity[axis][r];
    if (seam || !known[r] || faces.in_wall(axis, r)) return;
    Index below[3];
    moved(at, axis, -1, below);
    Index low = cell_row(domain, below, axis), high = cell_row(domain, at, axis);
    low = low < 0 ? high : low, high = high < 0 ? low : high;
    const Real part = Real(0.5) - Real(0.5) * (surface[low] + surface[high]) / domain.spacing;
    const Real liquid = part > 0 ? part < 1 ? part : Real(1) : Real(0);
    out[r] = liquid * mac::fluid_share(faces.clearance(axis, r), domain.spacing);
  }
};

// The least V of faces in the liquid beside a place, where walls count as filled.
struct Least {
  mac::Domain domain;
  WallFaces faces;
  Volumes volumes;

  RTSIM_HD void take(Real& least, int axis, Index r) const {
    if (faces.in_wall(axis, r)) return;
    const Real v = volumes.face[axis][r];
    least = v < least ? v : least;
  }
  // But for what walls take of it: how far they are is in their share of the friction.
  RTSIM_HD void take_whole(Real& least, int axis, Index r) const {
    if (faces.in_wall(axis, r)) return;
    const Real v =
        volumes.face[axis][r] / mac::fluid_share(faces.clearance(axis, r), domain.spacing);
    least = v < least ? v : least;
  }
};

struct CellVolumes {
  Least least;
  Real* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const mac::Domain& d = least.domain;
    const Index at[3] = {i, j, k};
    Real v = 1;
    for (int a = 0; a < d.dims; ++a)
      for (Index side = 0; side < 2; ++side) {
        Index f[3];
        moved(at, a, side, f);
        least.take(v, a, face_row(d, a, f));
      }
    out[d.row(mac::centres, i, j, k)] = v;
  }
};

struct EdgeVolumes {
  Least least;
  int axis;
  bool sticks;
  Real* out;

  // The two faces across a beside the edge, along b: the least V, and what a wall makes of
  // friction. Returns whether one of them is outside of walls.
  RTSIM_HD bool pair(const Index (&at)[3], int a, int b, Real& v, Real& share) const {
    const mac::Domain& d = least.domain;
    Index below[3];
    moved(at, b, -1, below);
    const Index low = face_row(d, a, below), high = face_row(d, a, at);
    if (low < 0 && high < 0) return false;
    if (low < 0 || high < 0) {  // half an edge, and half the way to the side
      const Index inside = low < 0 ? high : low;
      least.take_whole(v, a, inside);
      share = d.condition[b][high < 0] == mac::BoundaryCondition::no_slip ? Real(2) : Real(0);
      return !least.faces.in_wall(a, inside);
    }
    least.take_whole(v, a, low), least.take_whole(v, a, high);
    const bool low_in = least.faces.in_wall(a, low), high_in = least.faces.in_wall(a, high);
    if (low_in == high_in) return !low_in;
    const Real own = least.faces.clearance(a, low_in ? high : low),
               other = least.faces.clearance(a, low_in ? low : high);
    const Real holds = sticks ? mac::friction_share(own, other) : Real(0);
    share = holds > share || !sticks ? holds : share;
    return true;
  }
  RTSIM_HD void operator()(Index r) const {
    const mac::Domain& d = least.domain;
    const Index nx = edges_along(d, axis, 0), ny = edges_along(d, axis, 1);
    const Index at[3] = {r % nx, r / nx % ny, r / nx / ny};
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    Real v = 1, share = 1;
    const bool outside = pair(at, a, b, v, share), either = pair(at, b, a, v, share) || outside;
    out[r] = either ? v * share : Real(0);
  }
};

// A row of A, of a face across an axis.
struct Row {
  ViscousFlow flow;
  int axis;

  // `moves`: of a velocity, where walls beyond the sides have theirs; of a change they have none.
  RTSIM_HD Real times(const Real* u, const Index (&at)[3], bool moves) const {
    const mac::Domain& d = flow.domain;
    const Real* const of_axis = u + flow.first[axis];
    const Index r = d.row(axis, at[0], at[1], at[2]);
    const Real own = of_axis[r];
    Real sum = 0;
    for (Index side = 0; side < 2; ++side) {
      Index cell[3], next[3];
      moved(at, axis, side - 1, cell), moved(at, axis, 2 * side - 1, next);
      const Index c = cell_row(d, cell, axis);
      if (c >= 0) sum += 2 * flow.volumes.cell[c] * (own - of_axis[face_row(d, axis, next)]);
    }
    for (int b = 0; b < d.dims; ++b)
      for (Index side = 0; side < 2 && b != axis; ++side) sum += shear(u, at, own, b, side, moves);
    return flow.volumes.face[axis][r] * own + flow.k * sum;
  }
  RTSIM_HD Real diagonal(const Index (&at)[3]) const {
    const mac::Domain& d = flow.domain;
    Real sum = 0;
    for (Index side = 0; side < 2; ++side) {
      Index cell[3];
      moved(at, axis, side - 1, cell);
      const Index c = cell_row(d, cell, axis);
      if (c >= 0) sum += 2 * flow.volumes.cell[c];
      for (int b = 0; b < d.dims; ++b)
        if (b != axis) sum += edge(at, b, side);
    }
    return flow.volumes.face[axis][d.row(axis, at[0], at[1], at[2])] + flow.k * sum;
  }

 private:
  RTSIM_HD Real edge(const Index (&at)[3], int b, Index side) const {
    Index e[3];
    moved(at, b, side, e);
    const int along = 3 - axis - b;
    return flow.volumes.edge[along][edge_row(flow.domain, along, e)];
  }
  RTSIM_HD Real shear(const Real* u, const Index (&at)[3], Real own, int b, Index side,
                      bool moves) const {
    const Real v = edge(at, b, side);
    if (!(v > 0)) return 0;
    const mac::Domain& d = flow.domain;
    Index next[3], high[3], low[3];
    moved(at, b, 2 * side - 1, next), moved(at, b, side, high), moved(high, axis, -1, low);
    const Index beyond = face_row(d, axis, next);
    const Real other = beyond >= 0 ? u[flow.first[axis] + beyond]
                       : moves     ? d.boundary_velocity[b][side][axis]
                                   : Real(0);
    const Index up = face_row(d, b, high), down = face_row(d, b, low);
    const Real across =
        up >= 0 && down >= 0 ? u[flow.first[b] + up] - u[flow.first[b] + down] : Real(0);
    return v * ((own - other) + (side ? -across : across));
  }
};

struct Begin {
  Row row;
  const Real* u;
  Real *inverse, *r, *p;

  RTSIM_HD void operator()(Index f) const {
    const mac::Domain& d = row.flow.domain;
    const Index nx = d.count(row.axis, 0), ny = d.count(row.axis, 1);
    const Index at[3] = {f % nx, f / nx % ny, f / nx / ny}, i = row.flow.first[row.axis] + f;
    inverse[i] = r[i] = p[i] = 0;
    const Real v = row.flow.volumes.face[row.axis][f];
    if (!(v > 0)) return;
    inverse[i] = 1 / row.diagonal(at);
    r[i] = v * u[i] - row.times(u, at, true);
    p[i] = inverse[i] * r[i];
  }
};

struct Multiply {
  Row row;
  const Real *inverse, *p;
  Real* q;

  RTSIM_HD double operator()(Index f) const {
    const mac::Domain& d = row.flow.domain;
    const Index nx = d.count(row.axis, 0), ny = d.count(row.axis, 1);
    const Index at[3] = {f % nx, f / nx % ny, f / nx / ny}, i = row.flow.first[row.axis] + f;
    q[i] = inverse[i] > 0 ? row.times(p, at, false) : Real(0);
    return double(p[i]) * double(q[i]);
  }
};

struct SumOf {
  const Real *inverse, *r;

  RTSIM_HD CgSums operator()(Index i) const {
    return {double(inverse[i]) * double(r[i]) * double(r[i]), r[i] < 0 ? -r[i] : r[i]};
  }
};
struct Advance {
  Real alpha;
  const Real *p, *q;
  Real *u, *r;
  SumOf sum;

  RTSIM_HD CgSums operator()(Index i) const {
    u[i] += alpha * p[i], r[i] -= alpha * q[i];
    return sum(i);
  }
};
struct Join {
  RTSIM_HD CgSums operator()(const CgSums& a, const CgSums& b) const {
    return {a.rz + b.rz, a.greatest < b.greatest ? b.greatest : a.greatest};
  }
};
struct Turn {
  Real beta;
  const Real *inverse, *r;
  Real* p;

  RTSIM_HD void operator()(Index i) const { p[i] = inverse[i] * r[i] + beta * p[i]; }
};

constexpr const char* label = "flip.viscosity";

}  // namespace

void face_volumes(const Exec& ex, const mac::Domain& d, int axis, const mac::Walls& walls,
                  Span<const Real> surface, Span<const std::uint8_t> known, Span<Real> u,
                  Span<Real> out) {
  mac::for_rows(ex, label, d, axis,
                FaceVolumes{d, axis, {walls}, surface.data, known.data, u.data, out.data});
}

void cell_volumes(const Exec& ex, const mac::Domain& d, const mac::Walls& walls, const Volumes& v,
                  Span<Real> out) {
  mac::for_rows(ex, label, d, mac::centres, CellVolumes{{d, {walls}, v}, out.data});
}

void edge_volumes(const Exec& ex, const mac::Domain& d, int axis, const mac::Walls& walls,
                  bool sticks, const Volumes& v, Span<Real> out) {
  parallel_for(ex, label, edge_rows(d, axis), EdgeVolumes{{d, {walls}, v}, axis, sticks, out.data});
}

void begin(const Exec& ex, const ViscousFlow& flow, int axis, Span<const Real> u,
           Span<Real> inverse, Span<Real> r, Span<Real> p) {
  parallel_for(ex, label, flow.domain.rows(axis),
               Begin{{flow, axis}, u.data, inverse.data, r.data, p.data});
}

double multiply(const Exec& ex, const ViscousFlow& flow, int axis, Span<const Real> inverse,
                Span<const Real> p, Span<Real> q) {
  return reduce(ex, label, flow.domain.rows(axis), 0.0,
                Multiply{{flow, axis}, inverse.data, p.data, q.data}, Plus{});
}

CgSums sums(const Exec& ex, Span<const Real> inverse, Span<const Real> r) {
  return reduce(ex, label, r.size, CgSums{}, SumOf{inverse.data, r.data}, Join{});
}

CgSums advance(const Exec& ex, Real alpha, Span<const Real> inverse, Span<const Real> p,
               Span<const Real> q, Span<Real> u, Span<Real> r) {
  return reduce(ex, label, r.size, CgSums{},
                Advance{alpha, p.data, q.data, u.data, r.data, {inverse.data, r.data}}, Join{});
}

void turn(const Exec& ex, Real beta, Span<const Real> inverse, Span<const Real> r, Span<Real> p) {
  parallel_for(ex, label, r.size, Turn{beta, inverse.data, r.data, p.data});
}

}  // namespace rtsim::flip
