#pragma once
#include "base/vec.h"
#include "exec/span.h"
#include "lanes/row4.h"

namespace rtsim::mass_spring {

// One spring of each of eight consecutive points, as these see it. Lane l is of point 8 s + l of
// slice s; where that point has no more springs, its other end is itself, and all else zero.
struct Slot {
  Index other[lane_count];
  Real stiffness[lane_count];  // k [N/m]
  Real rest[lane_count];       // l0 [m]
};

// The springs of slice s are slots[first[s]] to slots[first[s + 1] - 1]: every spring twice, once
// for each end, so that points gather their own forces.
struct Network {
  Span<const Index> first;
  Span<const Slot> slots;
  Real damping;  // c of every spring [N s/m]
};

// What a kernel of single points walks over.
struct Half {
  Index other;
  Real stiffness, rest;
};
RTSIM_HD inline Index first_slot(const Network& n, Index i) { return n.first[i / lane_count]; }
RTSIM_HD inline Index end_slot(const Network& n, Index i) { return n.first[i / lane_count + 1]; }
RTSIM_HD inline Half half_of(const Network& n, Index slot, Index i) {
  const Slot& s = n.slots[slot];
  const Index l = i % lane_count;
  return {s.other[l], s.stiffness[l], s.rest[l]};
}

// The points: a held one has inverse mass 0.
struct Points {
  Span<const Real> mass, inverse_mass;  // [kg], [1/kg]
  Span<Vec<3>> position, velocity;      // [m], [m/s]
};

// What acts besides springs: v' = gravity - drag v.
struct Field {
  Vec<3> gravity;  // [m/s^2]
  Real drag;       // [1/s]
};

RTSIM_HD inline Vec<3> vec(const Row4& r) { return {{r.x, r.y, r.z}}; }
RTSIM_HD inline Row4 row(const Vec<3>& v) { return {v[0], v[1], v[2], 0}; }

}  // namespace rtsim::mass_spring
