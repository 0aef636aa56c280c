#pragma once
#include "lanes/lanes.h"

namespace rtsim {

// The inverse of load_rows: row j[l] becomes lane l of the four columns. The rows are eight
// different ones.
#if defined(__AVX2__) && defined(__FMA__) && !defined(RTSIM_DOUBLE)

[[gnu::always_inline]] inline void store_rows(Row4* rows, const Index* j, Lanes<float> x,
                                              Lanes<float> y, Lanes<float> z, Lanes<float> w) {
  const __m256 xy0 = _mm256_unpacklo_ps(x.v, y.v), xy1 = _mm256_unpackhi_ps(x.v, y.v);
  const __m256 zw0 = _mm256_unpacklo_ps(z.v, w.v), zw1 = _mm256_unpackhi_ps(z.v, w.v);
  const __m256 pair[4] = {_mm256_shuffle_ps(xy0, zw0, 0x44), _mm256_shuffle_ps(xy0, zw0, 0xee),
                          _mm256_shuffle_ps(xy1, zw1, 0x44), _mm256_shuffle_ps(xy1, zw1, 0xee)};
  for (int l = 0; l < 4; ++l) {
    _mm_store_ps(&rows[j[l]].x, _mm256_castps256_ps128(pair[l]));
    _mm_store_ps(&rows[j[l + 4]].x, _mm256_extractf128_ps(pair[l], 1));
  }
}

#else

inline void store_rows(Row4* rows, const Index* j, Lanes<Real> x, Lanes<Real> y, Lanes<Real> z,
                       Lanes<Real> w) {
  Real columns[4][lane_count];
  x.store(columns[0]), y.store(columns[1]), z.store(columns[2]), w.store(columns[3]);
  for (Index l = 0; l < lane_count; ++l)
    rows[j[l]] = {columns[0][l], columns[1][l], columns[2][l], columns[3][l]};
}

#endif

}  // namespace rtsim
