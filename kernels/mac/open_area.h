#pragma once
#include "base/types.h"

// The share of a face outside solids, from their signed distance at its corners, linear between
// them (Batty, Bertails & Bridson, "A Fast Variational Framework for Accurate Solid-Fluid
// Coupling", SIGGRAPH 2007, sec. 3).
namespace rtsim::mac {

// Of an edge: where the distance crosses zero.
RTSIM_HD inline Real open_length(Real a, Real b) {
  if (a <= 0 && b <= 0) return 0;
  if (a >= 0 && b >= 0) return 1;
  const Real out = a > b ? a : b, in = a > b ? b : a;
  return out / (out - in);
}

// Of a triangle: one corner alone on its side cuts off a triangle similar in two edges.
RTSIM_HD inline Real open_triangle(Real a, Real b, Real c) {
  const int out = (a > 0) + (b > 0) + (c > 0);
  if (out == 0) return 0;
  if (a >= 0 && b >= 0 && c >= 0) return 1;
  const Real low = a < b ? (a < c ? a : c) : (b < c ? b : c);
  const Real high = a > b ? (a > c ? a : c) : (b > c ? b : c);
  const Real middle = a > b ? (a < c ? a : (b > c ? b : c)) : (b < c ? b : (a > c ? a : c));
  if (out == 1) return high / (high - low) * (high / (high - middle));
  return 1 - low / (low - high) * (low / (low - middle));
}

// Of a square with the corners a, b, c, d in a round: four triangles about its middle.
RTSIM_HD inline Real open_square(Real a, Real b, Real c, Real d) {
  const Real m = Real(0.25) * ((a + c) + (b + d));
  return Real(0.25) * ((open_triangle(a, b, m) + open_triangle(c, d, m)) +
                       (open_triangle(b, c, m) + open_triangle(d, a, m)));
}

}  // namespace rtsim::mac
