#include "bodies/joints/joint_table.h"

namespace rtsim {

namespace {

using BodyPair = VecT<std::int32_t, 2>;
using Drives = VecT<double, 3>;

template <class T>
void copy(World& world, Table& t, const char* column, const Span<T>& from) {
  world.exec.copy(t.column<T>(column).data, from.data, std::size_t(from.size) * sizeof(T));
}

}  // namespace

std::string joint_table(const std::string& bodies) { return bodies + ".joint_loads"; }

template <int D>
void add_joint_table(World& world, const std::string& bodies,
                     const std::vector<JointStart>& joints) {
  if (joints.empty()) return;
  std::vector<BodyPair> pairs;
  std::vector<std::int32_t> kinds;
  for (const JointStart& j : joints) {
    pairs.push_back({{std::int32_t(j.a), std::int32_t(j.b)}});
    kinds.push_back(std::int32_t(j.kind));
  }
  Table& t = world.add_table(joint_table(bodies), Index(joints.size()));
  t.beside = {bodies, "joints"};
  t.add<BodyPair>({"bodies", "", Role::derived}, pairs);
  t.add<std::int32_t>({"kind", "", Role::derived}, kinds);
  t.add<VecT<double, D>>({"position", "m", Role::derived});
  t.add<VecT<double, D>>({"force", "N", Role::derived});
  t.add<rigid::Spin<D>>({"torque", "N m", Role::derived});
  t.add<Drives>({"coordinate", "", Role::derived});
  t.add<Drives>({"drive", "", Role::derived});
}

template <int D>
void fill_joint_table(World& world, const std::string& bodies, const rigid::JointSystem<D>& s,
                      const rigid::Bodies<D>& rows, const rigid::JointLoads<D>& loads) {
  Table& t = world.table(joint_table(bodies));
  joint_places<D>(world.exec, s, rows, t.column<VecT<double, D>>("position"));
  copy(world, t, "force", loads.force), copy(world, t, "torque", loads.torque);
  copy(world, t, "coordinate", s.coordinate), copy(world, t, "drive", loads.drive);
}

#define RTSIM_INSTANTIATE(D)                                                                    \
  template void add_joint_table<D>(World&, const std::string&, const std::vector<JointStart>&); \
  template void fill_joint_table<D>(World&, const std::string&, const rigid::JointSystem<D>&,   \
                                    const rigid::Bodies<D>&, const rigid::JointLoads<D>&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)
#undef RTSIM_INSTANTIATE

}  // namespace rtsim
