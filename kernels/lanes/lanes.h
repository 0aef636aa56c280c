#pragma once
#include <array>
#include <cmath>

#include "lanes/row4.h"
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

// Eight numbers at once, for CPU-shaped bodies. One lane order and one order of folding, whatever
// the machine: the plain loops and the AVX2 forms give the same bits.
namespace rtsim {

template <class T>
struct Lanes {
  static constexpr Index size = lane_count;
  T v[size];

  Lanes() = default;
  Lanes(T a) {
    for (T& e : v) e = a;
  }
  static Lanes load(const T* p) {
    Lanes r;
    for (Index l = 0; l < size; ++l) r.v[l] = p[l];
    return r;
  }
  void store(T* p) const {
    for (Index l = 0; l < size; ++l) p[l] = v[l];
  }

  friend Lanes operator+(Lanes a, Lanes b) {
    for (Index l = 0; l < size; ++l) a.v[l] += b.v[l];
    return a;
  }
  friend Lanes operator-(Lanes a, Lanes b) {
    for (Index l = 0; l < size; ++l) a.v[l] -= b.v[l];
    return a;
  }
  friend Lanes operator*(Lanes a, Lanes b) {
    for (Index l = 0; l < size; ++l) a.v[l] *= b.v[l];
    return a;
  }
  friend Lanes operator/(Lanes a, Lanes b) {
    for (Index l = 0; l < size; ++l) a.v[l] /= b.v[l];
    return a;
  }
  friend Lanes fma(Lanes a, Lanes b, Lanes c) {
    for (Index l = 0; l < size; ++l) a.v[l] = std::fma(a.v[l], b.v[l], c.v[l]);
    return a;
  }
  // c - a b
  friend Lanes fnma(Lanes a, Lanes b, Lanes c) {
    for (Index l = 0; l < size; ++l) a.v[l] = std::fma(-a.v[l], b.v[l], c.v[l]);
    return a;
  }
  friend Lanes max(Lanes a, Lanes b) {
    for (Index l = 0; l < size; ++l) a.v[l] = a.v[l] > b.v[l] ? a.v[l] : b.v[l];
    return a;
  }
  friend Lanes min(Lanes a, Lanes b) {
    for (Index l = 0; l < size; ++l) a.v[l] = a.v[l] < b.v[l] ? a.v[l] : b.v[l];
    return a;
  }
  friend Lanes root(Lanes a) {
    for (Index l = 0; l < size; ++l) a.v[l] = std::sqrt(a.v[l]);
    return a;
  }
  // a where x < y, else b.
  friend Lanes select_less(Lanes x, Lanes y, Lanes a, Lanes b) {
    for (Index l = 0; l < size; ++l) a.v[l] = x.v[l] < y.v[l] ? a.v[l] : b.v[l];
    return a;
  }
  // a where the sign of x is minus, of a zero as well, else b.
  friend Lanes select_negative(Lanes x, Lanes a, Lanes b) {
    for (Index l = 0; l < size; ++l) a.v[l] = std::signbit(x.v[l]) ? a.v[l] : b.v[l];
    return a;
  }
  // Bit l is set where a < b.
  friend unsigned less(Lanes a, Lanes b) {
    unsigned mask = 0;
    for (Index l = 0; l < size; ++l) mask |= unsigned(a.v[l] < b.v[l]) << l;
    return mask;
  }
  // Writes the lanes of the mask side by side; may write `size` numbers.
  void store_packed(T* p, unsigned mask) const {
    for (Index l = 0; l < size; ++l) {
      *p = v[l];
      p += mask >> l & 1;
    }
  }
  // ((0+4) + (2+6)) + ((1+5) + (3+7))
  T sum() const { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }
};

#if defined(__AVX2__) && defined(__FMA__) && !defined(RTSIM_DOUBLE)

namespace detail {
// For each mask, its lanes first.
inline constexpr auto packed_lanes = [] {
  std::array<std::array<std::int32_t, 8>, 256> table{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    int k = 0;
    for (int l = 0; l < 8; ++l)
      if (mask >> l & 1) table[mask][std::size_t(k++)] = l;
  }
  return table;
}();
inline __m256i packing(unsigned mask) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(packed_lanes[mask].data()));
}
}  // namespace detail

template <>
struct Lanes<float> {
  static constexpr Index size = lane_count;
  __m256 v;

  Lanes() = default;
  Lanes(float a) : v(_mm256_set1_ps(a)) {}
  Lanes(__m256 a) : v(a) {}
  static Lanes load(const float* p) { return _mm256_loadu_ps(p); }
  void store(float* p) const { _mm256_storeu_ps(p, v); }

  friend Lanes operator+(Lanes a, Lanes b) { return _mm256_add_ps(a.v, b.v); }
  friend Lanes operator-(Lanes a, Lanes b) { return _mm256_sub_ps(a.v, b.v); }
  friend Lanes operator*(Lanes a, Lanes b) { return _mm256_mul_ps(a.v, b.v); }
  friend Lanes operator/(Lanes a, Lanes b) { return _mm256_div_ps(a.v, b.v); }
  friend Lanes fma(Lanes a, Lanes b, Lanes c) { return _mm256_fmadd_ps(a.v, b.v, c.v); }
  friend Lanes fnma(Lanes a, Lanes b, Lanes c) { return _mm256_fnmadd_ps(a.v, b.v, c.v); }
  friend Lanes max(Lanes a, Lanes b) { return _mm256_max_ps(a.v, b.v); }
  friend Lanes min(Lanes a, Lanes b) { return _mm256_min_ps(a.v, b.v); }
  friend Lanes root(Lanes a) { return _mm256_sqrt_ps(a.v); }
  friend Lanes select_less(Lanes x, Lanes y, Lanes a, Lanes b) {
    return _mm256_blendv_ps(b.v, a.v, _mm256_cmp_ps(x.v, y.v, _CMP_LT_OQ));
  }
  friend Lanes select_negative(Lanes x, Lanes a, Lanes b) {
    return _mm256_blendv_ps(b.v, a.v, x.v);
  }
  friend unsigned less(Lanes a, Lanes b) {
    return unsigned(_mm256_movemask_ps(_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)));
  }
  void store_packed(float* p, unsigned mask) const {
    _mm256_storeu_ps(p, _mm256_permutevar8x32_ps(v, detail::packing(mask)));
  }
  float sum() const {
    __m128 a = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    a = _mm_add_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_add_ss(a, _mm_movehdup_ps(a)));
  }
};

#endif

// As vectors of numbers use them.
template <class T>
Lanes<T>& operator+=(Lanes<T>& a, Lanes<T> b) {
  return a = a + b;
}
template <class T>
Lanes<T>& operator-=(Lanes<T>& a, Lanes<T> b) {
  return a = a - b;
}
template <class T>
Lanes<T>& operator*=(Lanes<T>& a, Lanes<T> b) {
  return a = a * b;
}
template <class T>
Lanes<T> operator-(Lanes<T> a) {
  return Lanes<T>(T(0)) - a;
}

// The four columns of eight rows.
template <class T>
struct Lanes4 {
  Lanes<T> x, y, z, w;
};

#if defined(__AVX2__) && defined(__FMA__) && !defined(RTSIM_DOUBLE)

// Eight 16-byte loads and a transpose: twice as fast as gathers. row(l): the l-th row.
template <class RowOf>
[[gnu::always_inline]] inline Lanes4<float> transpose_rows(const RowOf& row) {
  const auto pair = [&](int a, int b) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(&row(a).x)),
                                _mm_load_ps(&row(b).x), 1);
  };
  const __m256 a = pair(0, 4), b = pair(1, 5), c = pair(2, 6), d = pair(3, 7);
  const __m256 ab0 = _mm256_unpacklo_ps(a, b), ab1 = _mm256_unpackhi_ps(a, b);
  const __m256 cd0 = _mm256_unpacklo_ps(c, d), cd1 = _mm256_unpackhi_ps(c, d);
  return {_mm256_shuffle_ps(ab0, cd0, 0x44), _mm256_shuffle_ps(ab0, cd0, 0xee),
          _mm256_shuffle_ps(ab1, cd1, 0x44), _mm256_shuffle_ps(ab1, cd1, 0xee)};
}

// The other way: row l of the eight from `first` gets lane l of each.
inline void store_rows(Row4* first, const Lanes4<float>& r) {
  const __m256 xy0 = _mm256_unpacklo_ps(r.x.v, r.y.v), xy1 = _mm256_unpackhi_ps(r.x.v, r.y.v);
  const __m256 zw0 = _mm256_unpacklo_ps(r.z.v, r.w.v), zw1 = _mm256_unpackhi_ps(r.z.v, r.w.v);
  const auto pair = [&](int l, __m256 rows) {
    _mm_store_ps(&first[l].x, _mm256_castps256_ps128(rows));
    _mm_store_ps(&first[l + 4].x, _mm256_extractf128_ps(rows, 1));
  };
  pair(0, _mm256_shuffle_ps(xy0, zw0, 0x44)), pair(1, _mm256_shuffle_ps(xy0, zw0, 0xee));
  pair(2, _mm256_shuffle_ps(xy1, zw1, 0x44)), pair(3, _mm256_shuffle_ps(xy1, zw1, 0xee));
}

// begin + l for each lane l of the mask, side by side.
inline void store_packed_range(Index* p, Index begin, unsigned mask) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm256_add_epi32(_mm256_set1_epi32(begin), detail::packing(mask)));
}

// rows[l] - from for each lane l of the mask, side by side; 16 bits must hold it.
inline void store_packed(Index* p, const Index* rows, Index from, unsigned mask) {
  const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows));
  const __m256i packed = _mm256_permutevar8x32_epi32(v, detail::packing(mask));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm256_sub_epi32(packed, _mm256_set1_epi32(from)));
}
inline void store_packed(std::int16_t* p, const Index* rows, Index from, unsigned mask) {
  const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows));
  const __m256i packed = _mm256_sub_epi32(_mm256_permutevar8x32_epi32(v, detail::packing(mask)),
                                          _mm256_set1_epi32(from));
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(p),
      _mm_packs_epi32(_mm256_castsi256_si128(packed), _mm256_extracti128_si256(packed, 1)));
}

// Bit l is set where p[l] == value.
inline unsigned equal_mask(const Index* p, Index value) {
  const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return unsigned(
      _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(v, _mm256_set1_epi32(value)))));
}

#else

template <class RowOf>
[[gnu::always_inline]] inline Lanes4<Real> transpose_rows(const RowOf& row) {
  Lanes4<Real> r;
  for (Index l = 0; l < lane_count; ++l) {
    const Row4& p = row(l);
    r.x.v[l] = p.x, r.y.v[l] = p.y, r.z.v[l] = p.z, r.w.v[l] = p.w;
  }
  return r;
}

inline void store_rows(Row4* first, const Lanes4<Real>& r) {
  for (Index l = 0; l < lane_count; ++l) first[l] = {r.x.v[l], r.y.v[l], r.z.v[l], r.w.v[l]};
}

inline void store_packed_range(Index* p, Index begin, unsigned mask) {
  for (Index l = 0; l < lane_count; ++l) {
    *p = begin + l;
    p += mask >> l & 1;
  }
}

template <class Slot>
inline void store_packed(Slot* p, const Index* rows, Index from, unsigned mask) {
  for (Index l = 0; l < lane_count; ++l) {
    *p = Slot(rows[l] - from);
    p += mask >> l & 1;
  }
}

inline unsigned equal_mask(const Index* p, Index value) {
  unsigned mask = 0;
  for (Index l = 0; l < lane_count; ++l) mask |= unsigned(p[l] == value) << l;
  return mask;
}

#endif

// Rows j[0] .. j[7], or the eight rows from `first`.
template <class Slot>
[[gnu::always_inline]] inline Lanes4<Real> load_rows(const Row4* rows, const Slot* j) {
  return transpose_rows([&](Index l) -> const Row4& { return rows[j[l]]; });
}
[[gnu::always_inline]] inline Lanes4<Real> load_rows(const Row4* first) {
  return transpose_rows([&](Index l) -> const Row4& { return first[l]; });
}

namespace detail {
constexpr Real none = Real(-1e30), away = Real(1e6);
inline constexpr Real away_behind[2 * lane_count] = {
    none, none, none, none, none, none, none, none, away, away, away, away, away, away, away, away};
}  // namespace detail

// x for the first `left` lanes, and far away for the others.
[[gnu::always_inline]] inline Lanes<Real> first_lanes(Lanes<Real> x, Index left) {
  return max(Lanes<Real>::load(detail::away_behind + (left < lane_count ? lane_count - left : 0)),
             x);
}

}  // namespace rtsim
