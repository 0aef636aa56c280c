#pragma once
#include <cstring>

#include "lanes/wide_lanes.h"
#include "lbm/storage.h"

// Populations of cells side by side, from and to memory.
namespace rtsim::lbm {

inline void load_lanes(const Real* p, WideLanes& v) { v = WideLanes::load(p); }
inline void store_lanes(Real* p, WideLanes v) { v.store(p); }

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && !defined(RTSIM_DOUBLE)

inline void load_lanes(const Half* p, WideLanes& v) {
  v = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline __m256i narrow(WideLanes v) { return _mm512_cvtps_ph(v.v, _MM_FROUND_TO_NEAREST_INT); }
inline void store_lanes(Half* p, WideLanes v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), narrow(v));
}

#elif defined(__F16C__) && defined(__AVX2__) && !defined(RTSIM_DOUBLE)

inline void load_lanes(const Half* p, WideLanes& v) {
  v = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline void store_lanes(Half* p, WideLanes v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v.v, _MM_FROUND_TO_NEAREST_INT));
}

#else

inline void load_lanes(const Half* p, WideLanes& v) {
  for (Index l = 0; l < WideLanes::size; ++l) v.v[l] = load(p + l);
}
inline void store_lanes(Half* p, WideLanes v) {
  for (Index l = 0; l < WideLanes::size; ++l) store(p + l, v.v[l]);
}

#endif

// As many numbers as there are lanes, or the first few of them: what lies behind belongs to other
// cells, and maybe to another thread.
template <bool whole>
struct Few {
  Index count;

  template <class Stored>
  WideLanes get(const Stored* p) const {
    WideLanes v;
    if constexpr (whole) {
      load_lanes(p, v);
    } else {
      Stored part[WideLanes::size] = {};
      pieces([&](Index from, auto n) { std::memcpy(part + from, p + from, n * sizeof(Stored)); });
      load_lanes(part, v);
    }
    return v;
  }
  template <class Stored>
  void put(Stored* p, WideLanes v) const {
    if constexpr (whole) {
      store_lanes(p, v);
    } else {
      Stored part[WideLanes::size];
      store_lanes(part, v);
      pieces([&](Index from, auto n) { std::memcpy(p + from, part + from, n * sizeof(Stored)); });
    }
  }

 private:
  // By halves, so that nothing of a length not known beforehand is copied.
  template <int n = WideLanes::size / 2, class F>
  void pieces(const F& f, Index from = 0) const {
    if (count & n) {
      f(from, std::integral_constant<std::size_t, n>{});
      from += n;
    }
    if constexpr (n > 1) pieces<n / 2>(f, from);
  }
};

}  // namespace rtsim::lbm
