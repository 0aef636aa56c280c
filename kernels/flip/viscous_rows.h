#pragma once
#include "flip/viscosity.h"

// Places on the staggered grid, for the kernels of viscosity.
namespace rtsim::flip {

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
// The last face along a periodic axis is the first.
RTSIM_HD inline bool on_seam(const mac::Domain& d, int axis, const Index (&at)[3]) {
  return d.periodic(axis) && at[axis] == d.cells[axis];
}
RTSIM_HD inline void moved(const Index (&at)[3], int axis, Index by, Index (&to)[3]) {
  for (int a = 0; a < 3; ++a) to[a] = at[a] + (a == axis ? by : 0);
}

// What walls make of faces. Where the liquid sticks, closed faces and those with their middle in a
// wall have the velocity of the wall. Where it slips none has but those of the domain's sides:
// what keeps liquid out of walls is the volume of the cells that they cut, and V is what they
// leave.
struct WallFaces {
  mac::Domain domain;
  mac::Walls walls;
  bool stick;

  RTSIM_HD Real clearance(int axis, Index r) const {
    return walls.clearance[axis].size > 0 ? walls.clearance[axis][r] : domain.spacing;
  }
  RTSIM_HD bool in_wall(int axis, const Index (&at)[3], Index r) const {
    if (stick) return mac::sticks(walls.open[axis][r], clearance(axis, r));
    const bool at_side = at[axis] == 0 || at[axis] == domain.cells[axis];
    return walls.open[axis][r] == 0 && at_side && !domain.periodic(axis);
  }
  // Of the cube about a place.
  RTSIM_HD Real fluid(Real clearance) const {
    const Real share = mac::fluid_share(clearance, domain.spacing);
    return share > 0 ? share : Real(0);
  }
};

// Of the cube of side h about a place, as much as a surface at a distance leaves [m].
RTSIM_HD inline Real liquid_share(Real surface, Real spacing) {
  const Real part = Real(0.5) - surface / spacing;
  return part > 0 ? part < 1 ? part : Real(1) : Real(0);
}

// How much of what fluid there is in a cell is liquid; 0 of cells that are not in flow.cells.
RTSIM_HD inline Real pressed(const ViscousFlow& flow, Index c) {
  return flow.volumes.cell[c] > 0 ? liquid_share(flow.surface[c], flow.domain.spacing) : Real(0);
}

// Where a row of one of the components is.
struct Face {
  int axis;
  Index row, at[3];

  RTSIM_HD static Face of(const ViscousFlow& flow, Index i) {
    const int axis = (i >= flow.first[1]) + (flow.domain.dims == 3 && i >= flow.first[2]);
    const Index r = i - flow.first[axis];
    const Index nx = flow.domain.count(axis, 0), ny = flow.domain.count(axis, 1);
    return {axis, r, {r % nx, r / nx % ny, r / nx / ny}};
  }
};

RTSIM_HD inline Index row_of(const ViscousFlow& flow, Index place) {
  const Index n = flow.unknowns.size;
  return place < n ? flow.unknowns[place] : flow.in_solids[place - n];
}

// Of a row of A: a of the face `row` across an axis; or -1 outside, beyond a side of the domain
// along `b` that has its own velocity.
struct Entry {
  int slot, axis;
  Index row;
  double a;
  int b;
  Index side;
};

// A row of A, (A u)_f = own u_f + sum over other faces of a u: in double, since what a liquid that
// moves as one adds up to here is to be nothing beside k.
struct Row {
  const ViscousFlow& flow;
  const Face& face;

  // other(Entry) of all other faces. Returns a of the face itself.
  template <class Other>
  RTSIM_HD double entries(const Other& other) const {
    const mac::Domain& d = flow.domain;
    const int axis = face.axis;
    const double k = flow.k, bulk = flow.bulk, open = flow.walls.open[axis][face.row];
    double own = flow.volumes.face[axis][face.row], press[2];
    int slot = 0;
    for (Index side = 0; side < 2; ++side) {
      Index cell[3], next[3];
      moved(face.at, axis, side - 1, cell), moved(face.at, axis, 2 * side - 1, next);
      const Index c = cell_row(d, cell, axis);
      const double v = c < 0 ? 0 : k * flow.volumes.cell[c];
      press[side] = c < 0 ? 0 : bulk * k * pressed(flow, c) * open;
      own += 2 * v + press[side] * open;
      if (v > 0) {
        const Index r = face_row(d, axis, next);
        other(Entry{slot, axis, r, -2 * v - press[side] * flow.walls.open[axis][r], 0, 0});
      }
      ++slot;
    }
    for (int b = 0; b < d.dims; ++b)
      for (Index side = 0; side < 2 && b != axis; ++side, slot += 3)
        own += across(b, side, press, slot, other);
    return own;
  }

 private:
  // Over the edge at a side along b: the face beyond, and the two faces across b beside it.
  template <class Other>
  RTSIM_HD double across(int b, Index side, const double (&press)[2], int slot,
                         const Other& other) const {
    const mac::Domain& d = flow.domain;
    const int axis = face.axis, along = 3 - axis - b;
    Index next[3], high[3], low[3];
    moved(face.at, b, side, high);
    const double v = double(flow.k) * flow.volumes.edge[along][edge_row(d, along, high)];
    if (v == 0 && press[0] == 0 && press[1] == 0) return 0;
    moved(face.at, b, 2 * side - 1, next), moved(high, axis, -1, low);
    const Index rows[2] = {face_row(d, b, low), face_row(d, b, high)};
    const bool both = rows[0] >= 0 && rows[1] >= 0;
    if (v > 0) other(Entry{slot, axis, face_row(d, axis, next), -v, b, side});
    for (int s = 0; s < 2; ++s) {
      const double sign = (side == 1) == (s == 0) ? 1 : -1;
      const Index r = rows[s];
      if (r < 0) continue;
      const double a = (both ? v : 0.0) + press[s] * flow.walls.open[b][r];
      if (a > 0) other(Entry{slot + 1 + s, b, r, sign * a, 0, 0});
    }
    return v;
  }
};

// What flows out of a cell [m/s], as the pressure has it (mac::divergence): velocity(a, r) of the
// open part of faces, and what walls in the closed parts do where `with_walls`.
template <class Velocity>
RTSIM_HD Real outflow(const ViscousFlow& flow, Index c, bool with_walls, const Velocity& velocity) {
  const mac::Domain& d = flow.domain;
  const Index at[3] = {c % d.cells[0], c / d.cells[0] % d.cells[1], c / d.cells[0] / d.cells[1]};
  Real sum = 0;
  for (int a = 0; a < d.dims; ++a)
    for (Index side = 0; side < 2; ++side) {
      Index f[3];
      moved(at, a, side, f);
      const Index r = face_row(d, a, f);
      const Real open = flow.walls.open[a][r];
      const Real closed = with_walls ? (1 - open) * flow.walls.velocity[a][r] : Real(0);
      const Real flux = open * velocity(a, r) + closed;
      sum += side ? flux : -flux;
    }
  return sum + (flow.moved ? flow.moved[c] : Real(0));
}
// S (bulk k outflow - c q), what a cell takes from the velocity of faces behind it, and gives to
// that of faces before it.
RTSIM_HD inline Real cell_stress(const ViscousFlow& flow, Index c, Real outflow, Real pressure) {
  return pressed(flow, c) * (flow.bulk * flow.k * outflow - flow.c * pressure);
}

}  // namespace rtsim::flip
