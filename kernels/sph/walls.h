#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "neighbours/neighbour_lists.h"
#include "skin/shares.h"
#include "sph/cubic_spline.h"
#include "sph/force_and_torque.h"
#include "sph/pairs.h"

// Boundary handling of particle fluids: boundary samples as neighbours of a fluid, with volumes
// after Akinci. What would pass them: keep_inside.h, swept_contact.h; repulsion of spray:
// boundary_repulsion.h; volume maps: wall_map.h; pressure of samples: pressure/samples.h.
namespace rtsim::sph {

// rows[k] = (position of sample order[k], its layer) and motion[k] = (velocity, 0), `ahead` seconds
// before the samples' own time, brought into the box where it repeats; far dummies behind both.
template <int D>
void pack_walls(const Exec&, const PeriodicBox&, Span<const Index> order,
                Span<const Vec<D>> position, Span<const Vec<D>> velocity, Span<const Index> layer,
                Real ahead, Span<Row4> rows, Span<Row4> motion);

// motion[k] = (velocity that takes rows[k] in a time of 1/inv_dt to sample order[k], 0).
template <int D>
void aim_walls(const Exec&, const PeriodicBox&, Span<const Index> order,
               Span<const Vec<D>> position, Span<const Vec<D>> velocity, Real ahead, Real inv_dt,
               Span<const Row4> rows, Span<Row4> motion);

// volume[order[k]] and rows[k].w = V_b = gamma / sum_k W_bk (Akinci et al., "Versatile Rigid-Fluid
// Coupling for Incompressible SPH", SIGGRAPH 2012, eq. 4), over the samples of all boundaries in
// the layer that rows[k].w says: dense samples count for less. gamma < 1 leaves out what samples of
// a thin layer cannot see of the solid on both sides of them.
void wall_volumes(const Exec&, const CubicSpline&, Real gamma, const CellRows& samples,
                  Span<const Index> order, Span<Real> volume, Span<Row4> rows);

// force[order[k]] += scale rows[k].
template <int D>
void unpack_forces(const Exec&, Span<const Index> order, Span<const Row4> rows, Real scale,
                   Span<Vec<D>> force);

// The samples of one boundary that belong to one owner: those are the ones of rows k for which
// order[k] is `first` or more, and `owners` says whose.
struct OwnSamples {
  Span<const Index> order;
  Index first;
  Span<const Index> owners;
  Index owner;
};
// `couple`: torques about the samples themselves [N m].
ForceAndTorque sum_forces(const Exec&, const OwnSamples&, Span<const Row4> rows,
                          Span<const Row4> force, Span<const Row4> couple);

// Likewise of many owners, whose samples of rows k, for which order[k] is `first` or more, stand
// together: those of owner o from starts[o] to starts[o + 1].
void sum_owned(const Exec&, Index first, Span<const Index> starts, Span<const Index> places,
               Span<const Row4> rows, Span<const Row4> force, Span<const Row4> couple,
               Span<ForceAndTorque> sums);
// Likewise of the points of a mesh, each its shares of what the samples that it carries get.
void sum_shared(const Exec&, Index first, const skin::Shares&, Span<const Index> places,
                Span<const Row4> rows, Span<const Row4> force, Span<const Row4> couple,
                Span<ForceAndTorque> sums);
// places[order[k]] = k
void find_places(const Exec&, Span<const Index> order, Span<Index> places);

}  // namespace rtsim::sph
