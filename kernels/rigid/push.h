#pragma once
#include "rigid/motion.h"
#include "rigid/thin.h"

// What contacts did to a body, read off its velocities.
namespace rtsim::rigid {

template <int D>
RTSIM_HD Mover<D, Real> mover_at(const Row4* movers, Index i) {
  Mover<D, Real> m;
  const Index first = mover_rows<D> * i;
  load_mover(movers, &first, m);
  return m;
}

// I w of what has moments; what impulses cannot turn keeps none.
RTSIM_HD inline Angular<2> spin(const Orientation<2>&, const Angular<2>& moments,
                                const Angular<2>& w) {
  return {{inverse_or_zero(moments[0]) > 0 ? moments[0] * w[0] : Real(0)}};
}
RTSIM_HD inline Angular<3> spin(const Orientation<3>& q, const Angular<3>& moments,
                                const Angular<3>& w) {
  Vec<3> b = rotated_back(q, w);
  for (int a = 0; a < 3; ++a) b[a] *= inverse_or_zero(moments[a]) > 0 ? moments[a] : Real(0);
  return rotated(q, b);
}

template <int D>
RTSIM_HD void collect(const Mover<D, Real>& m, const Orientation<D>& q, const Angular<D>& moments,
                      Push<D>& push) {
  push.velocity = push.velocity + (m.twist.velocity - push.since.velocity);
  push.angular = push.angular + spin(q, felt(moments), m.twist.angular - push.since.angular);
}

}  // namespace rtsim::rigid
