#include "deformables/contacts/contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "deformables/contacts/kept_points.h"
#include "meshes/add_mesh.h"
#include "shapes/motion.h"
#include "stage/kernel_pose.h"

namespace rtsim {

void describe(Describe& d, ContactParams& p) {
  static constexpr const char* kinds[] = {"boundary", "bodies"};
  static constexpr Option features[] = {
      {"points", int(ContactFeatures::points),
       "its points: what is finer than the mesh pokes through between them."},
      {"faces", int(ContactFeatures::faces),
       "also the deepest place of every triangle, or of every edge where there are none, for "
       "corners and thin poles, however fast either moves. What would still come nearer than four "
       "fifths of the thickness stops short, and loses speed."}};
  d.roles("boundary", p.boundary, kinds,
          "What its points cannot enter, however fast either moves; bodies feel it by the stage "
          "body_contact.");
  d.choice("touch", p.touch, features, "What of the mesh meets boundaries:");
  d("thickness", p.thickness, "m", above(0),
    "How near points come to surfaces, and parts of the mesh to one another. Default: a tenth of "
    "the mean edge.");
  d("friction", p.friction, "", at_least(0), "Coulomb's, on boundaries and on itself.");
  d("restitution", p.restitution, "", between(0, 1),
    "Part of the speed with which points that hit a boundary leave it.");
  d("recovery", p.recovery, "m/s", at_least(0),
    "How fast points that come too close to a boundary, or start inside, are moved out, and meshes "
    "that overlap solids of other meshes apart. Those that start the run nearer than \"thickness\" "
    "are left as near.");
  d("self_contact", p.self_contact,
    "Whether the mesh cannot pass through itself: one that starts free of intersections stays so, "
    "but where held points drag it through itself. Where layers cannot be told apart in time, "
    "their points stop short and lose speed, which strains what hangs on them: take substeps in "
    "which layers come nearer by less than half the thickness.");
  d("marbles", p.proxy_spheres, "m", above(0),
    "In place of \"self_contact\": spheres of this radius at the points stay apart, but for those "
    "that are "
    "nearer at rest. Cheap, and cloth may pass through cloth between them.");
  if (p.proxy_spheres && p.self_contact)
    d.fault("marbles", "are in place of \"self_contact\"; leave one of them away");
  d("self_passes", p.self_passes, "", between(1, 1000),
    "How often a substep pushes parts of the mesh apart.");
}

double contact_point_bytes(const ContactParams& p) {
  const auto solids = double(p.boundary.names.size());
  const bool within = p.self_contact || p.proxy_spheres;
  double bytes = within || solids > 0 ? sizeof(Vec<3>) + sizeof(std::uint32_t) : 0;
  if (p.touch == ContactFeatures::faces && solids > 0)
    bytes += 2 * (7 * sizeof(Index) + 3 * sizeof(Vec<4>) + solids * sizeof(Vec<2>)) +
             sizeof(Index) + sizeof(Real);
  // Measured: trees, and the pairs of features that share no point and are as near as neighbours.
  if (within)
    bytes += p.proxy_spheres ? 100. * sizeof(Real) : 130 * sizeof(Index) + 220 * sizeof(Real);
  return bytes;
}

namespace {

constexpr int face_passes = 4, most_rounds = 20, most_tries = 20;
constexpr double most_parts = 64;

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
    : ex_(world.exec),
      p_(p),
      mesh_(meshes.front()),
      thickness_(0),
      earlier_x_(world.exec),
      earlier_v_(world.exec),
      pushed_x_(world.exec),
      pushed_v_(world.exec),
      pushed_by_(world.exec),
      marked_(world.exec),
      began_(world.exec) {
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
  for (ContactSolid& s : boundaries_)
    solids_.push_back({&s, nullptr, 0, 0, s.deforms() ? &s : nullptr});
  for (ContactBodies& b : bodies_)
    for (Index row = 0; row < b.size(); ++row) solids_.push_back({&b.solid(row), &b, row, 0});
  if (p.touch == ContactFeatures::faces)
    for (const std::string& b : p.boundary.names)
      refuse_deforming(world.object(b), "\"touch\": \"faces\"");
  if (!solids_.empty() && p.touch == ContactFeatures::faces)
    faces_ = std::make_unique<FaceContact>(world, meshes);
  const bool within = p.self_contact || p.proxy_spheres;
  if (solids_.empty() && !within && meshes.size() < 2) return;
  thickness_ = p.thickness ? *p.thickness : 0.1 * mean_edge(world, meshes);
  if (!bodies_.empty() && world.has_table(edge_table(mesh_))) edge_ = mean_edge(world, meshes);
  if (!solids_.empty()) find_beginning(world, meshes);
  if (!within && meshes.size() < 2) return;
  const double apart = p.proxy_spheres ? 2 * *p.proxy_spheres : thickness_;
  self_ = std::make_unique<SelfContact>(
      world, meshes,
      SelfContactRules{apart, p.friction, p.self_passes, within, p.proxy_spheres.has_value()});
}

// What begins nearer to solids than the thickness, as what lies on a floor, may stay as near: led
// out, it would leap.
void Contact::find_beginning(World& world, const std::vector<std::string>& meshes) {
  std::vector<Vec<3>> all;
  for (const std::string& m : meshes) {
    const auto x = world.table(m).download<Vec<3>>("position");
    all.insert(all.end(), x.begin(), x.end());
  }
  Buffer<Vec<3>> x(ex_);
  x.upload(all), began_.upload(std::vector<Real>(all.size(), Real(thickness_)));
  for (const Obstacle& s : solids_)
    contact::begin_distances(ex_, s.solid->view(), Real(thickness_),
                             s.bodies ? to_kernel(s.bodies->place(world, s.row)) : start(s, 0),
                             x.span(), began_.span());
  const auto clear = [&](Real d) { return d >= Real(thickness_); };
  if (std::ranges::all_of(began_.download(), clear)) began_ = Buffer<Real>(ex_);
}

int Contact::parts(World& world, const Step& step, int substeps, Span<const Vec<3>> x,
                   Span<const Vec<3>> v, Span<const Real> w) {
  double way = 0;
  for (ContactBodies& b : bodies_) b.begin(world, step), b.enter(0, step.dt);
  for (const Obstacle& s : solids_)
    if (s.bodies)
      way = std::max(way,
                     double(contact::farthest_past(
                         ex_, s.solid->view(), Real(thickness_), to_kernel(s.bodies->start(s.row)),
                         to_kernel(s.bodies->end(s.row)), Real(step.dt), x, v, w)));
  return edge_ > 0 ? int(std::clamp(std::ceil(way / (substeps * edge_)), 1., most_parts)) : 1;
}

void Contact::begin(World& world, const Step& step, int substeps) {
  stopped_ = false;
  for (ContactBodies& b : bodies_) b.begin(world, step);
  substeps_ = substeps;
  start_ = step.time, share_ = step.dt / substeps, at_start_ = step.index == 0;
  if (faces_) faces_->begin(world);
  if (self_) self_->begin(world);
}

// The correction of one solid may move points into another that came before: two rounds for all.
void Contact::keep_out(World& world, int substep, const contact::Points& points, double recovery) {
  const contact::Bounce bounce{Real(p_.restitution), Real(speed_of_rest(world, points.h))};
  for (int round = 0; round < (solids_.size() > 1 ? 2 : 1); ++round)
    for (Obstacle& s : solids_)
      act_on(s, points, [&] {
        contact::keep_out(world.exec, s.solid->view(), rules(s, recovery), bounce,
                          course(s, substep), points);
      });
}

template <class Act>
void Contact::act_on(Obstacle& s, const contact::Points& p, const Act& act) {
  if (s.bodies && !detects_only_) return push_by_body(s, p, act);
  const bool drives = counts_work_ && (s.solid->moves() || s.deforms);
  if (!detects_only_ && !drives) return act();
  keep(ex_, p.v, earlier_v_);
  act();
  if (!detects_only_) return add_work(s, p);
  contact::mark_pushed(ex_, p.w, earlier_v_.span(), p.v, number(s), pushed_by_.span());
}

// Newton's method for the velocity with which the impulse of the body on the points that it pushes
// leaves it that same velocity. They part with the momentum that they had, and no more energy.
template <class Act>
void Contact::push_by_body(Obstacle& s, const contact::Points& p, const Act& act) {
  keep(ex_, p.x, earlier_x_), keep(ex_, p.v, earlier_v_);
  for (int k = 1;; ++k) {
    act();
    const contact::ImpulseSum on = impulse_on(p);
    const contact::PushedMass pushed = pushed_mass(s, p, on);
    if (k == most_tries || converged(s, on, pushed)) return accept(s, p, on, pushed);
    bring_back(ex_, earlier_x_, p.x), bring_back(ex_, earlier_v_, p.v);
  }
}

// Where the body ends is settled: what stops short of that changes its velocity alone. Points as
// heavy as it must not all take the velocity that it had, while it takes theirs: they would swing.
template <class Act>
void Contact::stop_by(Obstacle& s, const contact::Points& p, const Act& act) {
  if (!s.bodies) return act_on(s, p, act);
  keep(ex_, p.v, earlier_v_);
  act();
  const contact::ImpulseSum on = impulse_on(p);
  const double share = s.bodies->inelastic_share(s.row, on, pushed_mass(s, p, on));
  if (share < 1) contact::take_share(ex_, Real(share), earlier_v_.span(), p.v);
  s.bodies->stop_short(s.row, on, share);
}

// The work of a wall that moves with u = v + w x r: the sum of impulses times u; of one that
// deforms, u is how it carries each point.
void Contact::add_work(const Obstacle& s, const contact::Points& p) {
  if (s.deforms) {
    work_of_boundaries_ +=
        contact::work_of_surface(ex_, p.w, earlier_v_.span(), p.v, p.before, s.carried, p.h);
    return;
  }
  const contact::ImpulseSum on = impulse_on(p);
  const Pose at = s.solid->pose(now_);
  work_of_boundaries_ += dot(on.impulse, at.velocity) +
                         dot(on.moment - cross(at.centre, on.impulse), at.angular_velocity);
}

std::vector<Contact::Carrier> Contact::carriers() const {
  std::vector<Carrier> all;
  for (std::size_t k = 0; k < solids_.size(); ++k)
    if (const Obstacle& s = solids_[k]; s.bodies && s.bodies->moves(s.row))
      all.push_back({Index(k), s.bodies->centre(s.row), s.bodies->inertia(s.row)});
  return all;
}

double Contact::unseen_energy(World& world) const {
  return mass_ * norm(world.gravity_vector<3>()) * slack();
}

bool Contact::boundaries_move() const {
  return std::ranges::any_of(boundaries_,
                             [](const ContactSolid& s) { return s.moves() || s.deforms(); });
}

double Contact::kinetic_energy_of_bodies() const {
  double sum = 0;
  for (const ContactBodies& b : bodies_) sum += b.kinetic_energy();
  return sum;
}

void Contact::apply_impulses(World& world, Span<const Vec<3>> before,
                             Span<const contact::PointContact> contacts,
                             Span<const Vec<3>> impulse) {
  for (std::size_t k = 0; k < solids_.size(); ++k)
    if (solids_[k].bodies)
      solids_[k].bodies->apply_impulse(
          solids_[k].row, contact::impulse_sum(world.exec, before, contacts, Index(k), impulse));
}

void Contact::hand_over(World& world) const {
  for (const ContactBodies& b : bodies_) b.write(world);
}

void Contact::press(int substep, const contact::Points& points, double recovery) {
  for (int pass = 0; pass < face_passes; ++pass)
    for (Obstacle& s : solids_)
      act_on(s, points, [&] {
        faces_->press(*s.solid, rules(s, recovery), start(s, substep), end(s, substep), points);
      });
}

contact::Rules Contact::rules(const Obstacle& s, double recovery) const {
  return {Real(thickness_), Real(detects_only_ ? 0 : p_.friction), Real(recovery),
          s.solid->convex(), began_.span()};
}

contact::Pose Contact::start(const Obstacle& s, int substep) const {
  return to_kernel(s.bodies ? s.bodies->start(s.row) : s.solid->pose(start_ + substep * share_));
}
contact::Pose Contact::end(const Obstacle& s, int substep) const {
  return to_kernel(s.bodies ? s.bodies->end(s.row)
                            : s.solid->pose(start_ + (substep + 1) * share_));
}
contact::Course Contact::course(const Obstacle& s, int substep) const {
  return {start(s, substep), end(s, substep), s.carried};
}
// Where what deforms is at the end of the substep, and how it carries points there.
void Contact::deform(World& world, int substep, Span<const Vec<3>> before, Real h) {
  for (Obstacle& s : solids_) {
    if (!s.deforms) continue;
    s.deforms->deform(world, (substeps_ - substep - 1) * share_);
    s.carried = s.deforms->carry(before, h);
  }
}
Index Contact::number(const Obstacle& s) const { return Index(&s - solids_.data()) + 1; }
void Contact::enter(int substep, double h) {
  for (ContactBodies& b : bodies_) b.enter(substep, h);
}

void Contact::resolve(World& world, int substep, Span<const Vec<3>> before, Span<Vec<3>> x,
                      Span<Vec<3>> v, Span<const Real> w, Real h) {
  const contact::Points points{before, x, v, w, h};
  if (self_ && at_start_ && substep == 0) warning_ = self_->intersection_warning(world, before);
  deform(world, substep, before, h);
  enter(substep, h);
  for (Obstacle& s : solids_) s.supporting_mass = 0;
  stopped_ = resolve_contacts(world, substep, points) || stopped_;
  hand_over(world);
  if (substep + 1 == substeps_ && warning_.empty()) warn_of_penetration(world, points);
}

bool Contact::resolve_contacts(World& world, int substep, const contact::Points& p) {
  work_of_boundaries_ = 0, now_ = start_ + (substep + 0.5) * share_;
  const double recovery = p_.recovery * double(p.h);
  keep_out_of_boundaries(world, substep, p, recovery);
  if (self_) {
    self_->prepare(p.before, p.x, Real(recovery));
    self_->repel(p.before, p.x, p.v, p.w, p.h);
    if (faces_) press(substep, p, recovery);
    keep_out(world, substep, p, recovery);
  }
  return stop(world, substep, p);
}

void Contact::keep_out_of_boundaries(World& world, int substep, const contact::Points& p,
                                     double recovery) {
  keep_out(world, substep, p, recovery);
  if (!faces_) return;
  press(substep, p, recovery);
  keep_out(world, substep, p, recovery);
}

void Contact::push(World& world, int substep, const contact::Points& p, double recovery,
                   bool again) {
  deform(world, substep, p.before, p.h);
  keep_out_of_boundaries(world, substep, p, recovery);
  if (!self_) return;
  self_->prepare_nearest(p.before, p.x, Real(recovery), again);
  self_->repel(p.before, p.x, p.v, p.w, p.h);
  if (faces_) press(substep, p, recovery);
  keep_out(world, substep, p, recovery);
}

void Contact::stop_short(World& world, int substep, const contact::Points& p) {
  if (self_ && at_start_ && substep == 0) warning_ = self_->intersection_warning(world, p.before);
  stopped_ = stop(world, substep, p) || stopped_;
}

bool Contact::tangled(Span<const Vec<3>> position) const {
  return self_ && (self_->points_inside(position) > 0 || self_->intersections(position) > 0);
}

contact::ImpulseSum Contact::impulse_on(const contact::Points& p) const {
  return contact::impulse_sum(ex_, p.x, p.w, earlier_v_.span(), p.v);
}

// Of the points that the body has just pushed.
contact::PushedMass Contact::pushed_mass(const Obstacle& s, const contact::Points& p,
                                         const contact::ImpulseSum& on) const {
  if (on.none()) return {};
  return contact::pushed_mass(ex_, p.x, p.w, earlier_v_.span(), p.v, s.bodies->end_centre(s.row));
}

// Whether the velocity that was tried has; else the next one is to be tried.
bool Contact::converged(const Obstacle& s, const contact::ImpulseSum& on,
                        contact::PushedMass pushed) {
  if (!s.bodies->moves(s.row)) return true;
  if (on.none()) return s.bodies->back_off(s.row, slack());
  for (auto& row : pushed.resists.m)  // what bounces changes by (1 + e) times as much
    for (double& k : row) k *= 1 + p_.restitution;
  return s.bodies->newton_step(s.row, on, pushed, slack());
}

// The body takes the reaction, or such a share of it, and the points of what pushed them, that
// their energy does not grow: all, unless the tries have not converged.
void Contact::accept(Obstacle& s, const contact::Points& p, const contact::ImpulseSum& on,
                     const contact::PushedMass& pushed) {
  s.supporting_mass = std::max(s.supporting_mass, pushed.resists.m[0][0]);
  const double share = s.bodies->energy_safe_share(s.row, on, pushed);
  if (share < 1) {
    contact::take_share(ex_, Real(share), earlier_x_.span(), p.x);
    contact::take_share(ex_, Real(share), earlier_v_.span(), p.v);
  }
  s.bodies->accept_impulse(s.row, on, share);
}

Index Contact::cells_inside(World& world, const Obstacle& s, Span<const Vec<3>> x) const {
  const contact::Pose at = end(s, substeps_ - 1);
  const auto count = [&]<int N>(const std::string& table) {
    return contact::count_inside<N>(ex_, s.solid->view(), Real(thickness_), at,
                                    world.table(table).column<const Corners<N>>("corners"), x);
  };
  if (world.has_table(tet_table(mesh_))) return count.template operator()<4>(tet_table(mesh_));
  if (world.has_table(triangle_table(mesh_)))
    return count.template operator()<3>(triangle_table(mesh_));
  return count.template operator()<2>(edge_table(mesh_));
}

// Points push a body by their correction d with m d / h: a body that rests on them by its weight M
// g sinks in by d = M/m g h^2 in each substep, and through them where that is more than contact can
// keep.
void Contact::warn_of_penetration(World& world, const contact::Points& p) {
  for (const Obstacle& s : solids_) {
    if (!s.bodies || !s.bodies->moves(s.row)) continue;
    const Index inside = cells_inside(world, s, p.x);
    if (inside == 0) continue;
    const double body = s.bodies->inertia(s.row).m[0][0];
    const double sunk = body / std::max(s.supporting_mass, 1e-9 * body) *
                        norm(world.gravity_vector<3>()) * p.h * p.h;
    warning_ = fmt::format(
        "{} cells of '{}' are inside row {} of '{}', which weighs {:.3g} kg, while {:.3g} kg of "
        "points touch it: ",
        inside, mesh_, s.row, s.bodies->name(), body, s.supporting_mass);
    warning_ += sunk > thickness_ ? fmt::format("to rest on them it takes about {:.0f} substeps",
                                                std::ceil(substeps_ * std::sqrt(sunk / thickness_)))
                                  : std::string("take more substeps, or a larger \"thickness\"");
    return;
  }
}

// Marked points go no further than where they cannot meet other marked ones, nor enter a solid that
// stands: each round either ends or marks at least one point more; after many of them all are.
bool Contact::stop(World& world, int substep, const contact::Points& p) {
  if (!self_ && !faces_) return false;
  if (self_) self_->prepare_stop(p.before, p.x);
  if (faces_)
    for (std::size_t k = 0; k < solids_.size(); ++k)
      faces_->look(k, *solids_[k].solid, Real(thickness_), start(solids_[k], substep), p.before);
  marked_.resize(std::size_t(p.x.size)), marked_.zero();
  for (int round = 0; round <= most_rounds; ++round) {
    if (mark(substep, p) == 0) return round > 0;
    if (round == most_rounds) contact::mark_all(world.exec, marked_.span());
    for (std::size_t k = 0; faces_ && k < solids_.size(); ++k)
      stop_by(solids_[k], p, [&] {
        faces_->shorten(k, start(solids_[k], substep), end(solids_[k], substep), marked_.span(), p);
      });
    if (self_) self_->shorten(marked_.span(), p.before, p.x, p.v, p.w, p.h);
  }
  return true;
}

Index Contact::mark(int substep, const contact::Points& p) {
  Index n = self_ ? self_->mark_meeting(p.before, p.x, marked_.span()) : 0;
  for (std::size_t k = 0; faces_ && k < solids_.size(); ++k)
    n += faces_->mark_entering(k, *solids_[k].solid, Real(thickness_), start(solids_[k], substep),
                               end(solids_[k], substep), p.before, p.x, marked_.span());
  return n;
}

Index Contact::intersections(Span<const Vec<3>> position) const {
  return self_ ? self_->intersections(position) : 0;
}

void Contact::push_apart(Span<const Vec<3>> x, Span<Vec<3>> v, Span<const Real> w, Real h) {
  if (self_) self_->push_apart(x, v, w, Real(p_.recovery) * h, h);
}

std::optional<Index> Contact::points_inside(Span<const Vec<3>> position) const {
  if (!self_ || !self_->moves_apart()) return {};
  return self_->points_inside(position);
}

void Contact::find_contacts(World& world, int substep, Span<const Vec<3>> x, Span<const Vec<3>> v,
                            Span<const Real> w, Real h, Span<contact::PointContact> to) {
  enter(substep, h);
  deform(world, substep, x, h);
  for (std::size_t k = 0; k < solids_.size(); ++k)
    contact::find_contacts(world.exec, solids_[k].solid->view(), Index(k), rules(solids_[k], 0),
                           course(solids_[k], substep), h, x, v, w, to);
}

bool Contact::add_contacts(World& world, int substep, Span<const Vec<3>> before,
                           Span<const Vec<3>> x, Span<const Vec<3>> v, Span<const Real> w, Real h,
                           Span<contact::PointContact> to) {
  keep(ex_, x, pushed_x_), keep(ex_, v, pushed_v_);
  const contact::Points p{before, pushed_x_.span(), pushed_v_.span(), w, h};
  pushed_by_.resize(std::size_t(x.size)), pushed_by_.zero();
  deform(world, substep, before, h);
  detects_only_ = true;
  keep_out(world, substep, p, p_.recovery * double(h));
  if (faces_) press(substep, p, p_.recovery * double(h));
  detects_only_ = false;
  Index found = 0;
  for (std::size_t k = 0; k < solids_.size(); ++k) {
    const Obstacle& s = solids_[k];
    const contact::Course ran = course(s, substep);
    contact::Course expected = ran;
    if (s.bodies) expected.end = to_kernel(s.bodies->free_end(s.row));
    found += contact::add_contacts(ex_, Index(k), Real(slack()), ran, expected, p, v,
                                   pushed_by_.span(), to);
  }
  for (ContactBodies& b : bodies_)
    if (found > 0) b.restore_substep();
  return found > 0;
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
