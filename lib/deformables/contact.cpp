#include "deformables/contact.h"

#include <fmt/format.h>

#include <cmath>

#include "meshes/add_mesh.h"
#include "shapes/motion.h"
#include "stage/kernel_pose.h"

namespace rtsim {

void describe(Describe& d, ContactParams& p) {
  static constexpr const char* kinds[] = {"boundary", "bodies"};
  static constexpr Option touches[] = {
      {"points", int(Touch::points),
       "its points: what is finer than the mesh pokes through between them."},
      {"faces", int(Touch::faces),
       "also the deepest place of every triangle, or of every edge where there are none, for "
       "corners and thin poles, however fast either moves. What would still come nearer than four "
       "fifths of the thickness stops short, and loses speed."}};
  d.roles("boundary", p.boundary, kinds,
          "What its points cannot enter, however fast either moves; bodies feel it by the stage "
          "cloth_rigid.");
  d.choice("touch", p.touch, touches, "What of the mesh meets boundaries:");
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
    "their points stop short and lose speed, which strains what hangs on them: take substeps in "
    "which layers come nearer by less than half the thickness.");
  d("marbles", p.marbles, "m", above(0),
    "In place of \"self_contact\": spheres of this radius at the points stay apart, but for those "
    "that are "
    "nearer at rest. Cheap, and cloth may pass through cloth between them.");
  if (p.marbles && p.self_contact)
    d.fault("marbles", "are in place of \"self_contact\"; leave one of them away");
  d("self_passes", p.self_passes, "", between(1, 1000),
    "How often a substep pushes parts of the mesh apart.");
}

double contact_point_bytes(const ContactParams& p) {
  const auto solids = double(p.boundary.names.size());
  const bool within = p.self_contact || p.marbles;
  double bytes = within || solids > 0 ? sizeof(Vec<3>) + sizeof(std::uint32_t) : 0;
  if (p.touch == Touch::faces && solids > 0)
    bytes += 2 * (7 * sizeof(Index) + 3 * sizeof(Vec<4>) + solids * sizeof(Vec<2>)) +
             sizeof(Index) + sizeof(Real);
  // Measured: trees, and the pairs of features that share no point and are as near as neighbours.
  if (within) bytes += p.marbles ? 100. * sizeof(Real) : 130 * sizeof(Index) + 220 * sizeof(Real);
  return bytes;
}

namespace {

constexpr int face_passes = 4, most_rounds = 20;

double mean_edge(World& world, const std::vector<std::string>& meshes) {
  double sum = 0, count = 0;
  for (const std::string& mesh : meshes) {
    if (!world.has_table(edge_table(mesh)))
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' has no edges to tell its size; give a \"thickness\"", mesh));
    const auto x = world.table(mesh).download<Vec<3>>("position");
    const auto edges = world.table(edge_table(mesh)).download<Corners<2>>("corners");
    for (const Corners<2>& e : edges)
      sum += norm(widen(x[std::size_t(e[0])]) - widen(x[std::size_t(e[1])]));
    count += double(edges.size());
  }
  return sum / count;
}

const std::string& only(const std::vector<std::string>& meshes, const std::string& bodies) {
  if (meshes.size() > 1)
    throw Error(
        ExitCode::bad_input,
        fmt::format("'{}' are bodies, which stages of one mesh take alone: name them in the "
                    "\"boundary\" of the meshes' solvers",
                    bodies));
  return meshes.front();
}

double speed_of_rest(const World& world, double h) {
  const auto& g = world.gravity;
  return 2 * h * std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

}  // namespace

Contact::Contact(const ContactParams& p, World& world, const std::string& mesh)
    : Contact(p, world, std::vector<std::string>{mesh}) {}

Contact::Contact(const ContactParams& p, World& world, const std::vector<std::string>& meshes)
    : ex_(world.exec), p_(p), thickness_(0), earlier_(world.exec), marked_(world.exec) {
  for (const std::string& mesh : meshes)
    for (const Real m : world.table(mesh).download<Real>("mass")) mass_ += double(m);
  std::vector<std::string> standing;
  for (const std::string& b : p.boundary.names)
    if (!world.object(b).moving) standing.push_back(b);
  if (!standing.empty()) boundaries_.emplace_back(world, standing);
  for (const std::string& b : p.boundary.names)
    if (world.object(b).kind == Kind::bodies)
      bodies_.emplace_back(world, b, only(meshes, b));
    else if (world.object(b).moving)
      boundaries_.emplace_back(world, std::vector<std::string>{b});
  for (const TouchedSolid& s : boundaries_) solids_.push_back({&s});
  for (TouchedBodies& b : bodies_)
    for (Index row = 0; row < b.size(); ++row) solids_.push_back({&b.solid(row), &b, row});
  if (!solids_.empty() && p.touch == Touch::faces)
    faces_ = std::make_unique<FaceContact>(world, meshes);
  const bool within = p.self_contact || p.marbles;
  if (solids_.empty() && !within && meshes.size() < 2) return;
  thickness_ = p.thickness ? *p.thickness : 0.1 * mean_edge(world, meshes);
  if (!within && meshes.size() < 2) return;
  const double apart = p.marbles ? 2 * *p.marbles : thickness_;
  self_ = std::make_unique<SelfContact>(
      world, meshes,
      SelfContactRules{apart, p.friction, p.self_passes, within, p.marbles.has_value()});
}

void Contact::begin(World& world, const Step& step, int substeps) {
  stopped_ = false;
  for (TouchedBodies& b : bodies_) b.begin(world, step);
  substeps_ = substeps;
  start_ = step.time, share_ = step.dt / substeps, at_start_ = step.index == 0;
  if (faces_) faces_->begin(world);
  if (self_) self_->begin(world);
}

// What one solid corrects may lead into another that came before: all have their say twice.
void Contact::keep_out(World& world, int substep, const contact::Points& points) {
  const contact::Bounce bounce{Real(p_.restitution), Real(speed_of_rest(world, points.h))};
  for (int round = 0; round < (solids_.size() > 1 ? 2 : 1); ++round)
    for (const Met& s : solids_)
      by(s, points, [&] {
        contact::keep_out(world.exec, s.solid->view(), rules(s, points.h), bounce, pose(s, substep),
                          pose(s, substep + 1), points);
      });
}

template <class Act>
void Contact::by(const Met& s, const contact::Points& p, const Act& act) {
  if (!s.bodies) return act();
  earlier_.resize(std::size_t(p.v.size));
  ex_.copy(earlier_.data(), p.v.data, earlier_.size() * sizeof(Vec<3>));
  act();
  s.bodies->give(s.row, contact::push_of(ex_, p.before, p.w, earlier_.span(), p.v));
}

void Contact::give(World& world, Span<const Vec<3>> before, Span<const contact::Touch> touches,
                   Span<const Vec<3>> impulse) {
  for (std::size_t k = 0; k < solids_.size(); ++k)
    if (solids_[k].bodies)
      solids_[k].bodies->give(solids_[k].row,
                              contact::push_of(world.exec, before, touches, Index(k), impulse));
}

void Contact::press(int substep, const contact::Points& points) {
  for (int pass = 0; pass < face_passes; ++pass)
    for (const Met& s : solids_)
      by(s, points, [&] {
        faces_->press(*s.solid, rules(s, points.h), pose(s, substep), pose(s, substep + 1), points);
      });
}

contact::Rules Contact::rules(const Met& s, Real h) const {
  return {Real(thickness_), Real(p_.friction), Real(p_.recovery) * h, s.solid->convex()};
}

contact::Pose Contact::pose(const Met& s, int substep) const {
  return to_kernel(s.bodies ? s.bodies->pose(s.row, double(substep) / substeps_)
                            : s.solid->pose(start_ + substep * share_));
}

void Contact::resolve(World& world, int substep, Span<const Vec<3>> before, Span<Vec<3>> x,
                      Span<Vec<3>> v, Span<const Real> w, Real h) {
  const contact::Points points{before, x, v, w, h};
  keep_out(world, substep, points);
  if (faces_) {
    press(substep, points);
    keep_out(world, substep, points);
  }
  if (self_) {
    if (at_start_ && substep == 0) warning_ = self_->complaint(world, before);
    self_->find(before, x, Real(p_.recovery) * h);
    self_->repel(before, x, v, w, h);
    if (faces_) press(substep, points);
    keep_out(world, substep, points);
  }
  stopped_ = stop(world, substep, points) || stopped_;
  for (const TouchedBodies& b : bodies_) b.write(world);
}

// Marked points go no further than where they cannot meet other marked ones, nor enter a solid that
// stands: each round either ends or marks at least one point more; after many of them all are.
bool Contact::stop(World& world, int substep, const contact::Points& p) {
  if (!self_ && !faces_) return false;
  if (self_) self_->cover(p.before, p.x);
  if (faces_)
    for (std::size_t k = 0; k < solids_.size(); ++k)
      faces_->look(k, *solids_[k].solid, Real(thickness_), pose(solids_[k], substep), p.before);
  marked_.resize(std::size_t(p.x.size)), marked_.zero();
  for (int round = 0; round <= most_rounds; ++round) {
    if (mark(substep, p) == 0) return round > 0;
    if (round == most_rounds) contact::mark_all(world.exec, marked_.span());
    for (std::size_t k = 0; faces_ && k < solids_.size(); ++k)
      by(solids_[k], p, [&] {
        faces_->shorten(k, pose(solids_[k], substep), pose(solids_[k], substep + 1), marked_.span(),
                        p);
      });
    if (self_) self_->shorten(marked_.span(), p.before, p.x, p.v, p.w, p.h);
  }
  return true;
}

Index Contact::mark(int substep, const contact::Points& p) {
  Index n = self_ ? self_->mark_meeting(p.before, p.x, marked_.span()) : 0;
  for (std::size_t k = 0; faces_ && k < solids_.size(); ++k)
    n += faces_->mark_entering(k, *solids_[k].solid, Real(thickness_), pose(solids_[k], substep),
                               pose(solids_[k], substep + 1), p.before, p.x, marked_.span());
  return n;
}

Index Contact::intersections(Span<const Vec<3>> position) const {
  return self_ ? self_->intersections(position) : 0;
}

void Contact::touching(World& world, int substep, Span<const Vec<3>> x, Span<const Vec<3>> v,
                       Span<const Real> w, Real h, Span<contact::Touch> to) {
  for (std::size_t k = 0; k < solids_.size(); ++k)
    contact::touching(world.exec, solids_[k].solid->view(), Index(k), Real(thickness_),
                      pose(solids_[k], substep), pose(solids_[k], substep + 1), h, x, v, w, to);
}

void Contact::measure(World& world, const std::string& mesh, std::vector<Measurement>& out) const {
  if (!self_) return;
  const Span<const Vec<3>> x = world.table(mesh).column<const Vec<3>>("position");
  out.push_back({mesh + ".intersections", double(intersections(x)), ""});
}

Feed Contact::feed() const {
  Feed feed;
  if (any()) feed.hidden = 0.5 * mass_ * p_.recovery * p_.recovery;
  return feed;
}

}  // namespace rtsim
