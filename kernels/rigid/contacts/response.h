#pragma once
#include "exec/exec.h"
#include "lanes/row4.h"
#include "rigid/motion/solver_body.h"

// How bodies respond to forces on their samples within a step, for pressure solvers that move the
// bodies in each of their iterations (strong coupling). With M the mass, I the inertia about the
// centre x:
//   dv = dt sum_b f_b / M,  dw = dt I^-1 sum_b (x_b - x) x f_b,  dv_b = dv + dw x (x_b - x)
// (Gissler et al., "Interlinked SPH pressure solvers for strong fluid-rigid coupling", ACM TOG
// 38(1), 2019, eqs. 5-8, without their contacts).
namespace rtsim::rigid {

// Bodies as they are predicted, and the packed rows of their samples.
template <int D>
struct BodyMobility {
  Bodies<D> bodies;          // orientations are those at the start
  Span<const Index> starts;  // samples of body o: from starts[o] to starts[o + 1]
  Span<const Index> owner;   // of each sample
  Span<const Index> places;  // the packed row of each
  // Samples in blocks of one body each: block k from blocks[k] to blocks[k + 1], those of body o
  // from body_blocks[o] to body_blocks[o + 1].
  Span<const Index> blocks, body_blocks;
};
constexpr Index block_samples = 256;  // at most

// v += h (g / 2 + a), w += h b: to the mean over h, of gravity and of what else acts.
template <int D>
void predict_bodies(const Exec&, Real h, Vec<D> gravity, Span<const Vec<D>> a,
                    Span<const Angular<D>> b, const Bodies<D>&);
// x += h v, and v += h g / 2: to the end of h.
template <int D>
void move_on(const Exec&, Real h, Vec<D> gravity, const Bodies<D>&);

// motion = the velocities of the bodies at their samples, plus those that take the samples within
// 1/inv_h to their positions less `lead` times their velocities.
template <int D>
void aim_samples(const Exec&, const BodyMobility<D>&, Span<const Vec<D>> position,
                 Span<const Vec<D>> velocity, Real lead, Real inv_h, Span<const Row4> rows,
                 Span<Row4> motion);
// position = rows + h motion + lead velocity, with the velocities that the bodies have there.
template <int D>
void carry_samples(const Exec&, const BodyMobility<D>&, Span<const Row4> rows,
                   Span<const Row4> motion, Real h, Real lead, Span<Vec<D>> position,
                   Span<Vec<D>> velocity);

// x += t v
template <int D>
void advance_samples(const Exec&, Real t, Span<const Vec<D>> velocity, Span<Vec<D>> position);

// `push`, a force on each sample [N], acts for h: on bodies, and so on the motion of all samples.
// Sums are in double, of samples in a block one after the other, and so of blocks. Scratch: `sums`,
// (f, t) of each block, and `gained`, (dv, dw) of each body.
template <int D>
void apply_impulses(const Exec&, const BodyMobility<D>&, Real h, Span<const Row4> push,
                    Span<const Row4> rows, Span<Twist<D, double>> sums, Span<Twist<D, Real>> gained,
                    Span<Row4> motion);

// A bound of the bodies' mobility, for the steps of relaxation of a pressure solver: with a
// particle of mass m that pulls on samples by g_b >= 0 for each unit of its pressure, no sum over a
// row of the matrix is more than m sum_b g_b y_b, where
//   y_b = (sum_c g_c) / M + r_b (sum_c r_c g_c) / I,   r = |x_b - x|, I the least moment;
// g are sums over all particles. mobility_bound[places[b]] = m y_b.
template <int D>
void find_mobility_bound(const Exec&, const BodyMobility<D>&, Span<const Vec<D>> local, Real m,
                         Span<const Row4> pull, Span<Real> mobility_bound);

}  // namespace rtsim::rigid
