#pragma once
#include "lanes/lanes.h"

// As many numbers at once as the machine takes, for what is done to each of them alone: the bits do
// not depend on how many there are.
namespace rtsim {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && !defined(RTSIM_DOUBLE)

struct WideLanes {
  static constexpr Index size = 16;
  __m512 v;

  WideLanes() = default;
  WideLanes(float a) : v(_mm512_set1_ps(a)) {}
  WideLanes(__m512 a) : v(a) {}
  static WideLanes load(const float* p) { return _mm512_loadu_ps(p); }
  void store(float* p) const { _mm512_storeu_ps(p, v); }

  friend WideLanes operator+(WideLanes a, WideLanes b) { return _mm512_add_ps(a.v, b.v); }
  friend WideLanes operator-(WideLanes a, WideLanes b) { return _mm512_sub_ps(a.v, b.v); }
  friend WideLanes operator*(WideLanes a, WideLanes b) { return _mm512_mul_ps(a.v, b.v); }
  friend WideLanes operator/(WideLanes a, WideLanes b) { return _mm512_div_ps(a.v, b.v); }
  friend WideLanes fma(WideLanes a, WideLanes b, WideLanes c) {
    return _mm512_fmadd_ps(a.v, b.v, c.v);
  }
  friend WideLanes fnma(WideLanes a, WideLanes b, WideLanes c) {
    return _mm512_fnmadd_ps(a.v, b.v, c.v);
  }
  friend WideLanes max(WideLanes a, WideLanes b) { return _mm512_max_ps(a.v, b.v); }
  friend WideLanes root(WideLanes a) { return _mm512_sqrt_ps(a.v); }
  friend unsigned less(WideLanes a, WideLanes b) {
    return _mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ);
  }
};

#else

using WideLanes = Lanes<Real>;

#endif

}  // namespace rtsim
