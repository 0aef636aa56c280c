#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"
#include "pbd/projection.h"

// Launchers of the constraint that keeps the volume inside a closed surface (Müller et al. 2006,
// sec. 4.4): C = V - V0,  V = sum over triangles of (x1 x x2) . x3 / 6,  grad_i V = sum over its
// triangles of (x_next x x_last) / 6, all about one of the points, so that no digits are lost far
// from 0.
namespace rtsim::pbd {

struct Surface {
  Span<const VecT<std::int32_t, 3>> triangles;
  Span<const Index> first, slots;  // of each point, as in meshes/adjacency.h
};

double enclosed_volume(const Exec&, const Surface&, Span<const Vec<3>> position);  // [m^3]

// One projection on the rest volume [m^3], the softness times V0; adds to the multiplier.
// `gradient` has a row for each point.
void keep_volume(const Exec&, const Softness&, double rest, const Surface&, double& lambda,
                 Span<Vec<3>> gradient, const Told&, Span<Row4> points);

}  // namespace rtsim::pbd
