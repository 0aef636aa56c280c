#include "cloth_implicit/carry.h"

#include "exec/parallel.h"
#include "mass_spring/network.h"

namespace rtsim::cloth {

namespace {

using contact::ImpulseSum;
using contact::RigidMatrix;
using mass_spring::row;
using mass_spring::vec;

RTSIM_HD bool carries(const Carried& c, Index i) {
  return i < c.constraints.size && c.constraints[i].kind != ContactConstraint::Kind::none &&
         c.contacts[i].solid == c.solid;
}
RTSIM_HD Vec3d arm(const Carried& c, Index i) { return widen(c.position[i]) - c.centre; }
RTSIM_HD Vec3d along_held(const ContactConstraint& t, const Vec3d& v) {
  const Vec3d n = widen(t.normal);
  return t.kind == ContactConstraint::Kind::stuck ? v : dot(n, v) * n;
}

struct HeldPart {
  Carried c;
  Span<const Row4> r;
  RTSIM_HD ImpulseSum operator()(Index i) const {
    if (!carries(c, i)) return {};
    const Vec3d f = along_held(c.constraints[i], widen(vec(r[i])));
    return {f, cross(arm(c, i), f)};
  }
};

struct FrictionOf {
  Carried c;
  RTSIM_HD ImpulseSum operator()(Index i) const {
    if (!carries(c, i)) return {};
    const Vec3d f = widen(c.constraints[i].friction);
    return {f, cross(arm(c, i), f)};
  }
};

struct AddPushes {
  RTSIM_HD ImpulseSum operator()(const ImpulseSum& a, const ImpulseSum& b) const {
    return {a.impulse + b.impulse, a.moment + b.moment};
  }
};

struct Carry {
  Carried c;
  Vec3d linear, angular;
  Span<Row4> z;
  RTSIM_HD void operator()(Index i) const {
    if (!carries(c, i)) return;
    const Vec3d v = along_held(c.constraints[i], linear + cross(angular, arm(c, i)));
    z[i] = row(vec(z[i]) + narrow<3>(v));
  }
};

struct CarrySurface {
  Carried c;
  Vec3d linear, angular;
  Span<ContactConstraint> constraints;
  RTSIM_HD void operator()(Index i) const {
    if (c.contacts[i].solid != c.solid || !c.contacts[i].any()) return;
    constraints[i].velocity =
        constraints[i].velocity + narrow<3>(linear + cross(angular, arm(c, i)));
  }
};

struct CarriedBlocks {
  Carried c;
  block_cg::BlockMatrix A;
  RTSIM_HD RigidMatrix operator()(Index i) const {
    RigidMatrix sum;
    if (!carries(c, i)) return sum;
    const Mat3<Real> d = block_cg::diagonal_block(A, i);
    const Vec3d r = arm(c, i);
    if (c.constraints[i].kind == ContactConstraint::Kind::slides) {
      const Vec3d n = widen(c.constraints[i].normal);
      sum.add(double(dot(c.constraints[i].normal, d * c.constraints[i].normal)), r, n, n);
      return sum;
    }
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        Vec3d along, other;
        along[a] = 1, other[b] = 1;
        sum.add(double(d.row[a][b]), r, along, other);
      }
    return sum;
  }
};

}  // namespace

ImpulseSum held_part(const Exec& ex, const Carried& c, Span<const Row4> r) {
  return reduce(ex, "cloth.held_part", c.constraints.size, ImpulseSum{}, HeldPart{c, r},
                AddPushes{});
}

ImpulseSum friction_of(const Exec& ex, const Carried& c) {
  return reduce(ex, "cloth.friction_of", c.constraints.size, ImpulseSum{}, FrictionOf{c},
                AddPushes{});
}

void carry(const Exec& ex, const Carried& c, const Vec3d& linear, const Vec3d& angular,
           Span<Row4> z) {
  parallel_for(ex, "cloth.carry", c.constraints.size, Carry{c, linear, angular, z});
}

void carry_surface(const Exec& ex, const Carried& c, const Vec3d& linear, const Vec3d& angular,
                   Span<ContactConstraint> constraints) {
  parallel_for(ex, "cloth.carry_surface", constraints.size,
               CarrySurface{c, linear, angular, constraints});
}

RigidMatrix carried_blocks(const Exec& ex, const Carried& c, const block_cg::BlockMatrix& A) {
  return reduce(ex, "cloth.carried_blocks", c.constraints.size, RigidMatrix{}, CarriedBlocks{c, A},
                Plus{});
}

}  // namespace rtsim::cloth
