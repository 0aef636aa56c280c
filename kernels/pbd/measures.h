#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

// Launchers for the series of meshes.
namespace rtsim::pbd {

struct Sums {
  double mass = 0;                         // [kg]
  double kinetic = 0;                      // [J]
  double potential = 0;                    // of gravity [J]
  double momentum[3] = {0, 0, 0};          // [kg m/s]
  double angular_momentum[3] = {0, 0, 0};  // about the origin [kg m^2/s]
};
Sums sums(const Exec&, Vec<3> gravity, Span<const Real> mass, Span<const Vec<3>> position,
          Span<const Vec<3>> velocity);

// Of |x1 - x0| / L - 1 over edges.
struct Strain {
  double sum = 0, squares = 0, greatest = -1;
};
Strain strain(const Exec&, Span<const Index> a, Span<const Index> b, Span<const Real> rest,
              Span<const Vec<3>> position);

// Volume of tets, about their first corners [m^3].
double volume(const Exec&, Span<const VecT<std::int32_t, 4>> tets, Span<const Vec<3>> position);

}  // namespace rtsim::pbd
