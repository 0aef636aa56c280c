#include "cloth_implicit/cloth_implicit.h"
#include "exec/parallel.h"

namespace rtsim::cloth {

namespace {

using block_cg::BlockMatrix;
using mass_spring::row;
using mass_spring::vec;

struct Assemble {
  Assembly k;

  RTSIM_HD Mat3<Real> block(Index slot) const {
    Mat3<Real> n{};
    for (Index e = k.parts.first[slot]; e < k.parts.first[slot + 1]; ++e) {
      const Index part = k.parts.triangles[e];
      const Mat3<Real>& add = k.elements.blocks[part / 8].n[part / 2 % 4];
      n = n + (part % 2 ? transposed(add) : add);
    }
    return k.parts.bends.size > 0 ? n + diagonal(k.parts.scale * k.parts.bends[slot]) : n;
  }

  RTSIM_HD void operator()(Index i) const {
    const Index l = i % lane_count;
    for (Index e = k.first[i / lane_count]; e < k.first[i / lane_count + 1]; ++e)
      k.blocks[e].set(l, block(e * lane_count + l));
    k.inertia[i] = i < k.points.mass.size ? (1 + k.h * k.drag) * k.points.mass[i] : Real(0);
  }
};

struct Precondition {
  BlockMatrix A;
  Points p;
  Span<const ContactConstraint> constraints;
  Span<Sym3Slot> to;
  Span<Row4> filter;
  RTSIM_HD void operator()(Index i) const {
    filter[i] = i < p.mass.size && p.inverse_mass[i] > 0 ? filter_row(i) : Row4{};
    to[i / lane_count].set(i % lane_count, i < p.mass.size ? filtered_inverse(i) : Sym3{});
  }
  RTSIM_HD Row4 filter_row(Index i) const {
    if (constraints.size == 0 || constraints[i].kind == ContactConstraint::Kind::none)
      return {0, 0, 0, 1};
    if (constraints[i].kind == ContactConstraint::Kind::stuck) return {};
    const Vec<3>& n = constraints[i].normal;
    return {n[0], n[1], n[2], 1};
  }
  RTSIM_HD Sym3 filtered_inverse(Index i) const {
    if (!(p.inverse_mass[i] > 0)) return {};
    const Sym3 own = symmetric(block_cg::diagonal_block(A, i));
    const ContactConstraint::Kind kind =
        constraints.size > 0 ? constraints[i].kind : ContactConstraint::Kind::none;
    if (kind == ContactConstraint::Kind::stuck) return {};
    return kind == ContactConstraint::Kind::slides ? inverse_across(own, constraints[i].normal)
                                                   : inverse(own);
  }
};

RTSIM_HD Vec<3> force_on(const Mesh& mesh, const Elements& from, Index i) {
  Vec<3> f{};
  for (Index e = mesh.first[i]; e < mesh.first[i + 1]; ++e) {
    const Index at = mesh.corners[e], corner = at % 3;
    const TriangleForces& t = from.forces[at / 3];
    f = f + (corner == 0 ? -(t.f1 + t.f2) : corner == 1 ? t.f1 : t.f2);
  }
  return f + from.bending.on(i);
}

struct RightHandSide {
  Mesh mesh;
  Elements elements;
  BlockMatrix A;
  Points p;
  Field field;
  Real h;
  Span<const Row4> v0;
  Span<Row4> b;
  RTSIM_HD void operator()(Index i) const {
    if (i >= p.mass.size) {
      b[i] = {};
      return;
    }
    const Vec<3> v = vec(v0[i]);
    Vec<3> sum = h * (force_on(mesh, elements, i) + p.mass[i] * (field.gravity - field.drag * v));
    const Index l = i % lane_count;
    for (Index e = A.first[i / lane_count]; e < A.first[i / lane_count + 1]; ++e)
      sum = sum - A.blocks[e][l] * (v - vec(v0[A.blocks[e].other[l]]));
    b[i] = row(sum - A.more.product(i, v0));
  }
};

struct FindGradient {
  Mesh mesh;
  Elements elements;
  Points p;
  Field field;
  Real h;
  Span<const ContactConstraint> constraints;
  Span<const Row4> v;
  Span<Row4> b;
  RTSIM_HD Gradient operator()(Index i) const {
    b[i] = {};
    if (i >= p.mass.size) return {};
    const Vec<3> v_i = vec(v[i]), dv = v_i - p.velocity[i];
    if (!(p.inverse_mass[i] > 0)) {
      b[i] =
          row(h * (force_on(mesh, elements, i) + p.mass[i] * (field.gravity - field.drag * v_i)));
      return {};
    }
    const Vec<3> friction = constraints.size > 0 ? constraints[i].friction : Vec<3>{};
    const Vec<3> g = p.mass[i] * (dv + h * (field.drag * v_i - field.gravity)) -
                     h * force_on(mesh, elements, i) - friction;
    b[i] = row(-g);
    const Vec<3> free = unconstrained(constraints, i, g);
    return {double(p.mass[i]) * (0.5 * double(dot(dv, dv)) +
                                 double(h) * (0.5 * double(field.drag) * double(dot(v_i, v_i)) -
                                              double(dot(field.gravity, v_i)))) -
                double(dot(friction, v_i)),
            double(p.inverse_mass[i]) * double(dot(free, free))};
  }
};
struct AddGradients {
  RTSIM_HD Gradient operator()(const Gradient& a, const Gradient& b) const {
    return {a.energy + b.energy, a.residual + b.residual};
  }
};

}  // namespace

void assemble(const Exec& ex, const Assembly& k) {
  parallel_for(ex, "cloth.assemble", k.inertia.size, Assemble{k});
}

void precondition(const Exec& ex, const BlockMatrix& A, const Points& p,
                  Span<const ContactConstraint> constraints, Span<Sym3Slot> to, Span<Row4> filter) {
  parallel_for(ex, "cloth.precondition", A.inertia.size,
               Precondition{A, p, constraints, to, filter});
}

void right_hand_side(const Exec& ex, const Mesh& mesh, const Elements& elements,
                     const BlockMatrix& A, const Points& p, const Field& field, Real h,
                     Span<const Row4> v0, Span<Row4> b) {
  parallel_for(ex, "cloth.right_side", b.size,
               RightHandSide{mesh, elements, A, p, field, h, v0, b});
}

Gradient gradient(const Exec& ex, const Mesh& mesh, const Elements& elements, const Points& p,
                  const Field& field, Real h, Span<const ContactConstraint> constraints,
                  Span<const Row4> v, Span<Row4> b) {
  return reduce(ex, "cloth.descend", b.size, Gradient{},
                FindGradient{mesh, elements, p, field, h, constraints, v, b}, AddGradients{});
}

}  // namespace rtsim::cloth
