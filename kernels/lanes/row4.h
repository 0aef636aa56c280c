#pragma once
#include <cmath>
#include <concepts>

#include "base/types.h"

namespace rtsim {

// Four numbers side by side: what a pair loop loads of a neighbour in one go.
struct alignas(4 * sizeof(Real)) Row4 {
  Real x, y, z, w;
};

// How many rows a CPU-shaped body takes at once; arrays that it reads end in as many far dummies.
constexpr Index lane_count = 8;

// The scalar forms of what Lanes has, so that one law serves both.
template <std::floating_point T>
RTSIM_HD T fma(T a, T b, T c) {  // a b + c, rounded once
  return std::fma(a, b, c);
}
template <std::floating_point T>
RTSIM_HD T fnma(T a, T b, T c) {  // c - a b, rounded once
  return std::fma(-a, b, c);
}
RTSIM_HD inline Real root(Real a) { return std::sqrt(a); }
RTSIM_HD inline Real max(Real a, Real b) { return a > b ? a : b; }
RTSIM_HD inline Real min(Real a, Real b) { return a < b ? a : b; }
RTSIM_HD inline Real select_less(Real x, Real y, Real a, Real b) { return x < y ? a : b; }
RTSIM_HD inline Real select_negative(Real x, Real a, Real b) { return std::signbit(x) ? a : b; }

}  // namespace rtsim
