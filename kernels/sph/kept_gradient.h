#pragma once
#include "neighbours/neighbour_lists.h"
#include "sph/medium.h"
#ifdef RTSIM_DOUBLE
#include "lanes/lanes.h"
#else
#include "lanes/whole16.h"
#endif

namespace rtsim::sph {

// Gradients of pairs as passes keep them beside the lists (neighbours::Kept). In float as 16-bit
// parts of the greatest there is, that of the kernel's middle: wrong by 1e-5 of it, half as much
// memory to read, and the same for both rows of a pair, so that pairs keep their momentum. In
// double as they are.
struct KeptGradient {
#ifdef RTSIM_DOUBLE
  explicit KeptGradient(const Medium&) {}

  Lanes<Real> load(const neighbours::Kept* p) const { return Lanes<Real>::load(p); }
  void store(neighbours::Kept* p, const Lanes<Real>& g) const { g.store(p); }
#else
  Real step, per_step;

  explicit KeptGradient(const Medium& m)
      : step(m.kernel.middle_gradient() / Real(UINT16_MAX)), per_step(1 / step) {}

  [[gnu::always_inline]] Lanes<Real> load(const neighbours::Kept* p) const {
    return Lanes<Real>(step) * load_whole(p);
  }
  [[gnu::always_inline]] void store(neighbours::Kept* p, const Lanes<Real>& g) const {
    store_whole(p, Lanes<Real>(per_step) * g);
  }
#endif
};

}  // namespace rtsim::sph
