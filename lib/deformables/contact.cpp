#include "deformables/contact.h"

#include <fmt/format.h>

#include <cmath>

#include "meshes/add_mesh.h"
#include "shapes/motion.h"
#include "stage/kernel_pose.h"

namespace rtsim {

void describe(Describe& d, ContactParams& p) {
  static constexpr const char* kinds[] = {"boundary"};
  d.roles("boundary", p.boundary, kinds,
          "What its points cannot enter, however fast either moves. Only points meet boundaries: "
          "what is "
          "finer than the mesh pokes through between them.");
  d("thickness", p.thickness, "m", above(0),
    "How near points come to surfaces, and parts of the mesh to one another. Default: a tenth of "
    "the mean edge.");
  d("friction", p.friction, "", at_least(0), "Coulomb's, on boundaries and on itself.");
  d("restitution", p.restitution, "", between(0, 1),
    "Part of the speed with which points that hit a boundary leave it.");
  d("recovery", p.recovery, "m/s", at_least(0),
    "How fast points that start too close to a boundary, or inside, are moved out.");
  d("self_contact", p.self_contact,
    "Whether the mesh cannot pass through itself: one that starts free of intersections stays so, "
    "but where held points drag it through itself. Where layers cannot be told apart in time, "
    "their points stop short and lose speed.");
  d("self_passes", p.self_passes, "", between(1, 1000),
    "How often a substep pushes parts of the mesh apart.");
}

namespace {

double mean_edge(World& world, const std::string& mesh) {
  if (!world.has_table(edge_table(mesh)))
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' has no edges to tell its size; give a \"thickness\"", mesh));
  const auto x = world.table(mesh).download<Vec<3>>("position");
  const auto edges = world.table(edge_table(mesh)).download<Corners<2>>("corners");
  double sum = 0;
  for (const Corners<2>& e : edges)
    sum += norm(widen(x[std::size_t(e[0])]) - widen(x[std::size_t(e[1])]));
  return sum / double(edges.size());
}

double speed_of_rest(const World& world, double h) {
  const auto& g = world.gravity;
  return 2 * h * std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

}  // namespace

Contact::Contact(const ContactParams& p, World& world, const std::string& mesh)
    : p_(p), thickness_(0) {
  std::vector<std::string> standing;
  for (const std::string& b : p.boundary.names)
    if (!world.object(b).moving) standing.push_back(b);
  if (!standing.empty()) solids_.emplace_back(world, standing);
  for (const std::string& b : p.boundary.names)
    if (world.object(b).moving) solids_.emplace_back(world, std::vector<std::string>{b});
  if (solids_.empty() && !p.self_contact) return;
  thickness_ = p.thickness ? *p.thickness : 0.1 * mean_edge(world, mesh);
  if (p.self_contact)
    self_ = std::make_unique<SelfContact>(world, mesh, thickness_, p.friction, p.self_passes);
}

void Contact::begin(World&, const Step& step, int substeps) {
  start_ = step.time, share_ = step.dt / substeps;
  if (self_) self_->begin();
}

// What one solid corrects may lead into another that came before: all have their say twice.
void Contact::keep_out(World& world, int substep, const contact::Points& points) {
  const contact::Bounce bounce{Real(p_.restitution), Real(speed_of_rest(world, points.h))};
  const double from = start_ + substep * share_, to = start_ + (substep + 1) * share_;
  for (int round = 0; round < (solids_.size() > 1 ? 2 : 1); ++round)
    for (const TouchedSolid& s : solids_)
      contact::keep_out(
          world.exec, s.view(),
          {Real(thickness_), Real(p_.friction), Real(p_.recovery) * points.h, s.convex()}, bounce,
          to_kernel(s.pose(from)), to_kernel(s.pose(to)), points);
}

void Contact::resolve(World& world, int substep, Span<const Vec<3>> before, Span<Vec<3>> x,
                      Span<Vec<3>> v, Span<const Real> w, Real h) {
  const contact::Points points{before, x, v, w, h};
  keep_out(world, substep, points);
  if (!self_) return;
  self_->find(before, x, Real(p_.recovery) * h);
  self_->repel(before, x, v, w, h);
  keep_out(world, substep, points);
  self_->stop(before, x, v, w, h);
}

void Contact::touching(World& world, int substep, Span<const Vec<3>> x, Span<const Vec<3>> v,
                       Span<const Real> w, Real h, Span<contact::Touch> to) {
  const double from = start_ + substep * share_, until = start_ + (substep + 1) * share_;
  for (const TouchedSolid& s : solids_)
    contact::touching(world.exec, s.view(), Real(thickness_), to_kernel(s.pose(from)),
                      to_kernel(s.pose(until)), h, x, v, w, to);
}

void Contact::measure(World& world, const std::string& mesh, std::vector<Measurement>& out) const {
  if (!self_) return;
  const Span<const Vec<3>> x = world.table(mesh).column<const Vec<3>>("position");
  out.push_back({mesh + ".intersections", double(self_->intersections(x)), ""});
}

}  // namespace rtsim
