#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

// Launchers for samples that follow a surface that deforms.
namespace rtsim::boundary {

// A place beside a triangle, which goes along as the triangle moves and turns:
//   x = sum of weight_k corner_k + o_1 e + o_2 n x e + o_3 n,
// e the direction of the first edge and n the normal.
struct Bound {
  VecT<std::int32_t, 3> corner;
  Vec<3> weight;
  Vec<3> offset;  // [m]
};

void place_bound(const Exec&, Span<const Bound>, Span<const Vec<3>> corners,
                 Span<const Vec<3>> velocities, Span<Vec<3>> position, Span<Vec<3>> velocity);

}  // namespace rtsim::boundary
