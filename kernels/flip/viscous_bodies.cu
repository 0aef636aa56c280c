#include "flip/viscous_bodies.h"

#include "exec/parallel.h"
#include "exec/segments.h"
#include "flip/viscous_rows.h"
#include "mac/face_of_solid.h"

namespace rtsim::flip {

namespace {

struct FindFace {
  ViscousFlow flow;
  mac::FaceOfSolid faces;
  SolidFace* out;

  RTSIM_HD void operator()(Index n) const {
    const Face f = Face::of(flow, flow.in_solids[n]);
    SolidFace s{faces.solid(f.axis, f.at), {}};
    faces.add_motion(f.axis, f.at, s.solid, 1, s.motion);
    out[n] = s;
  }
};

RTSIM_HD inline Real velocity(const poisson::Screw& v, const Real (&motion)[6]) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += v.v[i] * double(motion[i]);
  return Real(sum);
}

struct MoveFace {
  SolidRows rows;
  const poisson::Screw* motion;
  Real* p;

  RTSIM_HD void operator()(Index n) const {
    const SolidFace& f = rows.faces[n];
    p[n] = velocity(motion[f.solid], f.motion);
  }
};
// Of all terms of a cell.
struct MoveCell {
  SolidRows rows;
  const poisson::Screw* motion;
  const Index* solid_of_body;
  Real* moved;

  RTSIM_HD void operator()(Index group) const {
    const poisson::BodyTerms& t = rows.terms;
    const Index first = t.first_of_cell[group];
    Real sum = 0;
    for (Index e = first; e < t.first_of_cell[group + 1]; ++e)
      sum += velocity(motion[solid_of_body[t.terms[e].body]], t.terms[e].flow);
    moved[t.terms[first].cell] = sum;
  }
};

struct StressOfVelocity {
  ViscousFlow flow;
  poisson::BodyTerms terms;
  const Real *u, *pressure;

  RTSIM_HD void operator()(Index group) const {
    const Index c = terms.terms[terms.first_of_cell[group]].cell;
    const auto at = [&](int a, Index r) { return u[flow.first[a] + r]; };
    flow.stress[c] = cell_stress(flow, c, outflow(flow, c, true, at), pressure[c]);
  }
};
struct StressOfChange {
  ViscousFlow flow;
  poisson::BodyTerms terms;
  const Real* p;

  RTSIM_HD void operator()(Index group) const {
    const Index c = terms.terms[terms.first_of_cell[group]].cell;
    const auto at = [&](int a, Index r) {
      const Index place = flow.place[flow.first[a] + r];
      return place < 0 ? Real(0) : p[place];
    };
    flow.stress[c] = cell_stress(flow, c, outflow(flow, c, false, at), 0);
  }
};

struct RowEntry {
  ViscousFlow flow;
  SolidRows rows;
  const Real* value;
  double sign;

  RTSIM_HD poisson::Screw operator()(Index e) const {
    const Index entry = rows.entries[e], faces = rows.faces.size;
    poisson::Screw s;
    if (entry < faces) {
      const double v = double(value[flow.unknowns.size + entry]);
      for (int i = 0; i < 6; ++i) s.v[i] = v * double(rows.faces[entry].motion[i]);
    } else {
      const poisson::BodyTerm& t = rows.terms.terms[entry - faces];
      const double stress = sign * double(flow.stress[t.cell]);
      for (int i = 0; i < 6; ++i) s.v[i] = stress * double(t.flow[i]);
    }
    return s;
  }
};

struct OwnBlock {
  ViscousFlow flow;
  SolidRows rows;
  const Real* diagonal;
  const EntrySlot* entries;
  Index slots;

  RTSIM_HD static Block product(const double (&x)[6], const Real (&y)[6]) {
    Block b;
    for (int i = 0, n = 0; i < 6; ++i)
      for (int j = 0; j <= i; ++j, ++n) b.a[n] = x[i] * double(y[j]);
    return b;
  }
  RTSIM_HD Block operator()(Index e) const {
    const Index entry = rows.entries[e], faces = rows.faces.size;
    double x[6] = {};
    if (entry >= faces) {
      const poisson::BodyTerm& t = rows.terms.terms[entry - faces];
      const double s = double(cell_stress(flow, t.cell, 1, 0));
      for (int i = 0; i < 6; ++i) x[i] = s * double(t.flow[i]);
      return product(x, t.flow);
    }
    const Index n = flow.unknowns.size, row = n + entry, l = row % lane_count;
    const SolidFace& own = rows.faces[entry];
    for (int i = 0; i < 6; ++i) x[i] = double(diagonal[row]) * double(own.motion[i]);
    for (Index s = 0; s < slots; ++s) {
      const EntrySlot& slot = entries[row / lane_count * slots + s];
      const Index other = slot.other[l] - n;
      if (other < 0 || rows.faces[other].solid != own.solid) continue;
      for (int i = 0; i < 6; ++i) x[i] += double(slot.a[l]) * double(rows.faces[other].motion[i]);
    }
    return product(x, own.motion);
  }
};

constexpr const char* label = "flip.viscous_bodies";

Index groups(const poisson::BodyTerms& t) { return t.empty() ? 0 : t.first_of_cell.size - 1; }

}  // namespace

void find_solid_faces(const Exec& ex, const ViscousFlow& flow, const mac::SolidNodes& nodes,
                      Span<SolidFace> out) {
  const mac::FaceOfSolid faces = mac::FaceOfSolid::of(flow.domain, nodes, flow.walls);
  parallel_for(ex, label, out.size, FindFace{flow, faces, out.data});
}

void spread(const Exec& ex, const ViscousFlow& flow, const SolidRows& rows,
            Span<const poisson::Screw> motion, Span<const Index> solid_of_body, const Solution& x,
            Span<Real> moved) {
  parallel_for(ex, label, rows.faces.size, MoveFace{rows, motion.data, x.p + flow.unknowns.size});
  parallel_for(ex, label, groups(rows.terms),
               MoveCell{rows, motion.data, solid_of_body.data, moved.data});
}

void stress_of_velocity(const Exec& ex, const ViscousFlow& flow, const SolidRows& rows,
                        Span<const Real> u, Span<const Real> pressure) {
  parallel_for(ex, label, groups(rows.terms),
               StressOfVelocity{flow, rows.terms, u.data, pressure.data});
}

void stress_of_change(const Exec& ex, const ViscousFlow& flow, const SolidRows& rows,
                      const Solution& x) {
  parallel_for(ex, label, groups(rows.terms), StressOfChange{flow, rows.terms, x.p});
}

void sum_rows(const Exec& ex, const ViscousFlow& flow, const SolidRows& rows,
              Span<const Real> value, double sign, Span<poisson::Screw> out) {
  reduce_segments(ex, label, rows.first, poisson::Screw{}, RowEntry{flow, rows, value.data, sign},
                  Plus{}, out);
}

void own_blocks(const Exec& ex, const ViscousFlow& flow, const SolidRows& rows,
                Span<const Real> diagonal, Span<const EntrySlot> entries, Span<Block> out) {
  const OwnBlock law{flow, rows, diagonal.data, entries.data, entries_of_row(flow.domain)};
  reduce_segments(ex, label, rows.first, Block{}, law, Plus{}, out);
}

}  // namespace rtsim::flip
