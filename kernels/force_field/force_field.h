#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

namespace rtsim::force_field {

// Fields that add up, and where they act. A strength of zero leaves a field out.
struct Fields {
  Real constant[3] = {};                                               // [m/s^2]
  Real point_centre[3] = {}, point_strength = 0, point_softening = 0;  // [m], [m^3/s^2], [m]
  Real vortex_centre[3] = {}, vortex_axis[3] = {0, 0, 1};              // [m], of unit length
  Real vortex_strength = 0, vortex_softening = 0;                      // [m^2/s^2], [m]
  Real linear_centre[3] = {}, linear_rate2 = 0;                        // [m], k [1/s^2]
  int box_axes = 0;                                                    // none: no box
  Real box_min[3] = {}, box_max[3] = {};                               // [m]
  Real sphere_centre[3] = {}, sphere_radius = -1;                      // [m]; below zero: no sphere
};

// v += dt a(x), where the fields act. Returns the kinetic energy that this gave, sum of
// m (v' + v) (v' - v) / 2 [J]; where both masses are empty rows have unit mass [J/kg]. Rows without
// an inverse mass stay as they are, load += dt m a, which may be empty.
template <int D>
double push(const Exec&, const Fields&, Real dt, Span<const Vec<D>> position, Span<const Real> mass,
            Span<const Real> inverse_mass, Span<Vec<D>> velocity, Span<Vec<D>> load);

}  // namespace rtsim::force_field
