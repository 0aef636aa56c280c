#pragma once
#include "exec/exec.h"
#include "rigid/joints/joint.h"
#include "rigid/joints/joint_blocks.h"
#include "rigid/joints/joint_geometric_stiffness.h"
#include "rigid/motion/motion.h"

// Launchers for the joints of rigid bodies. All equations of bodies that joints hold together, an
// island, are solved at once by a sparse block L D L^T (lib/bodies/joints/joint_order.h).
namespace rtsim::rigid {

// Where a joint's equations stand: its node, those of its bodies (-1: the world), and the entries
// between; `..._first`: the body's column holds the entry, not the joint's.
struct JointLink {
  Index node, node_a, node_b;
  Index entry_a, entry_b;
  bool a_first, b_first;
};

// Of a body or of a joint; the other is -1.
struct JointNode {
  Index body, joint;
};

// A body on its way through a part of a substep.
template <int D>
struct RattleState {
  Place<D> from, to;
  Spin<D> spin;                      // [rad/s] at the end
  Place<D> start;                    // of the substep
  BlockColumn<freedoms<D>> leaving;  // velocities there; of a joint its coordinates
};

// The impulse of a joint, as the forces in JointLoads times the time [N s], [N m s].
template <int D>
struct JointImpulse {
  VecT<double, D> force;
  Spin<D> torque;
  VecT<double, Joint<D>::drives> drive;
};

template <int D>
struct JointSystem {
  static constexpr int size = freedoms<D>;
  Span<const Joint<D>> joints;
  Span<const JointLink> links;
  Span<const JointNode> nodes;
  Span<const Index> islands, first, rows, first_update, updates;
  Span<const std::uint8_t> undriven;  // of islands: no joint of theirs is driven
  // State, of joints.
  Span<VecT<double, size>> impulse;                   // [N s], [N m s] of one substep, on b
  Span<VecT<std::int32_t, Joint<D>::drives>> acting;  // DriveState
  Span<VecT<double, Joint<D>::drives>> coordinate;    // [rad], [m]
  Span<Spin<D>> mass_weighted_spin;                   // [kg^0.5 m/s] of geometric stiffness
  // Of bodies: what their positions round [m]. A thousand joints that are off by as much each would
  // pull a load of 1000 kg at 40 m with 4 times its weight.
  Span<const Vec<D>> rest;
  // Scratch.
  Span<JointRow<D>> equations;  // `size` of each joint
  Span<JointArms<D>> arms;
  Span<Weight<D>> weights;                       // of nodes
  Span<BlockColumn<size>> second_order;          // [m/s], [rad/s] of rows that hold places
  Span<GeometricStiffness> geometric_stiffness;  // of joints
  Span<Block<size>> diagonal, entry;
  Span<BlockColumn<size>> twist, answer;  // of nodes
  Span<RattleState<D>> rattle;            // of nodes, and the joints' impulses in it:
  Span<JointImpulse<D>> rattle_impulse;
  Span<std::uint8_t> carried;         // of bodies: they have flown through this substep
  Span<std::uint8_t> answered_again;  // of islands: since their places were found
};

// The equations where the bodies are, for substeps of h [s]; `solver_bodies` may be null, for the
// start and the end of a step.
template <int D>
void prepare_joints(const Exec&, const JointSystem<D>&, double h, const Bodies<D>&,
                    const Row4* solver_bodies);

// Impulses of the last substep again. What joints do to bodies is none of their pushes; islands
// that are asleep stay as they are.
template <int D>
void warm_start_joints(const Exec&, const JointSystem<D>&, const Bodies<D>&, Span<Push<D>>,
                       Span<Row4> solver_bodies);

struct JointSolve {
  double h;              // [s]
  bool relax;            // only takes back velocities that joints do not allow
  bool factored;         // the equations are those of the solve before
  bool correct = false;  // only takes back what joints are off by, by the equations before
  bool again = false;    // after the same solve in this substep, with other velocities of bodies
  bool last = false;     // after those: only where bodies come to
};

// Velocities that bring bodies in a substep where joints hold. Islands that turn too far in it for
// that are taken through it: kernels/rigid/joints/joint_fast_rotation.h. Behind the contacts'
// solve; further ones of the joints and `drift` leave alone what it carried.
template <int D>
void move_joints(const Exec&, const JointSystem<D>&, const JointSolve&, const Kick&,
                 const Bodies<D>&, const Loads<D>&, Span<Push<D>>, Span<Row4> solver_bodies);

template <int D>
void solve_joints(const Exec&, const JointSystem<D>&, const JointSolve&, const Bodies<D>&,
                  Span<Push<D>>, Span<Row4> solver_bodies);

// What joints do to bodies b [N], their moments about where that acts [N m], and what they do to
// each coordinate that they leave free [N m], [N]: means over a step of dt [s], to which each of
// its substeps adds the impulses last solved for, and the first begins anew.
template <int D>
struct JointLoads {
  Span<VecT<double, D>> force;
  Span<Spin<D>> torque;
  Span<VecT<double, Joint<D>::drives>> drive;
};
template <int D>
void joint_loads(const Exec&, const JointSystem<D>&, double dt, bool first, const JointLoads<D>&);

// Where that acts [m], by the equations last prepared.
template <int D>
void joint_places(const Exec&, const JointSystem<D>&, const Bodies<D>&, Span<VecT<double, D>>);

struct JointFigures {
  double gap = 0;     // [m] the largest
  double energy = 0;  // [J] of springs
};

// Of the equations last prepared.
template <int D>
JointFigures joint_figures(const Exec&, const JointSystem<D>&);

}  // namespace rtsim::rigid
