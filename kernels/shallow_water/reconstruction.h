#pragma once
#include "shallow_water/flow.h"

namespace rtsim::shallow_water {

// Half the slope of a cell is `half_cell` times this, from the steps a to the cell below and b to
// the one above: the generalised minmod limiter, theta = 1.5 (van Leer, "Towards the ultimate
// conservative difference scheme V", J. Comput. Phys. 32, 1979; Kurganov & Tadmor, J. Comput. Phys.
// 160, 2000, eq. 4.9). theta < 2 keeps the depth of a face above a quarter of the cell's.
template <class T>
RTSIM_HD inline T limited(T a, T b) {
  const T centred = (a + b) * T(Real(1.0 / 3)), none = T(0);
  return min(max(centred, min(max(a, b), none)), max(min(a, b), none));
}
constexpr Real half_cell = Real(0.75);

// What a column is and by how much it differs from one to the next: depth h, surface w, velocity
// (u, v).
template <class T>
struct Fields {
  T h, w, u, v;
};

template <class T>
RTSIM_HD inline Fields<T> limited_steps(const Fields<T>& below, const Fields<T>& here,
                                        const Fields<T>& above) {
  return {limited(here.h - below.h, above.h - here.h), limited(here.w - below.w, above.w - here.w),
          limited(here.u - below.u, above.u - here.u), limited(here.v - below.v, above.v - here.v)};
}

// A column as it is at the face above it (by = half_cell) or below it (-half_cell).
template <class T>
RTSIM_HD inline Fields<T> at_face(const Fields<T>& q, const Fields<T>& step, T by) {
  return {fma(by, step.h, q.h), fma(by, step.w, q.w), fma(by, step.u, q.u), fma(by, step.v, q.v)};
}

// The column half a step on, from its limited steps along x and z and f = dt / spacing:
//   h_t = -(u h_x + h u_x + v h_z + h v_z),  u_t = -(u u_x + v u_z + g w_x),  v_t likewise:
// the predictor of the MUSCL-Hancock method (van Leer, "On the relation between the upwind-
// differencing schemes of Godunov, Engquist-Osher and Roe", SIAM J. Sci. Stat. Comput. 5, 1984;
// for water over ground Zhou et al., "The surface gradient method", J. Comput. Phys. 168, 2001,
// eqs. 27-29). A level surface at rest stays as it is, to the last bit. The depth changes by a
// quarter up and a fifth down at most, so that no face runs dry or gives more than its cell has.
template <class T>
RTSIM_HD inline Fields<T> half_a_step_on(const Fields<T>& q, const Fields<T>& x, const Fields<T>& z,
                                         T f, T g) {
  const T back = T(-half_cell) * f;
  const T flow = fma(q.u, x.h, q.h * x.u) + fma(q.v, z.h, q.h * z.v);
  const T dh = max(min(back * flow, T(Real(0.25)) * q.h), T(Real(-0.2)) * q.h);
  return {q.h + dh, q.w + dh, fma(back, fma(q.u, x.u, fma(q.v, z.u, g * x.w)), q.u),
          fma(back, fma(q.u, x.v, fma(q.v, z.v, g * z.w)), q.v)};
}

// Force of the ground within a cell over density, times the spacing, per limited step of the
// surface; q is the column half a step on.
template <class T>
RTSIM_HD inline T weight(const Fields<T>& q, T g) {
  return T(-2 * half_cell) * g * q.h;
}

}  // namespace rtsim::shallow_water
