#pragma once
#include <string>
#include <vector>

#include "rigid/body.h"
#include "stage/stage.h"
#include "world/table.h"

namespace rtsim {

// The columns that kernels take. They die when rows change.
template <int D>
rigid::Bodies<D> body_view(Table& t) {
  return {t.column<Vec<D>>("position"), t.column<rigid::Orientation<D>>("orientation"),
          t.column<Vec<D>>("velocity"), t.column<rigid::Angular<D>>("angular_velocity"),
          t.column<const Real>("mass"), t.column<const rigid::Angular<D>>("inertia")};
}

template <int D>
rigid::BodyStates<D> body_states(Table& t) {
  return {t.column<const Vec<D>>("position"), t.column<const rigid::Orientation<D>>("orientation"),
          t.column<const Vec<D>>("velocity"), t.column<const rigid::Angular<D>>("angular_velocity"),
          t.column<const Real>("mass"),       t.column<const rigid::Angular<D>>("inertia")};
}

// An angular velocity or a torque in space; in the plane about z.
inline Vec3d turning_of(const rigid::Angular<2>& w) { return {{0, 0, double(w[0])}}; }
inline Vec3d turning_of(const rigid::Angular<3>& w) { return widen(w); }

// Series of where each body with a name of its own is: <bodies>.<name>.position.x and so on [m].
void measure_named(World&, const std::string& bodies, std::vector<Measurement>&);

}  // namespace rtsim
