#include "bodies/joints/rigid_joints.h"

#include <algorithm>
#include <cmath>

#include "bodies/joints/joint_order.h"
#include "bodies/named_bodies.h"
#include "bodies/shapes/body_shape.h"
#include "rigid/joints/joint_bodies.h"
#include "rigid/joints/joint_drive.h"
#include "rigid/motion/free_rotation.h"

namespace rtsim {

using rigid::Joint;
using rigid::JointKind;
using rigid::Place;
using rigid::Turn;

namespace {

VecT<double, 2> flat(const Vec3d& v, VecT<double, 2>*) { return {{v[0], v[1]}}; }
Vec3d flat(const Vec3d& v, Vec3d*) { return v; }

// From the joint's axes to the world's: its axis is x.
Turn<2> axes(const Vec3d& axis, Turn<2>*) {
  const double size = std::hypot(axis[0], axis[1]);
  if (!(size > 0)) return {{1, 0}};
  return {{axis[0] / size, axis[1] / size}};
}
// Its axis is z: the smallest turn from there, or from -z after half a turn about x.
Turn<3> axes(const Vec3d& axis, Turn<3>*) {
  const Vec3d n = (1 / norm(axis)) * axis;
  if (n[2] > 0) return rigid::FreeTop::unit({{-n[1], n[0], 0, 1 + n[2]}});
  return product(rigid::FreeTop::unit({{n[1], -n[0], 0, 1 - n[2]}}), Turn<3>{{1, 0, 0, 0}});
}

template <int D>
Place<D> place(Index row, const std::vector<Vec<D>>& positions,
               const std::vector<rigid::Orientation<D>>& orientations) {
  if (row < 0) return rigid::origin(static_cast<Place<D>*>(nullptr));
  return {rigid::wide(positions[std::size_t(row)]), rigid::wide(orientations[std::size_t(row)])};
}

}  // namespace

template <int D>
Joint<D> local_joint(const JointStart& s, const std::vector<Vec<D>>& positions,
                     const std::vector<rigid::Orientation<D>>& orientations) {
  using V = VecT<double, D>;
  const Place<D> a = place<D>(s.a, positions, orientations),
                 b = place<D>(s.b, positions, orientations);
  const V at = flat(s.at, static_cast<V*>(nullptr)), to = flat(s.to, static_cast<V*>(nullptr));
  const Turn<D> turn = axes(s.axis, static_cast<Turn<D>*>(nullptr));
  const V end = s.kind == JointKind::distance ? to : at;
  Joint<D> j{s.kind, s.a, s.b, {}, {}, {}, {}, norm(to - at), s.stays, {}};
  j.anchor_a = turned(back(a.q), at - a.x), j.anchor_b = turned(back(b.q), end - b.x);
  j.frame_a = product(back(a.q), turn), j.frame_b = product(back(b.q), turn);
  for (int k = 0; k < 3; ++k) j.drive[k] = s.drive[k];
  return j;
}

template Joint<2> local_joint<2>(const JointStart&, const std::vector<Vec<2>>&,
                                 const std::vector<rigid::Orientation<2>>&);
template Joint<3> local_joint<3>(const JointStart&, const std::vector<Vec<3>>&,
                                 const std::vector<rigid::Orientation<3>>&);

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

using rigid::Joint;
using rigid::JointKind;
using rigid::JointLink;
using rigid::JointNode;

namespace {

template <int D>
bool is_plain(const Joint<D>& j) {
  return std::ranges::none_of(j.drive, rigid::has_effect);
}

const char* unit_of(JointKind k) {
  return k == JointKind::hinge || k == JointKind::ball ? "rad" : "m";
}
const char* coordinate_of(JointKind k) {
  if (k == JointKind::distance) return ".length";
  return k == JointKind::slider ? ".shift" : ".angle";
}

}  // namespace

template <int D>
RigidJoints<D>::RigidJoints(World& world, const std::string& stage, const std::string& bodies)
    : table_(stage + ".joints"),
      rests_(stage + ".rests"),
      bodies_(bodies),
      starts_(world.object(bodies).bodies->joints),
      joints_(world.exec),
      links_(world.exec),
      nodes_(world.exec),
      islands_(world.exec),
      first_(world.exec),
      rows_(world.exec),
      first_update_(world.exec),
      updates_(world.exec),
      undriven_(world.exec),
      equations_(world.exec),
      arms_(world.exec),
      weights_(world.exec),
      second_order_(world.exec),
      geometric_stiffness_(world.exec),
      diagonal_(world.exec),
      entry_(world.exec),
      twist_(world.exec),
      answer_(world.exec),
      rattle_(world.exec),
      reported_(world.exec),
      carried_(world.exec),
      answered_again_(world.exec) {
  if (starts_.empty()) return;
  add(world);
  order(world.table(bodies).rows());
  place(world, 0);
}

template <int D>
void RigidJoints<D>::add(World& world) {
  Table& of_bodies = world.table(bodies_);
  const auto position = of_bodies.download<Vec<D>>("position");
  const auto orientation = of_bodies.download<rigid::Orientation<D>>("orientation");
  std::vector<Joint<D>> joints;
  std::vector<VecT<double, 3>> coordinate;
  for (const JointStart& s : starts_) {
    joints.push_back(local_joint<D>(s, position, orientation));
    coordinate.push_back({{s.kind == JointKind::distance ? joints.back().length : 0, 0, 0}});
  }
  joints_.upload(joints);
  Table& t = world.add_table(table_, Index(joints.size()));
  t.add<VecT<double, size>>({"impulse", "N s"});
  t.add<VecT<std::int32_t, 3>>({"acting", ""});
  t.add<VecT<double, 3>>({"coordinate", ""}, coordinate);
  t.add<rigid::Spin<D>>({"mass_weighted_spin", "kg^0.5 m/s"});
  t.add<VecT<double, D>>({"force", "N"});
  t.add<rigid::Spin<D>>({"torque", "N m"});
  t.add<VecT<double, 3>>({"drive", ""});
  add_joint_table<D>(world, bodies_, starts_);
  world.add_table(rests_, of_bodies.rows()).template add<Vec<D>>({"position", "m"});
}

template <int D>
void RigidJoints<D>::order(Index bodies) {
  std::vector<JointEnds> ends;
  for (const JointStart& s : starts_) ends.push_back({s.a, s.b});
  const JointOrder o = order_joints(ends, bodies);
  std::vector<JointNode> nodes;
  std::vector<Index> node_of_body(std::size_t(bodies), -1), node_of(ends.size());
  for (const JointOrder::Node& n : o.nodes) {
    (n.body >= 0 ? node_of_body[std::size_t(n.body)] : node_of[std::size_t(n.joint)]) =
        Index(nodes.size());
    nodes.push_back({n.body, n.joint});
  }
  const auto entry = [&](Index m, Index n) {
    const auto begin = o.rows.begin() + o.first[std::size_t(std::min(m, n))],
               end = o.rows.begin() + o.first[std::size_t(std::min(m, n)) + 1];
    return Index(std::lower_bound(begin, end, std::max(m, n)) - o.rows.begin());
  };
  std::vector<JointLink> links;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    JointLink l{node_of[k], -1, -1, -1, -1, false, false};
    l.node_b = node_of_body[std::size_t(ends[k].b)];
    l.entry_b = entry(l.node, l.node_b), l.b_first = l.node_b < l.node;
    if (ends[k].a >= 0) {
      l.node_a = node_of_body[std::size_t(ends[k].a)];
      l.entry_a = entry(l.node, l.node_a), l.a_first = l.node_a < l.node;
    }
    links.push_back(l);
  }
  const std::vector<Joint<D>> joints = joints_.download();
  std::vector<std::uint8_t> undriven;
  for (std::size_t i = 0; i + 1 < o.islands.size(); ++i) {
    bool all = true;
    for (Index k = o.islands[i]; k < o.islands[i + 1]; ++k)
      if (nodes[std::size_t(k)].joint >= 0)
        all = all && is_plain(joints[std::size_t(nodes[std::size_t(k)].joint)]);
    undriven.push_back(all);
  }
  links_.upload(links), nodes_.upload(nodes), islands_.upload(o.islands), first_.upload(o.first);
  rows_.upload(o.rows), first_update_.upload(o.first_update), updates_.upload(o.updates);
  undriven_.upload(undriven);
  equations_.resize(ends.size() * std::size_t(size));
  arms_.resize(ends.size()), weights_.resize(nodes.size()), second_order_.resize(ends.size());
  geometric_stiffness_.resize(ends.size());
  diagonal_.resize(nodes.size()), entry_.resize(o.rows.size());
  twist_.resize(nodes.size()), answer_.resize(nodes.size()), rattle_.resize(nodes.size());
  reported_.resize(ends.size()), carried_.resize(std::size_t(bodies));
  answered_again_.resize(undriven.size());
  reported_.zero(), carried_.zero(), answered_again_.zero();
}

template <int D>
rigid::JointSystem<D> RigidJoints<D>::system(World& world) const {
  Table& t = world.table(table_);
  return {joints_.span(),
          links_.span(),
          nodes_.span(),
          islands_.span(),
          first_.span(),
          rows_.span(),
          first_update_.span(),
          updates_.span(),
          undriven_.span(),
          t.column<VecT<double, size>>("impulse"),
          t.column<VecT<std::int32_t, 3>>("acting"),
          t.column<VecT<double, 3>>("coordinate"),
          t.column<rigid::Spin<D>>("mass_weighted_spin"),
          world.table(rests_).column<const Vec<D>>("position"),
          equations_.span(),
          arms_.span(),
          weights_.span(),
          second_order_.span(),
          geometric_stiffness_.span(),
          diagonal_.span(),
          entry_.span(),
          twist_.span(),
          answer_.span(),
          rattle_.span(),
          reported_.span(),
          carried_.span(),
          answered_again_.span()};
}

template <int D>
Span<Vec<D>> RigidJoints<D>::rests(World& world) const {
  if (none()) return {};
  return world.table(rests_).column<Vec<D>>("position");
}

template <int D>
std::vector<VecT<Index, 2>> RigidJoints<D>::apart() const {
  std::vector<VecT<Index, 2>> pairs;
  for (const JointStart& s : starts_)
    if (s.a >= 0 && !s.collide) pairs.push_back({{std::min(s.a, s.b), std::max(s.a, s.b)}});
  std::ranges::sort(
      pairs, [](const auto& x, const auto& y) { return x[0] != y[0] ? x[0] < y[0] : x[1] < y[1]; });
  return pairs;
}

template <int D>
std::vector<VecT<Index, 2>> RigidJoints<D>::pairs() const {
  std::vector<VecT<Index, 2>> all;
  for (const JointStart& s : starts_)
    if (s.a >= 0) all.push_back({{s.a, s.b}});
  return all;
}

template <int D>
std::vector<std::uint8_t> RigidJoints<D>::held(Index bodies) const {
  std::vector<std::uint8_t> is(std::size_t(bodies), 0);
  for (const JointStart& s : starts_)
    for (const int row : {s.a, s.b})
      if (row >= 0) is[std::size_t(row)] = 1;
  return is;
}

template <int D>
void RigidJoints<D>::place(World& world, double h) {
  if (none()) return;
  factored_ = false;
  prepare_joints<D>(world.exec, system(world), h, body_view<D>(world.table(bodies_)), nullptr);
}

template <int D>
void RigidJoints<D>::add_loads(World& world, double dt, bool first) {
  if (none()) return;
  joint_loads<D>(world.exec, system(world), dt, first, loads(world));
}

template <int D>
rigid::JointLoads<D> RigidJoints<D>::loads(World& world) const {
  Table& t = world.table(table_);
  return {t.column<VecT<double, D>>("force"), t.column<rigid::Spin<D>>("torque"),
          t.column<VecT<double, 3>>("drive")};
}

template <int D>
void RigidJoints<D>::before_frame(World& world) {
  if (none() || !shown_) return;
  fill_joint_table<D>(world, bodies_, system(world), body_view<D>(world.table(bodies_)),
                      loads(world));
}

template <int D>
void RigidJoints<D>::warm_start(World& world, Span<rigid::Push<D>> pushes,
                                Span<Row4> solver_bodies) {
  if (none()) return;
  warm_start_joints<D>(world.exec, system(world), body_view<D>(world.table(bodies_)), pushes,
                       solver_bodies);
}

template <int D>
void RigidJoints<D>::solve(World& world, const rigid::Kick& k, const rigid::Loads<D>& loads,
                           Span<rigid::Push<D>> pushes, Span<Row4> solver_bodies) {
  if (none()) return;
  move_joints<D>(world.exec, system(world), {double(k.h), false, factored_}, k,
                 body_view<D>(world.table(bodies_)), loads, pushes, solver_bodies);
}

template <int D>
void RigidJoints<D>::solve_again(World& world, double h, bool relaxes, Span<rigid::Push<D>> pushes,
                                 Span<Row4> solver_bodies) {
  rigid::JointSolve how{h, relaxes, factored_};
  how.again = true;
  solve_joints<D>(world.exec, system(world), how, body_view<D>(world.table(bodies_)), pushes,
                  solver_bodies);
}

template <int D>
void RigidJoints<D>::find_places(World& world, double h, Span<rigid::Push<D>> pushes,
                                 Span<Row4> solver_bodies) {
  rigid::JointSolve how{h, false, factored_};
  how.again = how.last = true;
  solve_joints<D>(world.exec, system(world), how, body_view<D>(world.table(bodies_)), pushes,
                  solver_bodies);
}

template <int D>
void RigidJoints<D>::relax(World& world, double h, Span<rigid::Push<D>> pushes,
                           Span<Row4> solver_bodies) {
  if (none()) return;
  const rigid::Bodies<D> bodies = body_view<D>(world.table(bodies_));
  prepare_joints<D>(world.exec, system(world), h, bodies, solver_bodies.data);
  solve_joints<D>(world.exec, system(world), {h, true, false}, bodies, pushes, solver_bodies);
  factored_ = true;
}

template <int D>
void RigidJoints<D>::measure(World& world, std::vector<Measurement>& out) const {
  if (none()) return;
  const rigid::JointFigures f = joint_figures<D>(world.exec, system(world));
  out.push_back({bodies_ + ".joint_error", f.gap, "m"});
  out.push_back({bodies_ + ".joint_energy", f.energy, "J"});
  for (std::size_t k = 0; k < starts_.size(); ++k)
    if (!starts_[k].name.empty()) measure_named(world, k, out);
}

// No motor pushes beyond its speed.
template <int D>
double RigidJoints<D>::motor_power() const {
  double power = 0;
  for (const JointStart& start : starts_)
    for (const rigid::Drive& d : start.drive)
      if (d.kind == rigid::DriveKind::motor) power += d.strength * std::abs(d.speed);
  return power;
}

template <int D>
void RigidJoints<D>::measure_named(World& world, std::size_t joint,
                                   std::vector<Measurement>& out) const {
  const std::string name = bodies_ + "." + starts_[joint].name;
  const JointStart& start = starts_[joint];
  Table& t = world.table(table_);
  VecT<double, 3> coordinate, drive;
  VecT<double, D> force;
  const auto of_joint = [&](auto& value, const char* column) {
    const auto all = t.column<std::remove_reference_t<decltype(value)>>(column);
    world.exec.download(&value, all.data + joint, sizeof value);
  };
  of_joint(coordinate, "coordinate"), of_joint(drive, "drive"), of_joint(force, "force");
  if (start.kind != JointKind::fixed && start.kind != JointKind::ball)
    out.push_back({name + coordinate_of(start.kind), coordinate[0], unit_of(start.kind)});
  if (rigid::has_effect(start.drive[0]) && start.kind != JointKind::ball)
    out.push_back({name + ".drive", drive[0], start.kind == JointKind::hinge ? "N m" : "N"});
  out.push_back({name + ".force", norm(force), "N"});
}

template class RigidJoints<2>;
template class RigidJoints<3>;

}  // namespace rtsim
