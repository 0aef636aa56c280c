#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

// Launchers for points that follow the cells of another mesh, and for what is shown of meshes.
namespace rtsim::skin {

// Up to four points of the driving mesh and their weights, which add up to 1, and how far off the
// triangle of the first three the point lies, along its normal [m].
struct Binding {
  Index at[4] = {0, 0, 0, 0};
  Real weight[4] = {1, 0, 0, 0};
  Real offset = 0;
};

// x = sum w_k x_k + offset n, v = sum w_k v_k.
void follow(const Exec&, Span<const Binding>, Span<const Vec<3>> driver_position,
            Span<const Vec<3>> driver_velocity, Span<Vec<3>> position, Span<Vec<3>> velocity);

// The triangles at each point: slots first[p] to first[p + 1] of 3 * triangle + corner.
struct Fan {
  Span<const VecT<std::int32_t, 3>> corners;
  Span<const std::uint32_t> torn;  // counts for nothing; of none where it is empty
  Span<const Index> first, slots;
};

// Unit normals of points: the mean of their triangles', by area.
void normals(const Exec&, const Fan&, Span<const Vec<3>> position, Span<Vec<3>> normal);

// The edges at each point, likewise with 2 * edge + end.
struct Star {
  Span<const VecT<std::int32_t, 2>> ends;
  Span<const Real> length;         // at rest [m]
  Span<const std::uint32_t> torn;  // as of a fan
  Span<const Index> first, slots;
};

// At each point, the largest |x_j - x_i| / L - 1 of its edges, by size.
void strains(const Exec&, const Star&, Span<const Vec<3>> position, Span<Real> strain);

}  // namespace rtsim::skin
