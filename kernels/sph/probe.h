#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "neighbours/periodic_box.h"
#include "sph/cubic_spline.h"

// Launchers that look at a fluid from a fixed place.
namespace rtsim::sph {

// Sums over rows near x: of W p / rho and of W / rho; the pressure there is their ratio (Shepard's
// interpolation, which also holds on walls and at the surface).
struct PressureAt {
  double weighted = 0, weight = 0;
};
template <int D>
PressureAt pressure_at(const Exec&, const CubicSpline&, const PeriodicBox&, Vec<D> x,
                       Span<const Vec<D>> position, Span<const Real> density,
                       Span<const Real> pressure);

// The greatest distance along the unit vector `up` from x of rows within `radius` of that line
// [m]; -1e300 where there are none.
template <int D>
double height_at(const Exec&, const PeriodicBox&, Vec<D> x, Vec<D> up, Real radius,
                 Span<const Vec<D>> position);

// -sum_b weight_b F_b . n, n the normal into the fluid [N/m^(D-1)].
template <int D>
double force_on_gauge(const Exec&, Vec<D> normal, Span<const Real> weight,
                      Span<const Vec<D>> force);

}  // namespace rtsim::sph
