#include "cloth_implicit/carry.h"

#include "exec/parallel.h"
#include "mass_spring/network.h"

namespace rtsim::cloth {

namespace {

using contact::Push;
using contact::RigidMatrix;
using mass_spring::row;
using mass_spring::vec;

RTSIM_HD bool carries(const Carried& c, Index i) {
  return i < c.holds.size && c.holds[i].kind != Hold::Kind::none && c.touches[i].solid == c.solid;
}
RTSIM_HD Vec3d arm(const Carried& c, Index i) { return widen(c.position[i]) - c.centre; }
RTSIM_HD Vec3d along_held(const Hold& t, const Vec3d& v) {
  const Vec3d n = widen(t.normal);
  return t.kind == Hold::Kind::stuck ? v : dot(n, v) * n;
}

struct HeldPart {
  Carried c;
  Span<const Row4> r;
  RTSIM_HD Push operator()(Index i) const {
    if (!carries(c, i)) return {};
    const Vec3d f = along_held(c.holds[i], widen(vec(r[i])));
    return {f, cross(arm(c, i), f)};
  }
};

struct FrictionOf {
  Carried c;
  RTSIM_HD Push operator()(Index i) const {
    if (!carries(c, i)) return {};
    const Vec3d f = widen(c.holds[i].friction);
    return {f, cross(arm(c, i), f)};
  }
};

struct AddPushes {
  RTSIM_HD Push operator()(const Push& a, const Push& b) const {
    return {a.impulse + b.impulse, a.moment + b.moment};
  }
};

struct Carry {
  Carried c;
  Vec3d linear, angular;
  Span<Row4> z;
  RTSIM_HD void operator()(Index i) const {
    if (!carries(c, i)) return;
    const Vec3d v = along_held(c.holds[i], linear + cross(angular, arm(c, i)));
    z[i] = row(vec(z[i]) + narrow<3>(v));
  }
};

struct CarrySurface {
  Carried c;
  Vec3d linear, angular;
  Span<Hold> holds;
  RTSIM_HD void operator()(Index i) const {
    if (c.touches[i].solid != c.solid || !c.touches[i].any()) return;
    holds[i].velocity = holds[i].velocity + narrow<3>(linear + cross(angular, arm(c, i)));
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
    if (c.holds[i].kind == Hold::Kind::slides) {
      const Vec3d n = widen(c.holds[i].normal);
      sum.add(double(dot(c.holds[i].normal, d * c.holds[i].normal)), r, n, n);
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

Push held_part(const Exec& ex, const Carried& c, Span<const Row4> r) {
  return reduce(ex, "cloth.held_part", c.holds.size, Push{}, HeldPart{c, r}, AddPushes{});
}

Push friction_of(const Exec& ex, const Carried& c) {
  return reduce(ex, "cloth.friction_of", c.holds.size, Push{}, FrictionOf{c}, AddPushes{});
}

void carry(const Exec& ex, const Carried& c, const Vec3d& linear, const Vec3d& angular,
           Span<Row4> z) {
  parallel_for(ex, "cloth.carry", c.holds.size, Carry{c, linear, angular, z});
}

void carry_surface(const Exec& ex, const Carried& c, const Vec3d& linear, const Vec3d& angular,
                   Span<Hold> holds) {
  parallel_for(ex, "cloth.carry_surface", holds.size, CarrySurface{c, linear, angular, holds});
}

RigidMatrix carried_blocks(const Exec& ex, const Carried& c, const block_cg::BlockMatrix& A) {
  return reduce(ex, "cloth.carried_blocks", c.holds.size, RigidMatrix{}, CarriedBlocks{c, A},
                Plus{});
}

}  // namespace rtsim::cloth
