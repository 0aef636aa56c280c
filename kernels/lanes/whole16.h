#pragma once
#include <cmath>

#include "lanes/lanes.h"

// Lanes as whole numbers of 16 bits without a sign: rounded to the nearest, the even one where two
// are as near, and what lies beyond them to the last one.
namespace rtsim {

#if defined(__AVX2__) && defined(__FMA__)

inline Lanes<float> load_whole(const std::uint16_t* p) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(bits));
}
inline void store_whole(std::uint16_t* p, const Lanes<float>& a) {
  const __m256i n = _mm256_cvtps_epi32(a.v);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm_packus_epi32(_mm256_castsi256_si128(n), _mm256_extracti128_si256(n, 1)));
}

#else

inline Lanes<float> load_whole(const std::uint16_t* p) {
  Lanes<float> a;
  for (Index l = 0; l < lane_count; ++l) a.v[l] = float(p[l]);
  return a;
}
inline void store_whole(std::uint16_t* p, const Lanes<float>& a) {
  for (Index l = 0; l < lane_count; ++l)
    p[l] = std::uint16_t(std::fmin(std::fmax(std::nearbyint(a.v[l]), 0.f), 65535.f));
}

#endif

}  // namespace rtsim
