#pragma once
#include "lanes/row4.h"
#include "skin/skin.h"

// How the points of a mesh respond to forces on samples that they carry. A sample b is where
// x_b = sum_k w_bk x_k, so what pushes it by f_b pushes point i by F_i = sum_b w_bi f_b: the same
// force in all, and the same power. (One of a closed surface lies at an offset along the normal
// besides, whose turning is left out of its velocity and of the points' moments.) Of impulses j the
// samples' velocities get
//   dv_b = sum_i w_bi / m_i sum_c w_ci j_c
namespace rtsim::skin {

// Samples, and which of them each point carries: slots first[p] to first[p + 1] of
// 4 * sample + which of its weights.
struct Shares {
  Span<const Binding> bindings;
  Span<const Index> first, slots;
};

// Points as they are predicted, and the packed rows of their samples.
struct PointMobility {
  Shares shares;
  Span<const Real> inverse_mass;  // 0 of points that are held
  Span<Vec<3>> velocity;
  Span<const Index> places;  // the packed row of each sample
};

// v += h F / m: what forces F on points do in a time h; load += h F of held ones, which may be
// empty.
void kick(const Exec&, Real h, Span<const VecT<double, 3>> force, Span<const Real> inverse_mass,
          Span<Vec<3>> velocity, Span<Vec<3>> load);

// v += h (g / 2 + a), of points that are free: to the mean over h, of gravity and of what else
// acts.
void predict_points(const Exec&, Real h, const Vec<3>& gravity, Span<const Vec<3>> a,
                    const PointMobility&);
// v += h g / 2: to the end of h.
void move_on(const Exec&, Real h, const Vec<3>& gravity, const PointMobility&);

// motion = the velocities of the samples, plus those that take them within 1/inv_h to their
// positions less `lead` times their velocities.
void aim_samples(const Exec&, const PointMobility&, Span<const Vec<3>> position,
                 Span<const Vec<3>> velocity, Real lead, Real inv_h, Span<const Row4> rows,
                 Span<Row4> motion);
// position = rows + h motion + lead velocity, with the velocities that the samples have then.
void carry_samples(const Exec&, const PointMobility&, Span<const Row4> rows,
                   Span<const Row4> motion, Real h, Real lead, Span<Vec<3>> position,
                   Span<Vec<3>> velocity);

// Without a solver that waits for what comes of it: forces on the packed rows act for h on the
// points, these get h (g + a), of those that are free, and samples go on: from where they are,
// position less `lead` velocity, by `way` [s] with the velocity of now.
void push_points(const Exec&, const PointMobility&, Real h, Span<const Index> places,
                 Span<const Row4> force);
void let_fall(const Exec&, Real h, const Vec<3>& gravity, Span<const Vec<3>> a,
              const PointMobility&);
void drift_samples(const Exec&, const PointMobility&, Real lead, Real way, Span<Vec<3>> position,
                   Span<Vec<3>> velocity);

// `push`, a force on each sample [N], acts for h: on points, and so on the motion of all samples.
// Scratch: `gained`, dv of each point. Sums are in double, in the order of the slots.
void apply_impulses(const Exec&, const PointMobility&, Real h, Span<const Row4> push,
                    Span<Vec<3>> gained, Span<Row4> motion);

// A bound of the points' mobility, as that of bodies in rigid/contacts/response.h: with
//   y_b = sum_i |w_bi| / m_i sum_c |w_ci| g_c
// mobility_bound[places[b]] = m y_b. Scratch: `pulled`, of each point.
void find_mobility_bound(const Exec&, const PointMobility&, Real m, Span<const Row4> pull,
                         Span<Real> pulled, Span<Real> mobility_bound);

}  // namespace rtsim::skin
