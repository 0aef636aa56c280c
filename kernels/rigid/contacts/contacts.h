#pragma once
#include "exec/exec.h"
#include "rigid/contacts/contact_pair.h"
#include "rigid/contacts/contact_stiffness.h"
#include "rigid/contacts/round_surface.h"

// Launchers for the contacts of rigid bodies.
namespace rtsim::rigid {

// What a contact keeps from step to step: of one, or of eight.
template <int D, class T = Real>
struct KeptContact {
  VecT<T, Manifold<D>::most_points> impulse;  // [N s] of one substep
  VecT<T, D> friction;                        // [N s] on b, in the world's axes
  T spin;                                     // [N s] the last number of friction, in space
  VecT<T, D == 2 ? 1 : 3> rolling;            // [N m s] on b
  T load;   // the greatest of late: kernels/rigid/contacts/contact_stiffness.h
  T borne;  // [N s] of the impulses: kernels/rigid/contacts/contact_block.h
};
template <int D>
constexpr Index kept_rows = D == 2 ? 2 : 4;  // of four numbers
template <int D>
constexpr int load_in_kept = D == 2 ? 6 : 11;  // which of them is the load

// Rows for each manifold.
template <int D>
struct ContactState {
  static constexpr int points = Manifold<D>::most_points;
  using Features = VecT<std::uint32_t, points>;
  using Kept = VecT<Real, 4 * kept_rows<D>>;
  Span<Features> features;
  Span<Kept> kept;
};

// Where blocks that have no points of their own find them.
template <int D>
struct BlockPoints {
  Span<const Index> first;  // of each block
  Span<typename ContactBlock<D>::Point> point;
  Span<typename ContactBlock<D>::Feature> feature;
};

template <int D>
struct ContactRows {
  ManifoldList<D> manifolds;
  Span<const Index> slots;     // a manifold for each lane of each block, or -1
  Span<const Index> previous;  // row of a manifold in the state of the last step, or -1
  BlockPoints<D> points;
  Index spare;  // the first of the solver bodies that pad lanes
  Stiffness stiffness;
  bool rolls;                         // whether rolling is resisted
  Span<const RoundSurface<D>> round;  // of bodies, then boundaries; none if nothing is
  Span<const BodyPose<D>> poses;
};

template <int D>
void prepare_contacts(const Exec&, const ContactRows<D>&, const ContactState<D>& last,
                      Span<const Row4> solver_bodies, Span<ContactBlock<D>>);

// The greatest of all blocks.
template <int D>
Real most_load(const Exec&, Span<const ContactBlock<D>>);

// The blocks [begin, end), which are of one colour; `both`: both bodies of each move.
template <int D>
void warm_start(const Exec&, Span<ContactBlock<D>>, Index begin, Index end, bool both,
                Span<Row4> solver_bodies);
template <int D>
void solve_contacts(const Exec&, const ContactLaw&, Span<ContactBlock<D>>, Index begin, Index end,
                    bool both, Span<Row4> solver_bodies);

template <int D>
struct LaneMaterials;

struct ImpactLaw {
  Real h;
  Real restitution;
  Real threshold;  // [m/s]
  Real friction;
  Vec3d gravity;  // [m/s^2]
};
RTSIM_HD inline Even grain_of(const ImpactLaw&) { return {}; }

// Bounces what would come together within the substep faster than the threshold; one pass. Returns
// how many did. `own` and `reported`: of each block, or of none.
template <int D>
Index bounce(const Exec&, const ImpactLaw&, Span<const LaneMaterials<D>> own, Span<ContactBlock<D>>,
             Index begin, Index end, bool both, Span<Row4> solver_bodies,
             Span<ReportedImpulses<D>> reported);

// At the end of each substep.
template <int D>
void add_reported(const Exec&, Span<const ContactBlock<D>>, Span<ReportedImpulses<D>>);

template <int D>
void keep_contacts(const Exec&, Span<const ContactBlock<D>>, const ContactState<D>&);

// On the CPU: a block at once.
template <int D>
void warm_start_lanes(const Exec&, Span<ContactBlock<D>>, Index begin, Index end, bool both,
                      Span<Row4> solver_bodies);
// `own`: of each block, or of none.
template <int D>
void solve_contacts_lanes(const Exec&, const ContactLaw&, Span<const LaneMaterials<D>> own,
                          Span<ContactBlock<D>>, Index begin, Index end, bool both,
                          Span<Row4> solver_bodies);

constexpr double far_turn = 0.1;  // [rad] in a step

// Bodies drifted: masses of contacts become those of bodies that have turned far. Arms at thin ones
// go along with their axes, and separations stay what they are. `turned`: else these are as when
// the step began.
template <int D>
void update_anchors(const Exec&, const Bodies<D>&, const ManifoldList<D>&,
                    Span<const Row4> solver_bodies, bool slender, bool turned,
                    Span<ContactBlock<D>>);

}  // namespace rtsim::rigid
