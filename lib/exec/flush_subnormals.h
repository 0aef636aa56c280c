#pragma once
#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace rtsim {

// Subnormal numbers count as zero while a loop body runs, on every thread alike: fluid at rest is
// full of them (velocities that die out from layer to layer), and each costs a hundred cycles.
class FlushSubnormals {
#ifdef __SSE__
 public:
  FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }  // FTZ and DAZ
  ~FlushSubnormals() { _mm_setcsr(before_); }
  FlushSubnormals(const FlushSubnormals&) = delete;

 private:
  unsigned before_;
#endif
};

}  // namespace rtsim
