#pragma once
#include <cstring>
#include <type_traits>

#include "lanes/wide_lanes.h"
#include "lbm/storage.h"

// Populations of cells side by side, from and to memory: of as many as there are lanes, or of the
// first few. What lies behind those belongs to other cells, and maybe to another thread.
namespace rtsim::lbm {

inline void load_lanes(const Real* p, WideLanes& v) { v = WideLanes::load(p); }
inline void store_lanes(Real* p, WideLanes v) { v.store(p); }

// Halves are cut off here; what is rounded by chance has had it added: rounded().

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && !defined(RTSIM_DOUBLE)

inline void load_lanes(const Half* p, WideLanes& v) {
  v = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline WideLanes rounded(WideLanes v, std::uint32_t base, Index slot) {
  constexpr int d = int(chance_stride);
  const __m512i lanes = _mm512_setr_epi32(0, d, 2 * d, 3 * d, 4 * d, 5 * d, 6 * d, 7 * d, 8 * d,
                                          9 * d, 10 * d, 11 * d, 12 * d, 13 * d, 14 * d, 15 * d);
  const __m512i first = _mm512_set1_epi32(int(base + chance_stride * std::uint32_t(slot)));
  const __m512i chances =
      _mm512_and_si512(_mm512_add_epi32(first, lanes), _mm512_set1_epi32(int(chance_mask)));
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(v.v), chances));
}
inline __m256i narrowed(WideLanes v) { return _mm512_cvtps_ph(v.v, _MM_FROUND_TO_ZERO); }
inline void store_lanes(Half* p, WideLanes v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), narrowed(v));
}

inline __mmask16 first_few(Index count) { return __mmask16((1u << count) - 1); }
inline void load_few(const Real* p, Index count, WideLanes& v) {
  v = _mm512_maskz_loadu_ps(first_few(count), p);
}
inline void store_few(Real* p, Index count, WideLanes v) {
  _mm512_mask_storeu_ps(p, first_few(count), v.v);
}
inline void load_few(const Half* p, Index count, WideLanes& v) {
  v = _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first_few(count), p));
}
inline void store_few(Half* p, Index count, WideLanes v) {
  _mm256_mask_storeu_epi16(p, first_few(count), narrowed(v));
}

#elif defined(__F16C__) && defined(__AVX2__) && !defined(RTSIM_DOUBLE)

inline void load_lanes(const Half* p, WideLanes& v) {
  v = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline WideLanes rounded(WideLanes v, std::uint32_t base, Index slot) {
  constexpr int d = int(chance_stride);
  const __m256i lanes = _mm256_setr_epi32(0, d, 2 * d, 3 * d, 4 * d, 5 * d, 6 * d, 7 * d);
  const __m256i first = _mm256_set1_epi32(int(base + chance_stride * std::uint32_t(slot)));
  const __m256i chances =
      _mm256_and_si256(_mm256_add_epi32(first, lanes), _mm256_set1_epi32(int(chance_mask)));
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(v.v), chances));
}
inline __m128i narrowed(WideLanes v) { return _mm256_cvtps_ph(v.v, _MM_FROUND_TO_ZERO); }
inline void store_lanes(Half* p, WideLanes v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), narrowed(v));
}

inline __m256i first_few(Index count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline void load_few(const Real* p, Index count, WideLanes& v) {
  v = _mm256_maskload_ps(p, first_few(count));
}
inline void store_few(Real* p, Index count, WideLanes v) {
  _mm256_maskstore_ps(p, first_few(count), v.v);
}

// There is no mask for 16 bits: pieces of 8, 4 and 2 bytes, put together in registers.
template <class Piece>
inline std::uint64_t piece(const Half* p) {
  Piece bits;
  std::memcpy(&bits, p, sizeof bits);
  return bits;
}
template <class Piece>
inline void put_piece(Half* p, std::uint64_t bits) {
  const Piece low = Piece(bits);
  std::memcpy(p, &low, sizeof low);
}
inline void load_few(const Half* p, Index count, WideLanes& v) {
  std::uint64_t low = 0, high = 0;
  if (count & 1) low = piece<std::uint16_t>(p + (count & 6));
  if (count & 2) low = low << 32 | piece<std::uint32_t>(p + (count & 4));
  if (count & 4) high = low, low = piece<std::uint64_t>(p);
  v = _mm256_cvtph_ps(_mm_set_epi64x(std::int64_t(high), std::int64_t(low)));
}
inline void store_few(Half* p, Index count, WideLanes v) {
  const __m128i bits = narrowed(v);
  std::uint64_t low = std::uint64_t(_mm_cvtsi128_si64(bits));
  if (count & 4) {
    put_piece<std::uint64_t>(p, low);
    low = std::uint64_t(_mm_extract_epi64(bits, 1));
  }
  if (count & 2) {
    put_piece<std::uint32_t>(p + (count & 4), low);
    low >>= 32;
  }
  if (count & 1) put_piece<std::uint16_t>(p + (count & 6), low);
}

#else

inline void load_lanes(const Half* p, WideLanes& v) {
  Real wide[WideLanes::size];
  for (Index l = 0; l < WideLanes::size; ++l) wide[l] = load(p + l);
  v = WideLanes::load(wide);
}
inline void store_lanes(Half* p, WideLanes v) {
  Real wide[WideLanes::size];
  v.store(wide);
  for (Index l = 0; l < WideLanes::size; ++l) store(p + l, wide[l], 0);
}
inline WideLanes rounded(WideLanes v, std::uint32_t base, Index slot) {
  Real wide[WideLanes::size];
  v.store(wide);
  for (Index l = 0; l < WideLanes::size; ++l)
    wide[l] = Real(std::bit_cast<float>(std::bit_cast<std::uint32_t>(float(wide[l])) +
                                        chance(base, slot + l)));
  return WideLanes::load(wide);
}

template <class Stored>
inline void load_few(const Stored* p, Index count, WideLanes& v) {
  Stored part[WideLanes::size] = {};
  std::memcpy(part, p, std::size_t(count) * sizeof(Stored));
  load_lanes(part, v);
}
template <class Stored>
inline void store_few(Stored* p, Index count, WideLanes v) {
  Stored part[WideLanes::size];
  store_lanes(part, v);
  std::memcpy(p, part, std::size_t(count) * sizeof(Stored));
}

#endif

template <bool whole>
struct Few {
  Index count;

  template <class Stored>
  WideLanes get(const Stored* p) const {
    WideLanes v;
    if constexpr (whole)
      load_lanes(p, v);
    else
      load_few(p, count, v);
    return v;
  }
  // As the chances `base` of a population and the slot have it.
  template <class Stored>
  void put(Stored* p, WideLanes v, std::uint32_t base, Index slot) const {
    if constexpr (std::is_same_v<Stored, Half>) v = rounded(v, base, slot);
    if constexpr (whole)
      store_lanes(p, v);
    else
      store_few(p, count, v);
  }
};

}  // namespace rtsim::lbm
