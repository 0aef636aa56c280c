#pragma once
#include "flip/runs.h"
#include "lanes/gather.h"

// What particles give to a face.
namespace rtsim::flip {

// max(1 - |off|, 0)
template <class T>
[[gnu::always_inline]] RTSIM_HD inline T hat(T off) {
  return greatest(T(Real(0)), T(Real(1)) - greatest(off, T(Real(0)) - off));
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

// The CPU-shaped form: particles give to faces.
template <int D>
void gather_blocks(const Exec&, const mac::Domain&, int axis, const Particles<D>&,
                   Span<Real> weight, Span<Real> u, Span<std::uint8_t> known);

}  // namespace rtsim::flip
