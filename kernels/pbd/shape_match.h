#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"

// Launchers of shape matching (Müller, Heidelberger, Teschner & Gross, "Meshless Deformations Based
// on Shape Matching", SIGGRAPH 2005). Points of a region are drawn to the goals
//   g = G b(q) + c,  G = beta A + (1 - beta) (R 0),  A = (sum m x b^T) (sum m b b^T)^-1
// of their places q at rest about the centre of mass, the present centre c, and a basis b = q
// (linear; A scaled to keep the volume, eq. 12) or q and its products (quadratic, eq. 13). R is the
// best rotation: of mirrored or flat regions too. Where regions overlap, a point has a share of its
// mass in each and goes to the mean of its goals, so momentum is kept (Rivers & James, "FastLSM",
// SIGGRAPH 2007).
namespace rtsim::pbd {

constexpr int most_terms = 9;  // of a basis

// Regions as lists of slots, a point in a region each.
struct ShapeRegions {
  Span<const Index> first, point;  // of each region its slots, and their points
  Span<const double> size;         // of each region [m]
  Span<const Vec<3>> rest;         // q of each slot, over the region's size
  Span<const Real> mass;           // of each slot [kg]
  Span<const double> mean;         // of b, terms for each region
  Span<const double> inverse;      // (sum m b b^T)^-1, terms x terms for each region
  Span<const std::uint8_t> rigid;  // of each region: whether its rest shape leaves no other choice
  int terms;                       // 0: rigid, 3: linear, 9: quadratic
  Real beta;
};

struct PointSlots {
  Span<const Index> first, slots;  // of each point
};

// One projection, by a share of the way. `goals` has a row for each slot.
void match_shapes(const Exec&, const ShapeRegions&, const PointSlots&, Real share,
                  Span<Vec<3>> goals, Span<Row4> place);

// b(q), before its mean is taken off
RTSIM_HD inline void shape_terms(const Vec<3>& q, int terms, double* b) {
  for (int a = 0; a < 3; ++a) b[a] = double(q[a]);
  if (terms <= 3) return;
  for (int a = 0; a < 3; ++a) b[3 + a] = b[a] * b[a], b[6 + a] = b[a] * b[(a + 1) % 3];
}

}  // namespace rtsim::pbd
