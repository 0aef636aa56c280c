#pragma once
#include "shallow_water/flow.h"

namespace rtsim::shallow_water {

// Half the slope of a cell from the steps a to the cell below and b to the one above: the
// generalised minmod limiter, theta = 1.5 (van Leer, "Towards the ultimate conservative difference
// scheme V", J. Comput. Phys. 32, 1979; Kurganov & Tadmor, J. Comput. Phys. 160, 2000, eq. 4.9).
// theta < 2 keeps the depth of a face above a quarter of the cell's.
template <class T>
RTSIM_HD inline T half_slope(T a, T b) {
  const T centred = (a + b) * T(Real(1.0 / 3)), none = T(0);
  const T rise = min(min(a, b), centred), fall = max(max(a, b), centred);
  return T(Real(0.75)) * (max(rise, none) + min(fall, none));
}

// What a column is and by how much it differs, half a cell on: depth h, surface w, velocity (u, v).
template <class T>
struct Fields {
  T h, w, u, v;
};

template <class T>
RTSIM_HD inline Fields<T> half_slopes(const Fields<T>& below, const Fields<T>& here,
                                      const Fields<T>& above) {
  return {half_slope(here.h - below.h, above.h - here.h),
          half_slope(here.w - below.w, above.w - here.w),
          half_slope(here.u - below.u, above.u - here.u),
          half_slope(here.v - below.v, above.v - here.v)};
}

// The column half a step on, from its half slopes along x and z and f = dt / spacing:
//   h_t = -(u h_x + h u_x + v h_z + h v_z),  u_t = -(u u_x + v u_z + g w_x),  v_t likewise:
// the predictor of the MUSCL-Hancock method (van Leer, "On the relation between the upwind-
// differencing schemes of Godunov, Engquist-Osher and Roe", SIAM J. Sci. Stat. Comput. 5, 1984;
// for water over ground Zhou et al., "The surface gradient method", J. Comput. Phys. 168, 2001,
// eqs. 27-29). A level surface at rest stays as it is, to the last bit. The depth changes by a
// quarter up and a fifth down at most, so that no face runs dry or gives more than its cell has.
template <class T>
RTSIM_HD inline Fields<T> half_a_step_on(const Fields<T>& q, const Fields<T>& x, const Fields<T>& z,
                                         T f, T g) {
  const T flow = fma(q.u, x.h, fma(q.h, x.u, fma(q.v, z.h, q.h * z.v)));
  const T dh = max(min(T(0) - f * flow, T(Real(0.25)) * q.h), T(Real(-0.2)) * q.h);
  return {q.h + dh, q.w + dh, q.u - f * fma(q.u, x.u, fma(q.v, z.u, g * x.w)),
          q.v - f * fma(q.u, x.v, fma(q.v, z.v, g * z.w))};
}

}  // namespace rtsim::shallow_water
