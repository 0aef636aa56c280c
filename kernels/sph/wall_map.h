#pragma once
#include "boundary/place_samples.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"
#include "sph/cubic_spline.h"
#include "sph/force_and_torque.h"

// Walls as a map from places to virtual neighbours, after Bender, Kugelstadt, Weiler & Koschier,
// "Volume Maps: An Implicit Boundary Representation for SPH", MIG 2019. The paper's grid holds the
// distance of the nearest boundary point and the volume V_B of the solid within the kernel's reach.
// Ours holds the plane that hides as much of the kernel as the solid does: its normal n, and its
// distance delta in place of the volume, which belongs one to one to it. Both are linear beside a
// plane, so that reading between nodes is exact there, and both know of a second wall in a corner.
namespace rtsim::sph {

// A number that depends on one other, in equal steps; the first and last hold beyond its ends.
struct Profile1 {
  Real first, inv_step;
  Span<const Real> values;

  RTSIM_HD Real at(Real x) const {
    const Real last = Real(values.size - 1), t = (x - first) * inv_step;
    const Real u = t > 0 ? (t < last ? t : last) : 0;
    const Index k = u < last ? Index(u) : values.size - 2;
    const Real f = u - Real(k);
    return (1 - f) * values[k] + f * values[k + 1];
  }
  // The x of a value, where values fall.
  RTSIM_HD Real inverse(Real value) const {
    Index low = 0, high = values.size - 1;
    while (high - low > 1) {
      const Index mid = (low + high) / 2;
      (values[mid] > value ? low : high) = mid;
    }
    const Real fall = values[low] - values[high];
    const Real f = fall > 0 ? (values[low] - value) / fall : 0;
    return first + (Real(low) + (f > 0 ? (f < 1 ? f : 1) : 0)) / inv_step;
  }
};

// Nodes in the frame of the boundary, x fastest; one layer in 2D.
struct MapGrid {
  Vec<3> low;      // [m]
  Real cell;       // [m]
  Index count[3];  // nodes

  RTSIM_HD Index nodes() const { return count[0] * count[1] * count[2]; }
  // Of the node nearest to a place beyond the grid.
  RTSIM_HD Index index(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k};
    Index c[3];
    for (int a = 0; a < 3; ++a) c[a] = at[a] < 0 ? 0 : at[a] < count[a] ? at[a] : count[a] - 1;
    return c[0] + count[0] * (c[1] + count[1] * c[2]);
  }
};

// A node holds (n, delta).
struct WallMap {
  MapGrid grid;
  Span<const Row4> nodes;
};

// How many nodes of the signed distance there are to a cell of the map, along each axis.
constexpr Index distance_nodes = 2;

// Of memory for each node while a map is made: the node, and distances on the host and where work
// runs.
constexpr double map_node_bytes(int dim) {
  return sizeof(Row4) +
         2.0 * sizeof(Real) * (dim == 2 ? 1 : distance_nodes) * distance_nodes * distance_nodes;
}

// Makes the nodes from the signed distance at the nodes of a grid distance_nodes times as fine.
// hidden: the part of the kernel beyond a plane, by the distance of the plane.
//
//   lambda(x) = integral over the solid of W(x - x') dx',      n = -grad lambda / |grad lambda|
//   delta = d + hidden^-1(lambda) - hidden^-1(lambda of the plane at d)
//
// with d the signed distance: both lambdas are summed over the same points, so that their errors
// cancel where the solid is plane. delta <= d + most_excess, lest thin solids be overlooked.
void fill_map(const Exec&, const CubicSpline&, const Profile1& hidden, Real most_excess,
              const MapGrid& fine, Span<const Real> distance, const MapGrid& grid,
              Span<Row4> nodes);

// What turns the plane at delta into neighbours: one alone would have no grip on fluid that slides
// past, since viscous forces act along the line between two rows. So there are two of them, in 3D
// four, b off the foot of the perpendicular.
template <int D>
constexpr Index fan = 2 * (D - 1);

struct VirtualNeighbours {
  Real support;     // H [m]
  Profile1 reach;   // r, how far off the foot is, by delta [m]
  Profile1 aside;   // b [m]
  Profile1 volume;  // V of each [m^D]
};

// Of one boundary, for each fluid row: rows[i own + first + l] = (x*, V) for l = 0 to fan - 1, and
// motion = (velocity of the wall at x*, 0), `ahead` seconds before the pose's own time; w = 0 and
// far away where there is none. Far dummies behind all.
template <int D>
void place_virtual(const Exec&, const WallMap&, const boundary::Pose&, const VirtualNeighbours&,
                   Real ahead, Span<const Row4> fluid, Index first, Index own, Span<Row4> rows,
                   Span<Row4> motion);

// Bends the velocities of rows whose way within dt, from the places of `rows`, would lead deeper
// into the solid than `limit` (< 0 [m]): so long a step would carry them past all forces. What
// points into the solid is lost where that happens. `ahead`: of the rows, at the step's start.
// If there is a force, force[i own + first] += scale (what was lost), and that row stands where row
// i does from then on.
template <int D>
void keep_out(const Exec&, const WallMap&, const boundary::Pose&, Real limit, Real ahead, Real dt,
              Span<const Row4> fluid, Span<Row4> motion, Index first, Index own, Real scale,
              Span<Row4> rows, Span<Row4> force);

// Velocities anew, of the pose as it is now.
template <int D>
void move_virtual(const Exec&, const boundary::Pose&, Index first, Index own, Span<const Row4> rows,
                  Span<Row4> motion);

// Sums over the rows of one boundary: force and torque about the origin.
template <int D>
ForceAndTorque sum_virtual(const Exec&, Index first, Index own, Span<const Row4> rows,
                           Span<const Row4> force);

}  // namespace rtsim::sph
