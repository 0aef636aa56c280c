#pragma once
#include <cstdint>
#if defined(__CUDACC__)
#include <cuda_fp16.h>
#elif defined(__F16C__)
#include <immintrin.h>
#endif
#include <bit>

#include "base/types.h"

// How a population lies in memory: as a Real, or in 16 bits. What is stored is g = f - w, the
// difference from rest, times `scale`: halves then spend their eleven bits on the flow. Lehmann et
// al., "Accuracy and performance of the lattice Boltzmann method with 64-bit, 32-bit, and
// customized 16-bit number formats", Phys. Rev. E 106, 2022.
//
// What a step adds to a flow that hardly changes is less than half a unit of those eleven bits. To
// the nearest it would be lost, or gained, in every step anew, so a step rounds up or down by
// chance, up as often as the rest is large: on average nothing is lost (Croci et al., "Stochastic
// rounding: implementation, error analysis and applications", R. Soc. Open Sci. 9, 2022). The
// chance is a number of the step, of the population and of the slot, and so always the same.
namespace rtsim::lbm {

struct Half {
  std::uint16_t bits;
};

template <class Stored>
constexpr Real scale = 1;
template <>
inline constexpr Real scale<Half> = 32768;

// IEEE 754 binary16 to and from binary32, to the nearest and then to even.
inline float wide_half(std::uint16_t h) {
  const std::uint32_t sign = std::uint32_t(h & 0x8000) << 16, body = h & 0x7fff;
  if (body >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | body << 13);
  const float magnitude =
      body < 0x400 ? float(body) * 0x1p-24f : std::bit_cast<float>((body << 13) + (112u << 23));
  return sign ? -magnitude : magnitude;
}
inline std::uint16_t narrow_half(float v) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(v), body = u & 0x7fffffff;
  const std::uint32_t sign = u >> 16 & 0x8000;
  if (body > 0x7f800000) return std::uint16_t(sign | 0x7e00);
  if (body >= 0x477ff000) return std::uint16_t(sign | 0x7c00);
  if (body < 0x38800000) {  // subnormal: the sum leaves the rounded bits at the bottom
    const float sum = std::bit_cast<float>(body) + 0.5f;
    return std::uint16_t(sign | (std::bit_cast<std::uint32_t>(sum) - 0x3f000000));
  }
  const std::uint32_t rounded = body + 0xfff + (body >> 13 & 1);
  return std::uint16_t(sign | ((rounded - (112u << 23)) >> 13));
}

// The same towards zero, of what is not above 65504.
inline std::uint16_t truncated_half(float v) {
  const std::uint16_t nearest = narrow_half(v);
  const float there = wide_half(nearest);
  return std::uint16_t((there < 0 ? -there > -v : there > v) ? nearest - 1 : nearest);
}

// Of a population q in a step: what the chance of all slots begins with.
RTSIM_HD inline std::uint32_t chance_of(std::uint32_t step, int q) {
  std::uint32_t h = (32 * step + std::uint32_t(q)) * 0x9e3779b1u;
  h = (h ^ h >> 15) * 0x85ebca77u;
  return h ^ h >> 13;
}
// Of a slot, spread evenly over the 13 bits that a half leaves out of a float: neighbours differ by
// the golden section of 2^13.
constexpr std::uint32_t chance_stride = 5063, chance_mask = 0x1fff;
RTSIM_HD inline std::uint32_t chance(std::uint32_t base, Index slot) {
  return (base + chance_stride * std::uint32_t(slot)) & chance_mask;
}

RTSIM_HD inline Real load(const Real* p) { return *p; }
RTSIM_HD inline void store(Real* p, Real v) { *p = v; }
RTSIM_HD inline void store(Real* p, Real v, std::uint32_t) { *p = v; }

RTSIM_HD inline Real load(const Half* p) {
#if defined(__CUDA_ARCH__)
  return Real(__half2float(__ushort_as_half(p->bits)));
#elif defined(__F16C__) && !defined(__CUDACC__)
  return Real(_cvtsh_ss(p->bits));
#else
  return Real(wide_half(p->bits));
#endif
}
RTSIM_HD inline void store(Half* p, Real v) {
#if defined(__CUDA_ARCH__)
  p->bits = __half_as_ushort(__float2half_rn(float(v)));
#elif defined(__F16C__) && !defined(__CUDACC__)
  p->bits = std::uint16_t(
      _mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(float(v)), _MM_FROUND_TO_NEAREST_INT)));
#else
  p->bits = narrow_half(float(v));
#endif
}

// Rounded by chance(): added to the bits that are cut off, it carries into those that stay. What is
// no number stays none.
RTSIM_HD inline void store(Half* p, Real v, std::uint32_t chance) {
  if (!(v - v == 0)) return store(p, v);
#if defined(__CUDA_ARCH__)
  p->bits = __half_as_ushort(__float2half_rz(__uint_as_float(__float_as_uint(float(v)) + chance)));
#else
  const float carried = std::bit_cast<float>(std::bit_cast<std::uint32_t>(float(v)) + chance);
#if defined(__F16C__) && !defined(__CUDACC__)
  p->bits = std::uint16_t(_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(carried), _MM_FROUND_TO_ZERO)));
#else
  p->bits = truncated_half(carried);
#endif
#endif
}

}  // namespace rtsim::lbm
