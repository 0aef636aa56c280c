#include "bodies/body_tie.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "bodies/named_bodies.h"
#include "bodies/shapes/body_shape.h"

namespace rtsim {

namespace {

std::string name_of(const std::string& bodies, const std::string& mesh, int k) {
  return fmt::format("{}.{}.tie{}", bodies, mesh, k);
}

Index named_body(World& world, const TieSpec& p) {
  std::vector<std::string> names;
  for (const BodySet::Named& n : world.object(p.bodies.name).bodies->names) {
    names.push_back(n.name);
    if (n.name != p.body) continue;
    if (n.count == 1) return n.first;
    throw Error(ExitCode::bad_input,
                fmt::format("\"tie\": '{}' are {} bodies; tie points to one that stands alone",
                            p.body, n.count));
  }
  throw Error(ExitCode::bad_input, fmt::format("\"tie\": no body of '{}' has the \"name\" '{}'{}",
                                               p.bodies.name, p.body, did_you_mean(p.body, names)));
}

// A point weighs a part of one body: two ties would each take the other's part for its own.
void refuse_tied(World& world, const std::string& mesh, const std::vector<Index>& rows) {
  for (const Object& o : world.objects)
    for (int k = 0; world.has_table(name_of(o.name, mesh, k)); ++k)
      for (const Index tied : world.table(name_of(o.name, mesh, k)).download<Index>("row"))
        if (std::ranges::find(rows, tied) != rows.end())
          throw Error(ExitCode::bad_input,
                      fmt::format("\"tie\": point {} of '{}' is tied to a body of '{}' already; "
                                  "tie each point once",
                                  tied, mesh, o.name));
}

// The greatest eigenvalue of K = 1/M - [r] I^-1 [r], which gives the velocity that a unit impulse
// at an arm r makes there, in the body's frame (e.g. Mirtich & Canny 1995, eq. 2).
double mobility(double mass, const Vec3d& inertia, const Vec3d& r) {
  Eigen::Matrix3d cross, inverse = Eigen::Matrix3d::Zero();
  cross << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
  for (int a = 0; a < 3; ++a) inverse(a, a) = 1 / inertia[a];
  const Eigen::Matrix3d K =
      Eigen::Matrix3d::Identity() / mass + cross.transpose() * inverse * cross;
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(K, Eigen::EigenvaluesOnly).eigenvalues()(2);
}

}  // namespace

void describe(Describe& d, TieSpec& p) {
  static constexpr const char* kinds[] = {"bodies"};
  d.role("bodies", p.bodies, kinds, "The object of which the body is.");
  d.required("body", p.body, "Its \"name\".");
}

BodyTie::BodyTie(World& world, const TieSpec& p, const std::string& mesh,
                 const std::vector<Index>& rows)
    : bodies_(p.bodies.name), mesh_(mesh) {
  const Index body = named_body(world, p);
  refuse_tied(world, mesh, rows);
  int k = 0;
  while (world.has_table(name_of(bodies_, mesh_, k))) ++k;
  table_ = name_of(bodies_, mesh_, k);
  Table& t = world.add_table(table_, Index(rows.size()));
  t.add<Index>({"row", ""}, rows);
  t.add<Index>({"body", ""}, std::vector<Index>(rows.size(), body));
  t.add<Vec<3>>({"local", "m"});
  t.add<Real>({"share", "kg"});
  t.add<Vec<3>>({"arm", "m"});
  t.add<Vec<3>>({"velocity", "m/s"});
  t.add<Vec3d>({"lost", "N s"});
  t.add<Vec3d>({"pull", "N"});
  t.add<Real>({"own", "kg"});
  t.add<std::uint32_t>({"taken", ""});
  t.add<std::uint32_t>({"promised", ""});
}

std::vector<BodyTie> BodyTie::between(World& world, const std::string& bodies,
                                      const std::string& mesh) {
  std::vector<BodyTie> all;
  for (int k = 0; world.has_table(name_of(bodies, mesh, k)); ++k)
    all.push_back(BodyTie(name_of(bodies, mesh, k), bodies, mesh));
  return all;
}

// A body answers n impulses at its points, together, at most as points of s = 1 / (n K) would, each
// alone: then what the solver gives them never throws the body back.
void BodyTie::grip(World& world) const {
  Table &own = this->own(world), &from = world.table(bodies_);
  const auto b = std::size_t(body(world));
  const Vec<3> centre = from.download<Vec<3>>("position")[b];
  const auto orientation = from.download<rigid::Orientation<3>>("orientation")[b];
  const double mass = double(from.download<Real>("mass")[b]);
  const Vec3d inertia = widen(from.download<Vec<3>>("inertia")[b]);
  const auto x = world.table(mesh_).download<Vec<3>>("position");
  std::vector<Vec<3>> local;
  std::vector<Real> share;
  const std::vector<Index> rows = own.download<Index>("row");
  for (const Index r : rows) {
    local.push_back(turned(back(orientation), x[std::size_t(r)] - centre));
    share.push_back(Real(1 / (double(rows.size()) * mobility(mass, inertia, widen(local.back())))));
  }
  world.exec.upload(own.column<Vec<3>>("local").data, local.data(), local.size() * sizeof local[0]);
  world.exec.upload(own.column<Real>("share").data, share.data(), share.size() * sizeof share[0]);
}

void BodyTie::take(World& world) const {
  if (mark(world, "promised") == 0 || mark(world, "taken") != 0)
    throw Error(
        ExitCode::bad_input,
        fmt::format("nothing tells '{0}' how '{1}' pulls at it; put a stage "
                    "{{\"type\": \"body_contact\", \"mesh\": \"{1}\", \"bodies\": \"{0}\"}} "
                    "behind the solver of '{1}', and that of '{0}' behind it",
                    bodies_, mesh_));
  attach::take(world.exec, body_view<3>(world.table(bodies_)), body(world), tied(world),
               mesh(world));
  set(world, "taken", 1);
}

void BodyTie::promise(World& world) const { set(world, "promised", 1); }

void BodyTie::give(World& world, double dt) const {
  if (mark(world, "taken") == 0) return;
  const attach::Load load =
      attach::give(world.exec, Real(dt), world.gravity_vector<3>(), tied(world), mesh(world));
  set(world, "taken", 0);
  Table& bodies = world.table(bodies_);
  const auto add = [&](const char* column, const Vec3d& more) {
    Vec<3>* const at = bodies.column<Vec<3>>(column).data + body(world);
    Vec<3> sum;
    world.exec.download(&sum, at, sizeof sum);
    sum = narrow<3>(widen(sum) + more);
    world.exec.upload(at, &sum, sizeof sum);
  };
  add("force", load.force), add("torque", load.torque);
}

void BodyTie::release(World& world) const {
  const std::vector<Vec3d> none(std::size_t(own(world).rows()));
  world.exec.upload(own(world).column<Vec3d>("pull").data, none.data(),
                    none.size() * sizeof none[0]);
}

Vec3d BodyTie::pull(World& world) const {
  Vec3d sum;
  for (const Vec3d& f : own(world).download<Vec3d>("pull")) sum = sum + f;
  return sum;
}

attach::Tied BodyTie::tied(World& world) const {
  Table& t = own(world);
  return {t.column<const Index>("row"),  t.column<const Vec<3>>("local"),
          t.column<const Real>("share"), t.column<Vec<3>>("arm"),
          t.column<Vec<3>>("velocity"),  t.column<Vec3d>("lost"),
          t.column<Vec3d>("pull"),       t.column<Real>("own")};
}

attach::TiedMesh BodyTie::mesh(World& world) const {
  Table& t = world.table(mesh_);
  return {t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity"), t.column<Real>("mass"),
          t.column<Real>("inverse_mass")};
}

void BodyTie::set(World& world, const char* name, std::uint32_t value) const {
  const std::vector<std::uint32_t> all(std::size_t(own(world).rows()), value);
  world.exec.upload(own(world).column<std::uint32_t>(name).data, all.data(),
                    all.size() * sizeof all[0]);
}

}  // namespace rtsim
