#pragma once
#include "flip/runs.h"
#include "lanes/gather.h"

// Particle-to-grid transfer (P2G): what a face gets of the particles around it.
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

// The CPU-shaped form, a scatter: particles give to faces, block by block.
template <int D>
void gather_blocks(const Exec&, const mac::Domain&, const Particles<D>&, const Gathered (&)[D]);

}  // namespace rtsim::flip
