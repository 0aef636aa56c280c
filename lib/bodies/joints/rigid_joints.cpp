#include "bodies/joints/rigid_joints.h"

#include <algorithm>
#include <cmath>

#include "bodies/body_table.h"
#include "bodies/joints/joint_order.h"
#include "bodies/joints/joint_table.h"
#include "bodies/joints/local_joint.h"
#include "bodies/shapes/body_shape.h"
#include "rigid/joints/joint_drive.h"

namespace rtsim {

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
      beyond_(world.exec),
      geometric_stiffness_(world.exec),
      diagonal_(world.exec),
      entry_(world.exec),
      twist_(world.exec),
      answer_(world.exec),
      rattle_(world.exec),
      reported_(world.exec),
      carried_(world.exec) {
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
  arms_.resize(ends.size()), beyond_.resize(ends.size()), geometric_stiffness_.resize(ends.size());
  diagonal_.resize(nodes.size()), entry_.resize(o.rows.size());
  twist_.resize(nodes.size()), answer_.resize(nodes.size()), rattle_.resize(nodes.size());
  reported_.resize(ends.size()), carried_.resize(std::size_t(bodies));
  reported_.zero(), carried_.zero();
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
          world.table(rests_).column<const Vec<D>>("position"),
          equations_.span(),
          arms_.span(),
          beyond_.span(),
          geometric_stiffness_.span(),
          diagonal_.span(),
          entry_.span(),
          twist_.span(),
          answer_.span(),
          rattle_.span(),
          reported_.span(),
          carried_.span()};
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
void RigidJoints<D>::fast_rotation(World& world, const rigid::Kick& k, const rigid::Loads<D>& loads,
                                   Span<rigid::Push<D>> pushes, Span<Row4> solver_bodies) {
  if (none()) return;
  rotate_fast_joints<D>(world.exec, system(world), k, body_view<D>(world.table(bodies_)), loads,
                        pushes, solver_bodies);
}

template <int D>
void RigidJoints<D>::solve(World& world, double h, Span<rigid::Push<D>> pushes,
                           Span<Row4> solver_bodies) {
  if (none()) return;
  solve_joints<D>(world.exec, system(world), {h, false, factored_},
                  body_view<D>(world.table(bodies_)), pushes, solver_bodies);
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
