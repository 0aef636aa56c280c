#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "sph/pairs.h"

// Launchers of the prediction-relaxation scheme (Clavet et al., "Particle-based Viscoelastic Fluid
// Simulation", SCA 2005, sec. 2; the same as position based dynamics): positions are predicted,
// relaxed by shifts, and velocities follow from where they ended. What a step adds to velocity is
// shift / dt, not (x - x_before) / dt, so no digits are lost.
namespace rtsim::relaxation {

// v += dt g, x += dt v
template <int D>
void predict(const Exec&, Real dt, Vec<D> gravity, Span<Vec<D>> velocity, Span<Vec<D>> position);

// Changes shifts so that no path from x - dt v to x + shift, with v and x of the prediction, goes
// through a wall. A wall sample is a ball of 0.9 spacings: those of a square lattice leave no way
// to the surface, half a spacing above them. Where walls are `moving`, they may go a spacing within
// dt. `met`: of each row, the sample that it met first, or -1; `lost`: what it lost of its shift
// there. Both may be empty.
template <int D>
void keep_inside(const Exec&, Real dt, Real spacing, bool moving, const sph::PairRows& walls,
                 Span<const Row4> predicted, Span<const Vec<D>> velocity, Span<Row4> shift,
                 Span<Index> met, Span<Row4> lost);

// x += shift, v += shift / dt
template <int D>
void settle(const Exec&, Real dt, Span<const Row4> shift, Span<Vec<D>> velocity,
            Span<Vec<D>> position);

// rows[i].w = w[i]
void load_w(const Exec&, Span<const Real> w, Span<Row4> rows);

}  // namespace rtsim::relaxation
