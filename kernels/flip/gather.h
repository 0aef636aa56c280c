#pragma once
#include "advection/sample.h"
#include "flip/runs.h"

// What particles give to a face: one text for a particle and for eight.
namespace rtsim::flip {

// max(1 - |off|, 0)
template <class T>
[[gnu::always_inline]] RTSIM_HD inline T hat(T off) {
  return greatest(T(Real(0)), T(Real(1)) - greatest(off, T(Real(0)) - off));
}

template <class T>
struct Given {
  T weight, momentum;
};

// `off`: x_p - x_f [cells].
template <int D, bool affine, class T>
[[gnu::always_inline]] RTSIM_HD inline void give(const Particles<D>& p, int axis, Index row,
                                                 const T (&off)[D], Given<T>& sum) {
  T w = hat(off[0]);
  for (int b = 1; b < D; ++b) w = w * hat(off[b]);
  T u = Rows<T>::load(p.u[axis] + row);
  if constexpr (affine)
    for (int b = 0; b < D; ++b) u = u - Rows<T>::load(p.affine[axis][b] + row) * off[b];
  sum.weight = sum.weight + w;
  sum.momentum = sum.momentum + w * u;
}

struct GatheredFace {
  Real u;
  Known known;
};
// Weights below this are of particles that all but leave the face out.
RTSIM_HD inline GatheredFace face_of(Real weight, Real momentum) {
  const bool near = weight > Real(1e-6);
  return {near ? momentum / weight : Real(0), near ? reached : unknown};
}

// The CPU-shaped form: eight particles at once.
template <int D>
void gather_lines(const Exec&, const mac::Domain&, int axis, const Particles<D>&, Span<Real> u,
                  Span<std::uint8_t> known);

}  // namespace rtsim::flip
