#pragma once
#include "base/vec.h"
#include "exec/span.h"

namespace rtsim::mass_spring {

// One end of a spring, as the point at that end sees it.
struct Half {
  Index other;
  Real stiffness;  // k [N/m]
  Real rest;       // l0 [m]
};

// The springs of every point: those of point i are halves[first[i]] to halves[first[i + 1] - 1].
struct Network {
  Span<const Index> first;
  Span<const Half> halves;
  Real damping;  // c of every spring [N s/m]
};

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

}  // namespace rtsim::mass_spring
