#include "deformables/position_based.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "deformables/balloon.h"
#include "deformables/constraints.h"
#include "deformables/convergence.h"
#include "deformables/fine_motion.h"
#include "deformables/impulse_response.h"
#include "deformables/mesh_series.h"
#include "deformables/plates/bends.h"
#include "deformables/reactions.h"
#include "deformables/steady_pushes.h"
#include "deformables/tearing.h"
#include "deformables/tethers.h"
#include "modal/modal.h"
#include "pbd/measures.h"
#include "pbd/motion.h"

namespace rtsim {

namespace {

std::vector<Vec3d> places(World& world, const std::string& mesh) {
  std::vector<Vec3d> points;
  for (const Vec<3>& x : world.table(mesh).download<Vec<3>>("position")) points.push_back(widen(x));
  return points;
}

// w0 + w1 of an edge, the mean of all; a point that no other edge moves counts for nothing.
double mean_mobility(World& world, const std::string& mesh) {
  const auto w = world.table(mesh).download<Real>("inverse_mass");
  const auto edges = corners_of<2>(world, edge_table(mesh));
  std::vector<int> ends(w.size());
  for (const auto& e : edges)
    for (const auto i : e) ++ends[std::size_t(i)];
  double sum = 0;
  for (const auto& e : edges)
    for (const auto i : e)
      if (ends[std::size_t(i)] > 1) sum += double(w[std::size_t(i)]);
  return edges.empty() ? 0 : sum / double(edges.size());
}

class PositionBased final : public Stage {
 public:
  PositionBased(const PositionBasedParams& p, const Resistances& r, World& world)
      : PositionBased(p, remembering(p, r, world), world, places(world, p.mesh.name)) {}

  void advance(World& world, const Step& step) override {
    const double h = step.dt / p_.substeps;
    h_ = h;
    if (tethers_) tethers_->find(world);
    find_held(world);
    if (contact_.any())
      step_with_contact(world, step);
    else if (steady_.any())
      step_pushed(world, h);
    else
      step_freely(world, step.dt / p_.substeps);
    watch_velocities(world, p_.mesh.name,
                     "positions or forces of other stages are too large: use shorter steps");
    if (tearing_ && tearing_->tear(world)) join(world);
  }

  void refresh(World& world, double) override {
    if (!tearing_) return;
    tearing_->refresh(world);
    join(world);
  }

  std::string warning(World&) const override;
  void measure(World& world, std::vector<Measurement>& out) const override;
  Feed feed(World&) const override;

  std::vector<ColumnUse> uses() const override { return uses_of_mesh(p_.mesh.name); }

 private:
  PositionBased(const PositionBasedParams& p, const Resistances& r, World& world,
                const std::vector<Vec3d>& rest)
      : p_(p),
        r_(r),
        edges_(intact_edges(p, r, world, rest)),
        bends_(p, r, world, rest),
        held_at_(world.exec),
        fine_(world, p.mesh.name),
        steady_(world, p.mesh.name),
        contact_(p.contact, world, p.mesh.name),
        before_(world.exec, contact_.any() ? rest.size() : 0),
        place_(world.exec, rest.size()),
        begin_(world.exec, rest.size()),
        motion_(world.exec, rest.size()),
        push_(world.exec) {
    mobility_ = mean_mobility(world, p.mesh.name);
    for (const Vec3d& x : rest) far_ = std::max(far_, norm(x));
    if (p.keep_volume && world.has_table(tet_table(p.mesh.name)))
      tets_.emplace(world.exec, rest.size(),
                    tet_volumes(rest, corners_of<4>(world, tet_table(p.mesh.name))), p.order,
                    r.multipliers);
    if (p.pressure) balloon_.emplace(world, p.mesh.name, *p.pressure, rest);
    if (p.shape_matching) shape_.emplace(*p.shape_matching, world, p.mesh.name, rest);
    if (p.tethers > 0) tethers_.emplace(world, p.mesh.name, p.tethers, rest);
    if (p.tear_strain) tearing_.emplace(world, p.mesh.name, *p.tear_strain), rest_ = rest;
    // What goals and tethers shift free points by comes from no held one.
    if (!shape_ && !tethers_) reactions_.emplace(world, p.mesh.name);
    if (reactions_ && reactions_->wanted()) push_.resize(rest.size());
    if (r.complies)
      world.responses[p.mesh.name] = [this](World& w, const ImpulseResponse& r) { respond(w, r); };
  }

  // What goes there and back takes two iterations at least.
  static Resistances remembering(const PositionBasedParams& p, Resistances r, World& world) {
    r.multipliers =
        r.multipliers || (r.complies && p.keep_volume && world.has_table(tet_table(p.mesh.name)));
    return r;
  }
  static ConstraintSet<pbd::Distance> intact_edges(const PositionBasedParams& p,
                                                   const Resistances& r, World& world,
                                                   const std::vector<Vec3d>& rest) {
    return {world.exec, rest.size(),
            edge_lengths(rest, intact_of<2>(world, edge_table(p.mesh.name))), p.order,
            r.multipliers};
  }
  // What is not torn.
  void join(World& world) {
    edges_ = intact_edges(p_, r_, world, rest_);
    bends_ = Bends(p_, r_, world, rest_);
    held_known_ = false;
  }
  // What depends on inverse masses, where these are others than before: the constraints that pull
  // at held points, and whose motion is fine.
  void find_held(World& world) {
    if (!reactions_) return;
    reactions_->begin(), push_.zero();
    const Span<const Real> w = points(world).inverse_mass;
    if (!held_known_ || modal::any_changed(world.exec, w, held_at_.span())) {
      held_known_ = true;
      const std::vector<Real> inverse_mass = table(world).download<Real>("inverse_mass");
      held_at_.upload(inverse_mass);
      if (push_.size() > 0) find_pushing(inverse_mass);
      fine_.find(inverse_mass);
    }
    pbd::begin_fine(world.exec, points(world), fine_.span());
  }
  void find_pushing(const std::vector<Real>& inverse_mass) {
    edges_.find_held(inverse_mass), bends_.find_held(inverse_mass);
    if (tets_) tets_->find_held(inverse_mass);
  }
  // After a step in substeps of length h.
  void react(World& world, double dt, double h) {
    if (push_.size() == 0) return;
    reactions_->add({table(world).column<const Real>("mass"), points(world).inverse_mass},
                    push_.span(), 1 / h, {Real(dt), world.gravity_vector<3>()});
    reactions_->end(world);
  }

  void step_freely(World& world, double h) {
    const Exec& ex = world.exec;
    pbd::predict(ex, substep(world, h, p_.substeps), points(world), moving());
    for (int s = 0; s < p_.substeps; ++s) {
      if (s > 0) pbd::settle_and_predict(ex, substep(world, h, 1), moving());
      pbd::predict_fine(ex, substep(world, h, 1), fine_.span(), moving());
      project(world, h, iterations(), told());
      pbd::settle_fine(ex, Real(h), fine_.span());
    }
    pbd::settle(ex, substep(world, h, 1), points(world), moving());
    pbd::give_fine(ex, fine_.span(), points(world));
    react(world, h * p_.substeps, h);
  }
  // Pushed anew in each substep.
  void step_pushed(World& world, double h) {
    for (int s = 0; s < p_.substeps; ++s)
      take_substep(world, substep(world, h, p_.substeps - s), h);
    react(world, h * p_.substeps, h);
  }
  void take_substep(World& world, const pbd::Substep& now, double h) {
    const Exec& ex = world.exec;
    const pbd::Points p = points(world);
    steady_.act(world, h);
    pbd::resume_fine(ex, p, fine_.span());
    pbd::predict(ex, now, p, moving());
    pbd::predict_fine(ex, now, fine_.span(), moving());
    project(world, h, iterations(), told());
    pbd::settle_fine(ex, Real(h), fine_.span());
    pbd::settle(ex, now, p, moving());
    pbd::give_fine(ex, fine_.span(), p);
  }
  // Points stop at boundaries on their ways from substep to substep.
  void step_with_contact(World& world, const Step& step) {
    const Exec& ex = world.exec;
    const pbd::Points p = points(world);
    const int substeps = p_.substeps * contact_.parts(world, step, p_.substeps, p.position,
                                                      p.velocity, p.inverse_mass);
    const double h = step.dt / substeps;
    contact_.begin(world, step, substeps);
    for (int s = 0; s < substeps; ++s) {
      const pbd::Substep now = substep(world, h, substeps - s);
      ex.copy(before_.data(), p.position.data, before_.size() * sizeof(Vec<3>));
      take_substep(world, now, h);
      contact_.resolve(world, s, before_.span(), p.position, p.velocity, p.inverse_mass, Real(h));
    }
    react(world, step.dt, h);
  }

  // What the constraints leave of a shift by impulses, over what they do without. (Of shares, which
  // store no energy, points may well be pushed alone.)
  void respond(World& world, const ImpulseResponse& r) {
    if (r.change.size == 0) return;
    const Exec& ex = world.exec;
    const int iterations = p_.substeps * this->iterations();
    if (!r.again) {
      pbd::place(ex, points(world), motion_.span());
      project_from(world, r, {}, iterations);
      ex.copy(begin_.data(), place_.data(), place_.size() * sizeof(Row4));
    }
    project_from(world, r, r.impulse, iterations);
    pbd::velocities(ex, Real(r.h), begin_.span(), place_.span(), r.change);
  }
  void project_from(World& world, const ImpulseResponse& r, Span<const Vec<3>> impulse,
                    int iterations) {
    pbd::shift(world.exec, Real(r.h), motion_.span(), impulse, place_.span());
    // n projections that do not remember give n times as much as one that complies by c / h^2.
    project(world, r_.multipliers ? r.h : r.h / std::sqrt(iterations), iterations, {});
  }

  // All constraints of a substep, the stiffest last: what comes later has it. Projections one after
  // the other are not symmetric as a whole, and where edges comply and volumes do not, slow motions
  // gain energy by that: x' = P (2 x - x_before) keeps |x| as long as the eigenvalues of P are
  // real. So there every other iteration goes back the same way.
  void project(World& world, double h, int iterations, const pbd::Told& told) {
    forget_multipliers();
    for (int i = 0; i < iterations; ++i)
      returns() && i % 2 == 1 ? project_back(world, h, told) : project_all(world, h, told);
  }
  bool returns() const { return r_.complies && tets_; }
  int iterations() const { return returns() ? p_.iterations + p_.iterations % 2 : p_.iterations; }
  void project_all(World& world, double h, const pbd::Told& told) {
    if (r_.bend) bends_.project(softness(*r_.bend, h), place_.span(), told);
    if (r_.stretch.share > 0) edges_.project({softness(r_.stretch, h)}, place_.span(), told);
    if (tets_) tets_->project({softness(r_.volume, h)}, place_.span(), told);
    if (balloon_) balloon_->project(world, softness(r_.volume, h), place_.span(), told);
    if (shape_) project_shape(world);
    if (tethers_) tethers_->project(world, place_.span());
  }
  // Of tetrahedra, which have neither plates nor balloons.
  void project_back(World& world, double h, const pbd::Told& told) {
    constexpr auto backward = pbd::Sweep::backward;
    if (tethers_) tethers_->project(world, place_.span());
    if (shape_) project_shape(world);
    tets_->project({softness(r_.volume, h)}, place_.span(), told, backward);
    if (r_.stretch.share > 0)
      edges_.project({softness(r_.stretch, h)}, place_.span(), told, backward);
  }
  void project_shape(World& world) {
    shape_->project(world, share_of_iteration(p_.shape_matching->stiffness, iterations()),
                    place_.span());
  }
  void forget_multipliers() {
    edges_.forget_multipliers();
    bends_.forget_multipliers();
    if (tets_) tets_->forget_multipliers();
    if (balloon_) balloon_->forget_multipliers();
  }

  // Of constraints with so many points each, `diagonal` apiece.
  Projections projections(World& world, double diagonal, double corners) const {
    const double points = double(table(world).rows());
    return {h_, p_.substeps, p_.iterations, diagonal,
            p_.order == ProjectionOrder::jacobi ? std::max(1.0, corners / points) : 0};
  }

  Table& table(World& world) const { return world.table(p_.mesh.name); }
  pbd::Points points(World& world) const {
    Table& t = table(world);
    return {t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity"),
            t.column<const Real>("inverse_mass"), t.column<const Vec<3>>("target")};
  }
  pbd::Told told() { return {push_.span(), fine_.span().moved}; }
  pbd::Moving moving() { return {place_.span(), begin_.span(), motion_.span()}; }
  pbd::Substep substep(const World& world, double h, int left) const {
    return {Real(h), world.gravity_vector<3>(), Real(std::exp(-h * p_.damping)), Real(left)};
  }

  PositionBasedParams p_;
  Resistances r_;
  ConstraintSet<pbd::Distance> edges_;
  Bends bends_;
  std::optional<ConstraintSet<pbd::TetVolume>> tets_;
  std::optional<Balloon> balloon_;
  std::optional<ShapeMatching> shape_;
  std::optional<TetherSet> tethers_;
  std::optional<Tearing> tearing_;
  std::optional<Reactions> reactions_;
  bool held_known_ = false;  // the constraints at held points
  Buffer<Real> held_at_;     // the inverse masses that they were found with
  FineMotion fine_;
  std::vector<Vec3d> rest_;  // of what tears [m]
  double mobility_ = 0;      // of edges, the mean of w0 + w1 [1/kg]
  double far_ = 0;           // from the origin, at the start [m]
  double h_ = 0;             // of the last substep [s]; 0 before the first
  SteadyPushes steady_;
  Contact contact_;
  Buffer<Vec<3>> before_;  // where points were before a substep with contact
  Buffer<Row4> place_, begin_, motion_;
  Buffer<Row4> push_;  // by constraints on held points, in a step [kg m]; empty: nobody asks
};

// A share, as PBD has it, promises no stiffness.
std::string PositionBased::warning(World& world) const {
  std::string told = contact_.warning();
  if (h_ == 0 || !r_.complies) return told;
  const std::string& m = p_.mesh.name;
  const auto add = [&](const std::string& line) {
    if (!line.empty()) told += (told.empty() ? "" : "\n") + line;
  };
  const Vec3d g = widen(world.gravity_vector<3>());
  const auto position = table(world).column<const Vec<3>>("position");
  if (r_.bend) {
    const pbd::BentSums bent =
        bends_.sums(position, table(world).column<const Real>("inverse_mass"));
    // Rounding of positions bends as well.
    const double digit = double(std::numeric_limits<Real>::epsilon()) * far_;
    if (bent.squares > 100 * digit * digit * bent.gradients)
      add(tell_bending(m, projections(world, bent.weighted / bent.squares, bends_.corners()),
                       1 / r_.bend->compliance));
  }
  if (edges_.size() > 0) {
    const pbd::Strain e =
        pbd::strain(world.exec, edges_.corner(0), edges_.corner(1), edges_.number(0), position);
    add(tell_stretch(m, projections(world, mobility_, 2 * edges_.size()), r_.stretch.compliance,
                     std::sqrt(e.squares / edges_.size())));
  }
  add(tell_rounding(m, projections(world, 0, 0), norm(g), far_));
  return told;
}

void PositionBased::measure(World& world, std::vector<Measurement>& out) const {
  const std::string& m = p_.mesh.name;
  Table& t = table(world);
  const auto position = t.column<const Vec<3>>("position");
  const auto add = [&](const char* quantity, double value, const char* unit) {
    out.push_back({m + "." + quantity, value, unit});
  };
  measure_motion(world, m, out);
  const pbd::Strain e =
      pbd::strain(world.exec, edges_.corner(0), edges_.corner(1), edges_.number(0), position);
  const double edges = std::max(1, edges_.size());  // all may be torn
  add("mean_strain", e.sum / edges, "");
  add("max_strain", e.greatest, "");
  add("strain_residual", std::sqrt(e.squares / edges), "");
  if (tets_)
    add("volume",
        pbd::volume(world.exec, world.table(tet_table(m)).column<const Corners<4>>("corners"),
                    position),
        "m^3");
  if (balloon_) add("volume", balloon_->volume(world, position), "m^3");
  if (tearing_) tearing_->measure(world, out);
  contact_.measure(world, m, out);
}

// Constraints that the start breaks free what no energy is known of; others take up no more than
// what they had from motion and gravity.
Feed PositionBased::feed(World&) const {
  Feed feed = contact_.feed();
  if (balloon_) feed.unknown = "\"pressure\" is a constraint, whose energy nobody knows";
  if (p_.rest_shape == RestShape::flat && r_.bend)
    feed.unknown = "a mesh that is bent at rest unfolds by an energy that nobody knows";
  return feed;
}

}  // namespace

std::unique_ptr<Stage> make_position_based(const PositionBasedParams& p, const Resistances& r,
                                           World& world) {
  return std::make_unique<PositionBased>(p, r, world);
}

double position_based_point_bytes(const PositionBasedParams& p, bool bends) {
  const double edges = 3 * (2 * sizeof(Index) + 3 * sizeof(Real));
  const double triangles = bends ? 2 * (12 * sizeof(Index) + (33 + 9) * sizeof(Real)) : 0;
  const double slots = p.order == ProjectionOrder::jacobi ? 10 * sizeof(Vec<3>) : 0;
  return 3 * sizeof(Row4) + sizeof(Real) + edges + triangles + slots + p.tethers * sizeof(Index) +
         contact_point_bytes(p.contact);
}

}  // namespace rtsim
