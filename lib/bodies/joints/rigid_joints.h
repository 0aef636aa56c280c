#pragma once
#include <string>
#include <vector>

#include "bodies/joints/joint_start.h"
#include "rigid/joints/joint_bodies.h"
#include "rigid/joints/joints.h"
#include "stage/stage.h"
#include "world/world.h"

namespace rtsim {

// A joint in the frames of its bodies, which stand where the run starts; there its points and axes
// coincide to rounding in doubles.
template <int D>
rigid::Joint<D> local_joint(const JointStart&, const std::vector<Vec<D>>& positions,
                            const std::vector<rigid::Orientation<D>>& orientations);

// The joints of the bodies of an object, a row for each, for frames: derived columns `bodies` (-1:
// the world), `kind` (rigid::JointKind), `position` [m] where its force acts, `force` [N] on the
// second body and `torque` [N m] about that place, `coordinate` [rad], [m] and `drive` [N m], [N]
// of what it leaves free. There is none where there are no joints.
std::string joint_table(const std::string& bodies);

template <int D>
void add_joint_table(World&, const std::string& bodies, const std::vector<JointStart>&);

template <int D>
void fill_joint_table(World&, const std::string& bodies, const rigid::JointSystem<D>&,
                      const rigid::Bodies<D>&, const rigid::JointLoads<D>&);

// The joints of the bodies of one stage: the table `<stage>.joints`, a row for each with its
// impulses, what acts in it, its angle or shift, and its loads on b; the table `<stage>.rests`,
// with what the bodies' positions round; and the equations that the solver works on.
template <int D>
class RigidJoints {
 public:
  // While stages are made, when the bodies stand where the run starts.
  RigidJoints(World&, const std::string& stage, const std::string& bodies);

  bool none() const { return joints_.size() == 0; }
  // Pairs of bodies that do not touch each other, sorted.
  std::vector<VecT<Index, 2>> apart() const;
  // The bodies of each joint; none of those with the world.
  std::vector<VecT<Index, 2>> pairs() const;
  // 1 of bodies that a joint holds.
  std::vector<std::uint8_t> held(Index bodies) const;

  // Of bodies [m]; none without joints.
  Span<Vec<D>> rests(World&) const;

  // At the start and the end of a step, and after a checkpoint is read.
  void place(World&, double h);
  void warm_start(World&, Span<rigid::Push<D>>, Span<Row4> solver_bodies);
  // Before bodies drift, and after: equations where they are then.
  void solve(World&, const rigid::Kick&, const rigid::Loads<D>&, Span<rigid::Push<D>>,
             Span<Row4> solver_bodies);
  // Once more, of velocities that contacts have changed since that, or since `relax`.
  void solve_again(World&, double h, bool relaxes, Span<rigid::Push<D>>, Span<Row4> solver_bodies);
  // Velocities that bring bodies where joints hold, also as contacts have changed them since
  // `solve`.
  void find_places(World&, double h, Span<rigid::Push<D>>, Span<Row4> solver_bodies);
  void relax(World&, double h, Span<rigid::Push<D>>, Span<Row4> solver_bodies);
  // Bodies that `solve` took through the substep itself.
  Span<const std::uint8_t> carried() const { return carried_.span(); }

  // At the end of each substep of a step of dt.
  void add_loads(World&, double dt, bool first);

  // Fills the table of joints from now on.
  void show() { shown_ = true; }
  void before_frame(World&);

  // joint_error [m] and joint_energy [J], and of joints that have a name their angle [rad], shift
  // or length [m], what motors, springs and limits do along it [N m], [N], and the force [N] that
  // holds their points together, both means over the step.
  void measure(World&, std::vector<Measurement>&) const;
  double motor_power() const;  // [W] that motors give at most

 private:
  static constexpr int size = rigid::freedoms<D>;
  void add(World&);
  void order(Index bodies);
  rigid::JointSystem<D> system(World&) const;
  rigid::JointLoads<D> loads(World&) const;
  void measure_named(World&, std::size_t joint, std::vector<Measurement>&) const;

  std::string table_, rests_, bodies_;
  std::vector<JointStart> starts_;
  bool factored_ = false;  // the equations are those of the last solve
  Buffer<rigid::Joint<D>> joints_;
  Buffer<rigid::JointLink> links_;
  Buffer<rigid::JointNode> nodes_;
  Buffer<Index> islands_, first_, rows_, first_update_, updates_;
  Buffer<std::uint8_t> undriven_;
  mutable Buffer<rigid::JointRow<D>> equations_;
  mutable Buffer<rigid::JointArms<D>> arms_;
  mutable Buffer<rigid::Weight<D>> weights_;
  mutable Buffer<rigid::BlockColumn<size>> second_order_;
  mutable Buffer<rigid::GeometricStiffness> geometric_stiffness_;
  mutable Buffer<rigid::Block<size>> diagonal_, entry_;
  mutable Buffer<rigid::BlockColumn<size>> twist_, answer_;
  mutable Buffer<rigid::RattleState<D>> rattle_;
  mutable Buffer<rigid::JointImpulse<D>> reported_;
  mutable Buffer<std::uint8_t> carried_, answered_again_;
  bool shown_ = false;
};

}  // namespace rtsim
