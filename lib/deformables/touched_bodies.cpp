#include "deformables/touched_bodies.h"

#include <cmath>

#include "bodies/body_shape.h"
#include "rigid/body.h"

namespace rtsim {

namespace {

using Quaternion = rigid::Orientation<3>;

Vec3d mean(const std::vector<Vec3d>& points) {
  Vec3d sum;
  for (const Vec3d& p : points) sum = sum + p;
  return 1 / double(points.size()) * sum;
}

ShapePart part_of_box(const ConvexPart& box) {
  ShapePart p{.kind = ShapePart::Kind::box, .translation = mean(box.points)};
  Vec3d axis[3];
  for (int a = 0; a < 3; ++a) {
    const Vec3d edge = box.points[std::size_t(1) << a] - box.points[0];
    const double length = norm(edge);
    axis[a] = 1 / length * edge;
    p.b[a] = 0.5 * length, p.a[a] = -p.b[a];
  }
  for (int r = 0; r < 3; ++r) p.rotation.row[r] = {{axis[0][r], axis[1][r], axis[2][r]}};
  return p;
}

TriangleMesh surface_of_hull(const ConvexPart& hull) {
  TriangleMesh m;
  m.vertices = hull.points;
  for (const std::vector<int>& f : hull.faces)
    for (std::size_t k = 2; k < f.size(); ++k) m.triangles.push_back({f[0], f[k - 1], f[k]});
  return m;
}

// Trees of hulls are kept in `trees`, which has to live as long as the part.
ShapePart part_of(const ConvexPart& p, std::deque<TriangleTree>& trees) {
  using enum ConvexPart::Kind;
  const Vec3d &a = p.points.front(), &b = p.points.back();
  switch (p.kind) {
    case sphere:
    case capsule:
      return {.kind = ShapePart::Kind::capsule, .a = a, .b = b, .radius = p.radius};
    case cylinder:
      return {.kind = ShapePart::Kind::cylinder, .a = a, .b = b, .radius = p.radius};
    case box:
      return part_of_box(p);
    case hull:
      break;
  }
  trees.emplace_back(surface_of_hull(p));
  return {.kind = ShapePart::Kind::mesh,
          .tree = &trees.back(),
          .normals = PseudoNormals(trees.back().mesh())};
}

// Postfix: the union of all parts.
std::vector<ShapePart> parts_of(const BodyShape& shape, std::deque<TriangleTree>& trees) {
  std::vector<ShapePart> all;
  for (const ConvexPart& p : shape.parts) {
    all.push_back(part_of(p, trees));
    if (all.size() > 1) all.push_back({.kind = ShapePart::Kind::least});
  }
  return all;
}

std::array<double, 4> normalised(std::array<double, 4> q) {
  double square = 0;
  for (const double c : q) square += c * c;
  for (double& c : q) c /= std::sqrt(square);
  return q;
}

}  // namespace

TouchedBodies::TouchedBodies(World& world, const std::string& bodies, const std::string& mesh)
    : bodies_(bodies), seen_(bodies + ".seen@" + mesh), forces_(force_table(bodies, mesh)) {
  Table& t = world.table(bodies);
  const BodySet& set = *world.object(bodies).bodies;
  shape_ = t.download<std::int32_t>("shape");
  for (const BodyShape& shape : set.shapes) {
    std::deque<TriangleTree> trees;
    solids_.emplace_back(world, parts_of(shape, trees));
  }
  Table& seen = world.add_table(seen_, t.rows());
  seen.add<Vec<3>>({"position", "m"}, t.download<Vec<3>>("position"));
  seen.add<Quaternion>({"orientation", ""}, t.download<Quaternion>("orientation"));
  Table& forces = world.add_table(forces_, t.rows());
  forces.add<Vec3d>({"force", "N"}), forces.add<Vec3d>({"torque", "N m"});
  forces.add<Vec3d>({"own_torque", "N m"});
}

std::vector<TouchedBodies::Place> TouchedBodies::read(Table& t) {
  const auto x = t.download<Vec<3>>("position");
  const auto q = t.download<Quaternion>("orientation");
  std::vector<Place> places;
  for (std::size_t b = 0; b < x.size(); ++b)
    places.push_back({widen(x[b]), {q[b][0], q[b][1], q[b][2], q[b][3]}});
  return places;
}

// x + dt v, q + dt/2 w q.
void TouchedBodies::move_on(Table& t, double dt) {
  const auto v = t.download<Vec<3>>("velocity"), w = t.download<Vec<3>>("angular_velocity");
  for (std::size_t b = 0; b < to_.size(); ++b) {
    const Vec3d turn = 0.5 * dt * widen(w[b]);
    auto& q = to_[b].orientation;
    const Vec3d u{{q[0], q[1], q[2]}}, d = q[3] * turn + cross(turn, u);
    to_[b].position = to_[b].position + dt * widen(v[b]);
    q = normalised({q[0] + d[0], q[1] + d[1], q[2] + d[2], q[3] - dot(turn, u)});
  }
}

// A solver that takes its step again must see them where it did before.
void TouchedBodies::begin(World& world, const Step& step) {
  if (step.index != step_) {
    Table &seen = world.table(seen_), &now = world.table(bodies_);
    from_ = read(seen), to_ = read(now);
    centre_.clear();
    for (const Place& p : to_) centre_.push_back(p.position);
    move_on(now, step.dt);
    std::vector<Vec<3>> x;
    std::vector<Quaternion> q;
    for (const Place& p : to_) {
      const auto& o = p.orientation;
      x.push_back(narrow<3>(p.position));
      q.push_back({{Real(o[0]), Real(o[1]), Real(o[2]), Real(o[3])}});
    }
    world.exec.upload(seen.column<Vec<3>>("position").data, x.data(), x.size() * sizeof x[0]);
    world.exec.upload(seen.column<Quaternion>("orientation").data, q.data(),
                      q.size() * sizeof q[0]);
  }
  step_ = step.index, dt_ = step.dt;
  given_.assign(to_.size(), {});
}

// Straight and, by the shorter way, at a nearly steady turn: quaternions in between.
Pose TouchedBodies::pose(Index row, double part) const {
  const Place &a = from_[std::size_t(row)], &b = to_[std::size_t(row)];
  double along = 0;
  std::array<double, 4> q;
  for (std::size_t k = 0; k < 4; ++k) along += a.orientation[k] * b.orientation[k];
  for (std::size_t k = 0; k < 4; ++k)
    q[k] = (1 - part) * (along < 0 ? -1 : 1) * a.orientation[k] + part * b.orientation[k];
  q = normalised(q);
  Pose p;
  const Vec3d u{{q[0], q[1], q[2]}};
  for (int a = 0; a < 3; ++a) {
    Vec3d e;
    e[a] = 1;
    const Vec3d t = 2. * cross(u, e), turned = e + q[3] * t + cross(u, t);
    for (int r = 0; r < 3; ++r) p.row[r][a] = turned[r];
  }
  p.translation = (1 - part) * a.position + part * b.position;
  return p;
}

void TouchedBodies::give(Index row, const contact::Push& push) {
  contact::Push& g = given_[std::size_t(row)];
  g = {g.impulse + push.impulse, g.moment + push.moment};
}

// The mean push of the mesh on each, over the step.
void TouchedBodies::write(World& world) const {
  std::vector<Vec3d> force, torque, own;
  for (std::size_t b = 0; b < given_.size(); ++b) {
    force.push_back(-1 / dt_ * given_[b].impulse), torque.push_back(-1 / dt_ * given_[b].moment);
    own.push_back(torque.back() - cross(centre_[b], force.back()));
  }
  Table& t = world.table(forces_);
  const std::size_t bytes = force.size() * sizeof(Vec3d);
  world.exec.upload(t.column<Vec3d>("force").data, force.data(), bytes);
  world.exec.upload(t.column<Vec3d>("torque").data, torque.data(), bytes);
  world.exec.upload(t.column<Vec3d>("own_torque").data, own.data(), bytes);
}

}  // namespace rtsim
