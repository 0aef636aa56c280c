#include "flip/viscosity.h"

#include "exec/parallel.h"
#include "exec/sort.h"
#include "flip/viscous_rows.h"

namespace rtsim::flip {

namespace {

struct HasLiquid {
  const Real* volume;
  Real* pressure;
  Index* flags;

  RTSIM_HD void operator()(Index c) const {
    flags[c] = volume[c] > 0;
    pressure[c] = volume[c] > 0 ? pressure[c] : Real(0);
  }
};

// A face in a wall has the wall's velocity, and that on a seam the one of the first. `walls`: those
// in solids.
struct IsListed {
  ViscousFlow flow;
  bool walls;
  Index* flags;

  RTSIM_HD bool at_side(const Face& f) const {
    return f.at[f.axis] == 0 || f.at[f.axis] == flow.domain.cells[f.axis];
  }
  RTSIM_HD void operator()(Index i) const {
    const Face f = Face::of(flow, i);
    flags[i] = 0;
    if (on_seam(flow.domain, f.axis, f.at)) return;
    const bool in_wall =
        WallFaces{flow.domain, flow.walls, flow.sticks}.in_wall(f.axis, f.at, f.row);
    if (in_wall != walls || (walls && !flow.domain.periodic(f.axis) && at_side(f))) return;
    flags[i] = Row{flow, f}.entries([](const Entry&) {}) > 0;
  }
};

// `before`: how many of those before each row are in the list.
struct Enter {
  Span<const Index> before;
  Index count;
  Index* list;

  RTSIM_HD void operator()(Index i) const {
    const Index next = i + 1 < before.size ? before[i + 1] : count;
    if (next > before[i]) list[before[i]] = i;
  }
};

struct Nowhere {
  Index* place;

  RTSIM_HD void operator()(Index i) const { place[i] = -1; }
};
struct Number {
  ViscousFlow flow;
  Index* place;

  RTSIM_HD void operator()(Index e) const { place[row_of(flow, e)] = e; }
};

struct Assemble {
  ViscousFlow flow;
  Index slots;
  Real* diagonal;
  EntrySlot* entries;

  RTSIM_HD void operator()(Index e) const {
    const Index l = e % lane_count;
    EntrySlot* const own = entries + e / lane_count * slots;
    for (Index s = 0; s < slots; ++s) own[s].other[l] = e, own[s].a[l] = 0;
    const Face f = Face::of(flow, row_of(flow, e));
    diagonal[e] = Real(Row{flow, f}.entries([&](const Entry& to) {
      const Index other = to.row < 0 ? Index(-1) : flow.place[flow.first[to.axis] + to.row];
      if (other >= 0) own[to.slot].other[l] = other, own[to.slot].a[l] = Real(to.a);
    }));
  }
};

// Of each cell with liquid, of what is no unknown: the pressure, walls and bodies.
struct GivenStress {
  ViscousFlow flow;
  const Real* pressure;

  RTSIM_HD void operator()(Index e) const {
    const Index c = flow.cells[e];
    const Real out = outflow(flow, c, true, [](int, Index) { return Real(0); });
    flow.stress[c] = cell_stress(flow, c, out, pressure[c]);
  }
};

struct Residual {
  ViscousFlow flow;
  const Real* before[3];
  const Real* u;
  Solution x;

  RTSIM_HD CgSums operator()(Index e) const {
    const Index i = row_of(flow, e);
    const Face f = Face::of(flow, i);
    double takes = 0;
    const double own = Row{flow, f}.entries([&](const Entry& to) {
      takes += to.a * double(to.row >= 0 ? u[flow.first[to.axis] + to.row]
                                         : flow.domain.boundary_velocity[to.b][to.side][f.axis]);
    });
    takes += own * double(u[i]);
    double stress = 0;
    for (Index side = 0; side < 2; ++side) {
      Index cell[3];
      moved(f.at, f.axis, side - 1, cell);
      const Index c = cell_row(flow.domain, cell, f.axis);
      if (c >= 0 && pressed(flow, c) > 0) stress += double(side ? -flow.stress[c] : flow.stress[c]);
    }
    const double v = flow.volumes.face[f.axis][f.row], open = flow.walls.open[f.axis][f.row];
    const Real r = Real(v * double(before[f.axis][f.row]) - open * stress - takes);
    const Real z = r / x.diagonal[e];
    const bool in_solid = e >= flow.unknowns.size;
    x.x[e] = 0, x.r[e] = r, x.p[e] = 0;
    if (in_solid) return {};
    return {double(z) * double(r), r < 0 ? -r : r};
  }
};

struct Multiply {
  ViscousFlow flow;
  const EntrySlot* entries;
  Index slots;
  Solution x;

  RTSIM_HD double operator()(Index e) const {
    const Index l = e % lane_count;
    const EntrySlot* const own = entries + e / lane_count * slots;
    Real q = x.diagonal[e] * x.p[e];
    for (Index s = 0; s < slots; ++s) q += own[s].a[l] * x.p[own[s].other[l]];
    if (flow.moved) q += of_bodies(e);
    x.q[e] = q;
    return e < flow.unknowns.size ? double(x.p[e]) * double(q) : 0;
  }
  RTSIM_HD Real of_bodies(Index e) const {
    const Face f = Face::of(flow, row_of(flow, e));
    Real stress = 0;
    for (Index side = 0; side < 2; ++side) {
      Index cell[3];
      moved(f.at, f.axis, side - 1, cell);
      const Index c = cell_row(flow.domain, cell, f.axis);
      if (c < 0 || flow.moved[c] == 0) continue;
      const Real s = cell_stress(flow, c, flow.moved[c], 0);
      stress += side ? -s : s;
    }
    return flow.walls.open[f.axis][f.row] * stress;
  }
};
struct Advance {
  Real alpha;
  Index unknowns;
  Solution x;

  RTSIM_HD CgSums operator()(Index e) const {
    const Real r = x.r[e] - alpha * x.q[e];
    x.x[e] += alpha * x.p[e], x.r[e] = r;
    if (e >= unknowns) return {};
    return {double(r / x.diagonal[e]) * double(r), r < 0 ? -r : r};
  }
};
struct UpdateDirection {
  Real beta;
  Solution x;

  RTSIM_HD void operator()(Index e) const { x.p[e] = x.r[e] / x.diagonal[e] + beta * x.p[e]; }
};
struct AddChange {
  ViscousFlow flow;
  const Real* x;
  Real* u;

  RTSIM_HD void operator()(Index e) const { u[row_of(flow, e)] += x[e]; }
};

struct Press {
  ViscousFlow flow;
  const Real* u;
  Real* pressure;

  RTSIM_HD FlowRates operator()(Index e) const {
    const mac::Domain& d = flow.domain;
    const Index c = flow.cells[e];
    const Index at[3] = {c % d.cells[0], c / d.cells[0] % d.cells[1], c / d.cells[0] / d.cells[1]};
    const Real out = outflow(flow, c, true, [&](int a, Index r) { return u[flow.first[a] + r]; });
    pressure[c] -= flow.bulk * flow.k / flow.c * out;
    double strain = 0;
    for (int a = 0; a < d.dims; ++a) {
      Index next[3];
      moved(at, a, 1, next);
      const Real* v = u + flow.first[a];
      const double rate = double(v[face_row(d, a, next)]) - double(v[face_row(d, a, at)]);
      strain += rate * rate;
    }
    const double liquid = double(pressed(flow, c));
    return {liquid * double(out) * double(out), double(flow.volumes.cell[c]) * strain};
  }
};

constexpr const char* label = "flip.viscosity";

Index enter(const Exec& ex, Span<Index> flags, Buffer<Index>& list) {
  const Index count = exclusive_scan(ex, label, flags, flags);
  list.resize(std::size_t(count));
  parallel_for(ex, label, flags.size, Enter{flags, count, list.data()});
  return count;
}
// Those of walls are worth their while where bodies yield.
Index solved_rows(const ViscousFlow& flow) { return flow.moved ? flow.rows() : flow.unknowns.size; }

}  // namespace

Index list_cells(const Exec& ex, Span<const Real> volume, Span<Real> pressure, Span<Index> scratch,
                 Buffer<Index>& list) {
  parallel_for(ex, label, volume.size, HasLiquid{volume.data, pressure.data, scratch.data});
  return enter(ex, scratch, list);
}

Index list_unknowns(const Exec& ex, const ViscousFlow& flow, Span<Index> scratch,
                    Buffer<Index>& list) {
  parallel_for(ex, label, scratch.size, IsListed{flow, false, scratch.data});
  return enter(ex, scratch, list);
}

Index list_in_solids(const Exec& ex, const ViscousFlow& flow, Span<Index> scratch,
                     Buffer<Index>& list) {
  parallel_for(ex, label, scratch.size, IsListed{flow, true, scratch.data});
  return enter(ex, scratch, list);
}

void number_rows(const Exec& ex, const ViscousFlow& flow, Span<Index> place) {
  parallel_for(ex, label, place.size, Nowhere{place.data});
  parallel_for(ex, label, flow.rows(), Number{flow, place.data});
}

void assemble(const Exec& ex, const ViscousFlow& flow, Span<Real> diagonal,
              Span<EntrySlot> entries) {
  parallel_for(ex, label, flow.rows(),
               Assemble{flow, entries_of_row(flow.domain), diagonal.data, entries.data});
}

CgSums find_residual(const Exec& ex, const ViscousFlow& flow, const mac::Velocity& before,
                     Span<const Real> u, Span<const Real> pressure, const Solution& x) {
  parallel_for(ex, label, flow.cells.size, GivenStress{flow, pressure.data});
  const Residual law{flow, {before.u[0].data, before.u[1].data, before.u[2].data}, u.data, x};
  return reduce(ex, label, flow.rows(), CgSums{}, law, Plus{});
}

double multiply(const Exec& ex, const ViscousFlow& flow, Span<const EntrySlot> entries,
                const Solution& x) {
  return reduce(ex, label, solved_rows(flow), 0.0,
                Multiply{flow, entries.data, entries_of_row(flow.domain), x}, Plus{});
}

CgSums advance(const Exec& ex, const ViscousFlow& flow, Real alpha, const Solution& x) {
  return reduce(ex, label, solved_rows(flow), CgSums{}, Advance{alpha, flow.unknowns.size, x},
                Plus{});
}

void update_direction(const Exec& ex, const ViscousFlow& flow, Real beta, const Solution& x) {
  parallel_for(ex, label, flow.unknowns.size, UpdateDirection{beta, x});
}

void add_change(const Exec& ex, const ViscousFlow& flow, const Solution& x, Span<Real> u) {
  parallel_for(ex, label, solved_rows(flow), AddChange{flow, x.x, u.data});
}

FlowRates press(const Exec& ex, const ViscousFlow& flow, Span<const Real> u, Span<Real> pressure) {
  return reduce(ex, label, flow.cells.size, FlowRates{}, Press{flow, u.data, pressure.data},
                Plus{});
}

}  // namespace rtsim::flip
