#pragma once
#include "lanes/lanes.h"

// Reading a grid at places between its values: scalar and eight-lane forms of the same steps.
namespace rtsim {

struct LaneIndex;

// Two neighbours along x.
template <class T>
struct Pair {
  T first, second;
};

RTSIM_HD inline Real floor_of(Real a) { return std::floor(a); }
RTSIM_HD inline Index to_index(Real a) { return Index(a); }
RTSIM_HD inline Real least(Real a, Real b) { return b < a ? b : a; }
RTSIM_HD inline Real greatest(Real a, Real b) { return a < b ? b : a; }
RTSIM_HD inline Real where_zero(Real x, Real a, Real b) { return x == 0 ? a : b; }
// Whether lanes lie side by side: in smooth flows nearly always, and then plain loads will do.
RTSIM_HD inline bool in_row(Index) { return false; }
RTSIM_HD inline Index first_of(Index i) { return i; }
RTSIM_HD inline Pair<Real> gather_pair(const Real* p, Index i) { return {p[i], p[i + 1]}; }
RTSIM_HD inline Index wrapped(Index i, Index n) { return i < 0 ? i + n : (i >= n ? i - n : i); }

// Eight consecutive rows, or one.
template <class T>
struct Rows;
template <>
struct Rows<Real> {
  using Integer = Index;
  static constexpr Index count = 1;
  RTSIM_HD static Real load(const Real* p) { return *p; }
  RTSIM_HD static void store(Real* p, Real v) { *p = v; }
  RTSIM_HD static Index from(Index i) { return i; }
  RTSIM_HD static Real place(Index i) { return Real(i); }
};

#if defined(__AVX2__) && defined(__FMA__) && !defined(RTSIM_DOUBLE)

struct LaneIndex {
  __m256i v;

  LaneIndex() = default;
  LaneIndex(Index a) : v(_mm256_set1_epi32(a)) {}
  LaneIndex(__m256i a) : v(a) {}
  friend LaneIndex operator+(LaneIndex a, LaneIndex b) { return _mm256_add_epi32(a.v, b.v); }
  friend LaneIndex operator*(LaneIndex a, LaneIndex b) { return _mm256_mullo_epi32(a.v, b.v); }
};

inline Lanes<Real> floor_of(Lanes<Real> a) { return _mm256_floor_ps(a.v); }
inline LaneIndex to_index(Lanes<Real> a) { return _mm256_cvttps_epi32(a.v); }
inline Lanes<Real> least(Lanes<Real> a, Lanes<Real> b) { return _mm256_min_ps(b.v, a.v); }
inline Lanes<Real> greatest(Lanes<Real> a, Lanes<Real> b) { return _mm256_max_ps(b.v, a.v); }
inline Lanes<Real> where_zero(Lanes<Real> x, Lanes<Real> a, Lanes<Real> b) {
  return _mm256_blendv_ps(b.v, a.v, _mm256_cmp_ps(x.v, _mm256_setzero_ps(), _CMP_EQ_OQ));
}
inline LaneIndex wrapped(LaneIndex i, Index n) {
  const __m256i count = _mm256_set1_epi32(n), zero = _mm256_setzero_si256();
  const __m256i below = _mm256_cmpgt_epi32(zero, i.v),
                above = _mm256_cmpgt_epi32(i.v, _mm256_set1_epi32(n - 1));
  return _mm256_sub_epi32(_mm256_add_epi32(i.v, _mm256_and_si256(below, count)),
                          _mm256_and_si256(above, count));
}
inline Index first_of(LaneIndex i) { return _mm_cvtsi128_si32(_mm256_castsi256_si128(i.v)); }
inline bool in_row(LaneIndex i) {
  const __m256i row = _mm256_add_epi32(_mm256_broadcastd_epi32(_mm256_castsi256_si128(i.v)),
                                       _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  return _mm256_movemask_epi8(_mm256_cmpeq_epi32(row, i.v)) == -1;
}
// Both neighbours in one 64-bit load, lane by lane: half as long as gathers take for the same.
inline Pair<Lanes<Real>> gather_pair(const Real* p, LaneIndex i) {
  alignas(32) Index at[lane_count];
  _mm256_store_si256(reinterpret_cast<__m256i*>(at), i.v);
  const auto two = [&](int a, int b) {
    const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + at[a]));
    return _mm_loadh_pi(_mm_castsi128_ps(first), reinterpret_cast<const __m64*>(p + at[b]));
  };
  const auto four = [&](int a, int b, int c, int d) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(two(a, b)), two(c, d), 1);
  };
  const __m256 low = four(0, 1, 4, 5), high = four(2, 3, 6, 7);
  return {_mm256_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)),
          _mm256_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1))};
}

template <>
struct Rows<Lanes<Real>> {
  using Integer = LaneIndex;
  static constexpr Index count = lane_count;
  static Lanes<Real> load(const Real* p) { return Lanes<Real>::load(p); }
  static void store(Real* p, Lanes<Real> v) { v.store(p); }
  static LaneIndex from(Index i) {
    return _mm256_add_epi32(_mm256_set1_epi32(i), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Lanes<Real> place(Index i) { return _mm256_cvtepi32_ps(from(i).v); }
};

#else

struct LaneIndex {
  Index v[lane_count];

  LaneIndex() = default;
  LaneIndex(Index a) {
    for (Index& e : v) e = a;
  }
  friend LaneIndex operator+(LaneIndex a, LaneIndex b) {
    for (Index l = 0; l < lane_count; ++l) a.v[l] += b.v[l];
    return a;
  }
  friend LaneIndex operator*(LaneIndex a, LaneIndex b) {
    for (Index l = 0; l < lane_count; ++l) a.v[l] *= b.v[l];
    return a;
  }
};

inline Lanes<Real> floor_of(Lanes<Real> a) {
  for (Real& e : a.v) e = std::floor(e);
  return a;
}
inline LaneIndex to_index(Lanes<Real> a) {
  LaneIndex r;
  for (Index l = 0; l < lane_count; ++l) r.v[l] = Index(a.v[l]);
  return r;
}
inline Lanes<Real> least(Lanes<Real> a, Lanes<Real> b) {
  for (Index l = 0; l < lane_count; ++l) a.v[l] = least(a.v[l], b.v[l]);
  return a;
}
inline Lanes<Real> greatest(Lanes<Real> a, Lanes<Real> b) {
  for (Index l = 0; l < lane_count; ++l) a.v[l] = greatest(a.v[l], b.v[l]);
  return a;
}
inline Lanes<Real> where_zero(Lanes<Real> x, Lanes<Real> a, Lanes<Real> b) {
  for (Index l = 0; l < lane_count; ++l) a.v[l] = where_zero(x.v[l], a.v[l], b.v[l]);
  return a;
}
inline LaneIndex wrapped(LaneIndex i, Index n) {
  for (Index& e : i.v) e = wrapped(e, n);
  return i;
}
inline Index first_of(LaneIndex i) { return i.v[0]; }
inline bool in_row(LaneIndex i) {
  for (Index l = 1; l < lane_count; ++l)
    if (i.v[l] != i.v[0] + l) return false;
  return true;
}
inline Pair<Lanes<Real>> gather_pair(const Real* p, LaneIndex i) {
  Pair<Lanes<Real>> r;
  for (Index l = 0; l < lane_count; ++l) r.first.v[l] = p[i.v[l]], r.second.v[l] = p[i.v[l] + 1];
  return r;
}

template <>
struct Rows<Lanes<Real>> {
  using Integer = LaneIndex;
  static constexpr Index count = lane_count;
  static Lanes<Real> load(const Real* p) { return Lanes<Real>::load(p); }
  static void store(Real* p, Lanes<Real> v) { v.store(p); }
  static LaneIndex from(Index i) {
    LaneIndex r;
    for (Index l = 0; l < lane_count; ++l) r.v[l] = i + l;
    return r;
  }
  static Lanes<Real> place(Index i) {
    Lanes<Real> r;
    for (Index l = 0; l < lane_count; ++l) r.v[l] = Real(i + l);
    return r;
  }
};

#endif

}  // namespace rtsim
