#include "exec/parallel.h"
#include "flip/viscous_rows.h"
#include "mac/for_rows.h"
#include "mac/wall_law.h"

namespace rtsim::flip {

namespace {

struct FaceVolumes {
  WallFaces faces;
  int axis;
  const Real* surface;
  const std::uint8_t* known;
  Real *u, *out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const mac::Domain& d = faces.domain;
    const Index at[3] = {i, j, k}, r = d.row(axis, i, j, k);
    const bool closed = faces.walls.open[axis][r] == 0 || faces.in_wall(axis, at, r);
    out[r] = 0;
    if (closed) u[r] = faces.walls.velocity[axis][r];
    if (closed || on_seam(d, axis, at) || !known[r]) return;
    Index below[3];
    moved(at, axis, -1, below);
    Index low = cell_row(d, below, axis), high = cell_row(d, at, axis);
    low = low < 0 ? high : low, high = high < 0 ? low : high;
    out[r] = liquid_share(Real(0.5) * (surface[low] + surface[high]), d.spacing) *
             faces.fluid(faces.clearance(axis, r));
  }
};

struct CellVolumes {
  WallFaces faces;
  const Real* surface;
  Real* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const mac::Domain& d = faces.domain;
    const Index at[3] = {i, j, k}, c = d.row(mac::centres, i, j, k);
    const Real liquid = liquid_share(surface[c], d.spacing);
    out[c] = 0;
    if (liquid == 0) return;
    Real friction = 1, clearance = 0;
    bool outside = false;
    for (int a = 0; a < d.dims; ++a) {
      Index next[3];
      moved(at, a, 1, next);
      const Index low = face_row(d, a, at), high = face_row(d, a, next);
      const Real own = faces.clearance(a, low), other = faces.clearance(a, high);
      const bool low_in = faces.in_wall(a, at, low), high_in = faces.in_wall(a, next, high);
      outside = outside || !low_in || !high_in, clearance += own + other;
      if (low_in == high_in || !faces.stick) continue;
      const Real holds = low_in ? mac::friction_share(other, own) : mac::friction_share(own, other);
      friction = holds > friction ? holds : friction;
    }
    if (!outside) return;
    out[c] = liquid * (faces.stick ? friction : faces.fluid(clearance / Real(2 * d.dims)));
  }
};

struct EdgeVolumes {
  WallFaces faces;
  int axis;
  const Real* surface;
  const Real* u[3];
  Real viscosity;
  Real* out;

  // What walls leave of the friction at an edge: of the pairs of faces across it.
  struct Share {
    Real friction = 1, clearance = 0;
    int count = 0;
    bool outside = false;  // whether a face is outside of walls
  };
  RTSIM_HD void pair(const Index (&at)[3], int a, int b, Share& s) const {
    const mac::Domain& d = faces.domain;
    Index below[3];
    moved(at, b, -1, below);
    const Index low = face_row(d, a, below), high = face_row(d, a, at);
    if (low < 0 && high < 0) return;
    if (low < 0 || high < 0) {  // half an edge, and half the way to the side
      const bool stuck = d.condition[b][high < 0] == mac::BoundaryCondition::no_slip;
      const Index row = low < 0 ? high : low;
      const Real(&side)[3] = d.boundary_velocity[b][high < 0];
      const Real aside = (low < 0 ? along(at, a) : along(below, a)) - side[axis];
      s.friction = stuck ? 2 * held(u[a][row] - side[a], aside, Real(0.5)) : Real(0);
      s.outside =
          s.outside || !(low < 0 ? faces.in_wall(a, at, row) : faces.in_wall(a, below, row));
      return;
    }
    const Real own = faces.clearance(a, low), other = faces.clearance(a, high);
    s.clearance += own + other, s.count += 2;
    const bool low_in = faces.in_wall(a, below, low), high_in = faces.in_wall(a, at, high);
    s.outside = s.outside || !low_in || !high_in;
    if (low_in == high_in || !faces.stick) return;
    const Real holds = low_in ? mac::friction_share(other, own) : mac::friction_share(own, other);
    const Real aside = along(at, a) - along(below, a);
    const Real share = holds * held(u[a][low] - u[a][high], aside, 1 / holds);
    s.friction = share > s.friction ? share : s.friction;
  }
  // What is turbulent beside a wall gives more to it, by its speed past the wall, of which the
  // edge's own direction has a part, `way` cells off.
  RTSIM_HD Real held(Real past, Real aside, Real way) const {
    const Real speed = std::sqrt(past * past + aside * aside);
    return mac::wall_friction(speed, way * faces.domain.spacing, viscosity);
  }
  // The velocity along the edge where a face across `a` is beside it.
  RTSIM_HD Real along(const Index (&face)[3], int a) const {
    if (faces.domain.dims == 2) return 0;
    Real sum = 0;
    for (Index back = 0; back < 2; ++back)
      for (Index ahead = 0; ahead < 2; ++ahead) {
        Index cell[3], f[3];
        moved(face, a, -back, cell), moved(cell, axis, ahead, f);
        if (const Index r = face_row(faces.domain, axis, f); r >= 0) sum += u[axis][r] / 4;
      }
    return sum;
  }
  // Of the four cells about the edge, as far as they are there.
  RTSIM_HD Real distance(const Index (&at)[3], int a, int b) const {
    const mac::Domain& d = faces.domain;
    Real sum = 0;
    int count = 0;
    for (Index back_a = 0; back_a < 2; ++back_a)
      for (Index back_b = 0; back_b < 2; ++back_b) {
        Index cell[3], q[3];
        moved(at, a, -back_a, cell), moved(cell, b, -back_b, q);
        if (d.periodic(a)) q[a] = (q[a] + d.cells[a]) % d.cells[a];
        if (q[a] < 0 || q[a] >= d.cells[a]) continue;
        if (const Index c = cell_row(d, q, b); c >= 0) sum += surface[c], ++count;
      }
    return sum / Real(count);
  }
  RTSIM_HD void operator()(Index r) const {
    const mac::Domain& d = faces.domain;
    const Index nx = edges_along(d, axis, 0), ny = edges_along(d, axis, 1);
    const Index at[3] = {r % nx, r / nx % ny, r / nx / ny};
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    const Real liquid = liquid_share(distance(at, a, b), d.spacing);
    out[r] = 0;
    if (liquid == 0) return;
    Share s;
    pair(at, a, b, s), pair(at, b, a, s);
    if (!s.outside) return;
    const bool cut = !faces.stick && s.count > 0;
    out[r] = liquid * s.friction * (cut ? faces.fluid(s.clearance / Real(s.count)) : Real(1));
  }
};

constexpr const char* label = "flip.viscosity";

}  // namespace

void face_volumes(const Exec& ex, const ViscousFlow& flow, int axis, Span<const std::uint8_t> known,
                  Span<Real> u, Span<Real> out) {
  mac::for_rows(ex, label, flow.domain, axis,
                FaceVolumes{{flow.domain, flow.walls, flow.sticks},
                            axis,
                            flow.surface,
                            known.data,
                            u.data,
                            out.data});
}

void cell_volumes(const Exec& ex, const ViscousFlow& flow, Span<Real> out) {
  mac::for_rows(ex, label, flow.domain, mac::centres,
                CellVolumes{{flow.domain, flow.walls, flow.sticks}, flow.surface, out.data});
}

void edge_volumes(const Exec& ex, const ViscousFlow& flow, int axis, Span<const Real> u,
                  double viscosity, Span<Real> out) {
  EdgeVolumes law{
      {flow.domain, flow.walls, flow.sticks}, axis, flow.surface, {}, Real(viscosity), out.data};
  for (int a = 0; a < flow.domain.dims; ++a) law.u[a] = u.data + flow.first[a];
  parallel_for(ex, label, edge_rows(flow.domain, axis), law);
}

}  // namespace rtsim::flip
