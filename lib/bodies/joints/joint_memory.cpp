#include "bodies/joints/joint_memory.h"

#include "rigid/joints/joints.h"

namespace rtsim {

namespace {

// As lib/bodies/rigid_joints.h and joint_table.h keep them.
template <int D>
double bytes(const JointOrder& o, std::size_t joints, Index bodies) {
  using namespace rigid;
  constexpr int size = freedoms<D>;
  const double state = sizeof(VecT<double, size>) + sizeof(VecT<std::int32_t, Joint<D>::drives>) +
                       sizeof(VecT<double, Joint<D>::drives>) + sizeof(JointImpulse<D>);
  const double shown = 3 * sizeof(std::int32_t) + sizeof(VecT<double, D>) +
                       sizeof(JointImpulse<D>) + sizeof(VecT<double, Joint<D>::drives>);
  const double joint = state + shown + sizeof(Joint<D>) + sizeof(JointLink) +
                       size * sizeof(JointRow<D>) + sizeof(JointArms<D>) + sizeof(VecT<double, D>) +
                       sizeof(GeometricStiffness) + sizeof(JointImpulse<D>);
  const double node = sizeof(JointNode) + 2 * sizeof(Index) + sizeof(Block<size>) +
                      2 * sizeof(BlockColumn<size>) + sizeof(RattleState<D>);
  return double(joints) * joint + double(o.nodes.size()) * node +
         double(o.rows.size()) * (sizeof(Index) + sizeof(Block<size>)) +
         double(o.updates.size()) * sizeof(Index) + double(bodies) * (sizeof(Vec<D>) + 1);
}

}  // namespace

double joint_bytes(const std::vector<JointEnds>& joints, Index bodies, int dim) {
  if (joints.empty()) return 0;
  const JointOrder o = order_joints(joints, bodies);
  return dim == 2 ? bytes<2>(o, joints.size(), bodies) : bytes<3>(o, joints.size(), bodies);
}

}  // namespace rtsim
