#pragma once
#include "rigid/motion/motion.h"
#include "rigid/motion/slender.h"

// What contacts did to a body, read off its velocities.
namespace rtsim::rigid {

template <int D>
RTSIM_HD SolverBody<D, Real> solver_body_at(const Row4* solver_bodies, Index i) {
  SolverBody<D, Real> m;
  const Index first = solver_body_rows<D> * i;
  load_solver_body(solver_bodies, &first, m);
  return m;
}

// What moments are to impulses: what those cannot turn has none.
template <class T>
RTSIM_HD T turnable(const T& moment) {
  return select_less(T(Real(0)), inverse_or_zero(moment), moment, T(Real(0)));
}
// I w.
template <class T>
RTSIM_HD VecT<T, 1> spin(const VecT<T, 2>&, const VecT<T, 1>& moments, const VecT<T, 1>& w) {
  return {{turnable(moments[0]) * w[0]}};
}
template <class T>
RTSIM_HD VecT<T, 3> spin(const VecT<T, 4>& q, const VecT<T, 3>& moments, const VecT<T, 3>& w) {
  VecT<T, 3> b = turned(back(q), w);
  for (int a = 0; a < 3; ++a) b[a] *= turnable(moments[a]);
  return turned(q, b);
}

template <int D, class T>
RTSIM_HD void collect(const SolverBody<D, T>& m, const VecT<T, D == 2 ? 2 : 4>& q,
                      const VecT<T, D == 2 ? 1 : 3>& moments, Push<D, T>& push) {
  push.velocity = push.velocity + (m.twist.velocity - push.since.velocity);
  push.angular =
      push.angular + spin(q, regularised_inertia(moments), m.twist.angular - push.since.angular);
}

}  // namespace rtsim::rigid
