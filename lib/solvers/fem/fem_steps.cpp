#include "solvers/fem/fem_steps.h"

#include <algorithm>
#include <cmath>

#include "mass_spring/mass_spring.h"

namespace rtsim {

namespace {
constexpr int fem_revisions = 4;  // of what sticks, slides and leaves, in a solve

// What a solve has besides points: groups of them that move rigidly, and bodies.
struct GroupsAndBodies {
  FemCoarse* coarse;
  CarryingBodies* bodies;  // may be none

  void find_residual(Span<const Row4> r) {
    if (bodies) bodies->find_residual(r);
  }
  block_cg::Squares precondition(Span<const Row4> r, Span<Row4> q) {
    block_cg::Squares sum;
    if (coarse) sum = coarse->precondition(r, q);
    if (!bodies) return sum;
    const block_cg::Squares more = bodies->precondition(r, q);
    return {sum.rz + more.rz, sum.bound + more.bound};
  }
  void update_direction(double beta) {
    if (bodies) bodies->update_direction(beta);
  }
  double product() const { return bodies ? bodies->product() : 0; }
  void advance(double alpha) {
    if (bodies) bodies->advance(alpha);
  }
};
}  // namespace

FemSteps::FemSteps(World& world, const FemParams& p)
    : p_(p),
      mesh_(p, world),
      pieces_(world.exec, std::size_t(world.table(p.mesh.name).rows()),
              elements_of(world, p.mesh.name)),
      forces_(world.exec),
      energy_at_(world.exec),
      energy_remainder_(world.exec),
      pairs_(world.exec),
      inverse_diagonal_(world.exec),
      impulse_(world.exec),
      guess_(world.exec),
      von_mises_(world.exec),
      energy_density_(world.exec),
      volume_ratio_(world.exec),
      base_(world.exec),
      remainder_(world.exec),
      turned_(world.exec),
      u_(world.exec),
      filter_(world.exec),
      b_(world.exec),
      r_(world.exec),
      p_cg_(world.exec),
      q_(world.exec),
      w_(world.exec),
      change_(world.exec),
      trial_(world.exec) {
  const auto wide = std::size_t(lane_count), points = std::size_t(world.table(p.mesh.name).rows()),
             rows = (points + wide - 1) / wide * wide;
  const fem::Elements all = mesh_.view();
  forces_.resize(std::size_t(all.nodes()) * wide * std::size_t(all.slots.size));
  for (Buffer<Row4>* each : {&base_, &remainder_, &w_, &r_}) each->resize(rows);
  w_.zero();
  if (!p.implicit()) return;
  matrix_.emplace(world, p.mesh.name);
  guess_.resize(points);
  pairs_.resize(std::size_t(all.pairs() * mesh_.count()));
  inverse_diagonal_.resize(rows / wide);
  for (Buffer<Row4>* each : {&turned_, &u_, &filter_, &b_, &p_cg_, &q_, &change_, &trial_})
    each->resize(rows);
}

void FemSteps::pack(const Exec& ex, const fem::CompensatedPlaces& at) {
  mass_spring::pack(ex, at.x, base_.span());
  mass_spring::pack(ex, at.r, remainder_.span());
}

fem::Places FemSteps::places(const Exec& ex, const fem::CompensatedPlaces& at) {
  pack(ex, at);
  return at_base();
}

// A step ends where the next one begins, as a rule.
double FemSteps::elastic_energy(const Exec& ex, const fem::CompensatedPlaces& at) {
  const auto size = std::size_t(at.x.size);
  const auto kept = [&] {
    return fem::CompensatedPlaces{energy_at_.span(), energy_remainder_.span()};
  };
  if (!plastic_ && energy_at_.size() == size && fem::same(ex, kept(), at)) return energy_;
  energy_at_.resize(size), energy_remainder_.resize(size);
  fem::copy(ex, at, kept());
  energy_ = fem::forces(ex, mesh_.view(), places(ex, at), forces_.span());
  return energy_;
}

Span<const Row4> FemSteps::push_on_held() const {
  return p_.implicit() && p_.solve.newton_iterations > 1 ? b_.span() : r_.span();
}
// The scheme's velocities are those of a part c of the step.
double FemSteps::push_scale(double h) const { return p_.implicit() ? h / double(scheme_.c) : h; }

void FemSteps::fill_columns(const Exec& ex, const fem::CompensatedPlaces& at,
                            const fem::ElementColumns& to) {
  for (Buffer<Real>* each : {&von_mises_, &energy_density_, &volume_ratio_})
    each->resize(std::size_t(mesh_.count()));
  const fem::Elements all = mesh_.view();
  fem::columns(ex, all, places(ex, at),
               {von_mises_.span(), energy_density_.span(), volume_ratio_.span()});
  fem::mean_of_elements(ex, all, von_mises_.span(), to.von_mises);
  fem::mean_of_elements(ex, all, energy_density_.span(), to.energy_density);
  fem::mean_of_elements(ex, all, volume_ratio_.span(), to.volume_ratio);
}

fem::Stepping FemSteps::stepping(const FemStep& s) const {
  return {s.points, u_.span(), scheme_.c * Real(p_.rayleigh_mass), scheme_.k};
}

// y and u of the scheme, where pieces turn to with the forces there, and w before the solve.
void FemSteps::begin(const FemStep& s) {
  const Real h = Real(s.h);
  pack(s.exec, s.places);
  const bool middle = p_.integrator == FemIntegrator::newmark, two = two_steps(s);
  const Real part = two ? 2 * h / 3 : h;
  scheme_ = middle ? Scheme{h, h / 4, h / 2} : Scheme{part, part, part};
  if (two)
    fem::start_bdf2(s.exec, s.points, s.places, s.before, {s.gravity, s.force}, h,
                    remainder_.span(), u_.span());
  if (middle) fem::forces(s.exec, mesh_.view(), at_base(), forces_.span());
  if (!two)
    fem::start(s.exec, mesh_.view(), s.points, {s.gravity, s.force}, middle ? h / 2 : h,
               middle ? h / 4 : 0, forces_.span(), u_.span());
  using enum fem::Turning;
  const fem::Turning turning = two ? bdf2 : middle ? trapezoidal : euler;
  fem::seek(s.exec, s.points, s.places,
            {pieces_.turns(s.exec, s.points, s.before.v_after, h, turning), pieces_.piece(),
             s.before, scheme_.s, h, two, turned_.span(), w_.span(), guess_.span()});
  fem::forces(s.exec, mesh_.view(), ahead(turned_.span(), scheme_.s), forces_.span());
}

void FemSteps::explicit_step(const FemStep& s) {
  const fem::Places at = places(s.exec, s.places);
  fem::forces(s.exec, mesh_.view(), at, forces_.span());
  if (s.reacts)
    fem::force_on_held(s.exec, mesh_.view(), s.points, Real(p_.rayleigh_mass), forces_.span(),
                       r_.span());
  fem::symplectic_euler(s.exec, mesh_.view(), s.points, s.places, {s.gravity, s.force},
                        Real(p_.rayleigh_mass), Real(s.h), forces_.span());
}

// Linearised where pieces turn to, for the change of w; from there Newton's steps go on.
void FemSteps::advance(const FemStep& s, ImplicitSolve& all) {
  if (!p_.implicit()) return explicit_step(s);
  if (!s.begun) keep_velocity(s, s.before.v_after);
  begin(s);
  linearise_first(s, ahead(turned_.span(), scheme_.s));
  fem::right_hand_side(s.exec, mesh_.view(), stepping(s), forces_.span(), matrix_->view(),
                       turned_.span(), w_.span(), b_.span());
  cloth::constrained_change(s.exec, s.constraints, guess_.span(), change_.span());
  const block_cg::Result first = solve_contacts(s);
  mass_spring::move_along(s.exec, w_.span(), change_.span(), 1, w_.span());
  all.add(first, p_.solve);
  if (p_.solve.newton_iterations > 1) newton(s, all);
  const fem::Places end = ahead(w_.span(), scheme_.s);
  if (two_steps(s)) return fem::finish_bdf2(s.exec, s.points, s.places, s.before, end, Real(s.h));
  if (p_.integrator == FemIntegrator::bdf2) {
    fem::copy(s.exec, s.places, s.before.places);
    keep_velocity(s, s.before.v);
  }
  fem::finish(s.exec, s.points, s.places, end, s.constraints,
              p_.integrator == FemIntegrator::newmark, s.before.v_after);
}

void FemSteps::keep_velocity(const FemStep& s, Span<Vec<3>> to) {
  s.exec.copy(to.data, s.points.velocity.data, std::size_t(to.size) * sizeof(Vec<3>));
}

void FemSteps::begin_response(const FemStep& s) {
  const Real h = Real(s.h);
  scheme_ = {h, h, h};
  pack(s.exec, s.places);
  w_.zero();
  linearise_first(s, at_base());
}

void FemSteps::respond(const FemStep& s, Span<const Vec<3>> impulse, Span<Vec<3>> change) {
  change_.zero();
  mass_spring::pack(s.exec, impulse, b_.span());
  solve(s, 0);
  mass_spring::unpack(s.exec, change_.span(), change);
}

void FemSteps::assemble(const FemStep& s, const fem::Places& at) {
  fem::tangents(s.exec, mesh_.view(), at, scheme_.k * scheme_.s, pairs_.span());
  matrix_->assemble(s.exec, pairs_.span(), s.points.mass, 1 + scheme_.c * Real(p_.rayleigh_mass));
}
// With the damping of the stiffness that is there, which the step keeps.
void FemSteps::linearise_first(const FemStep& s, const fem::Places& at) {
  matrix_->end_damping();
  assemble(s, at);
  if (p_.rayleigh_stiffness > 0)
    matrix_->begin_damping(s.exec,
                           scheme_.c * Real(p_.rayleigh_stiffness) / (scheme_.k * scheme_.s));
  precondition(s);
}

void FemSteps::precondition(const FemStep& s) {
  cloth::precondition(s.exec, matrix_->view(), s.points, s.constraints, inverse_diagonal_.span(),
                      filter_.span());
  matrix_->update_coarse(s.exec, base_.span(), filter_.span());
}

block_cg::Result FemSteps::solve(const FemStep& s, double found) {
  const block_cg::BlockMatrix A = matrix_->view();
  const auto multiply = [&](Span<const Row4> p, Span<Row4> q) {
    return block_cg::multiply(s.exec, A, p, q);
  };
  block_cg::Levels levels{};  // none but S: groups are in the coarse space
  levels.filter = filter_.span();
  const block_cg::Vectors scratch{r_.span(), p_cg_.span(), q_.span(), inverse_diagonal_.span(),
                                  A.inertia, levels};
  block_cg::Limits limits = p_.solve.cg(found);
  limits.at_end = [&] {
    mass_spring::move_along(s.exec, w_.span(), change_.span(), 1, trial_.span());
    return multiply(trial_.span(), q_.span());
  };
  const bool carries = s.bodies.any();
  if (carries) s.bodies.hold(s.constraints, A);
  const block_cg::Result result =
      block_cg::solve(s.exec, multiply, b_.span(), scratch, limits, change_.span(),
                      GroupsAndBodies{matrix_->coarse(), carries ? &s.bodies : nullptr});
  if (carries) s.bodies.move_surfaces(s.constraints);
  return result;
}

void FemSteps::react(const FemStep& s, Span<const Row4> left) {
  impulse_.resize(std::size_t(s.constraints.size));
  if (s.constraints.size > 0) cloth::reactions(s.exec, s.constraints, left, impulse_.span());
}

block_cg::Result FemSteps::solve_and_react(const FemStep& s, double found) {
  const block_cg::Result result = solve(s, found);
  react(s, r_.span());
  return result;
}

// Again, from where it is, until every point sticks, slides or leaves as its impulse allows.
block_cg::Result FemSteps::solve_contacts(const FemStep& s) {
  block_cg::Result all = solve_and_react(s, 0);
  for (int k = 0; k < fem_revisions && s.constraints.size > 0; ++k) {
    if (cloth::update_active_set(s.exec, {Real(s.friction), guess_.span(), r_.span(), s.constraints,
                                          b_.span(), change_.span()}) == 0)
      break;
    precondition(s);
    const block_cg::Result next = solve_and_react(s, all.found);
    all = {all.iterations + next.iterations, next.error, next.found};
  }
  return all;
}

fem::Gradient FemSteps::gradient(const FemStep& s, Span<const Row4> w) {
  const double energy = fem::forces(s.exec, mesh_.view(), ahead(w, scheme_.s), forces_.span());
  const bool damped = p_.rayleigh_stiffness > 0;
  if (damped) {
    mass_spring::move_along(s.exec, w, turned_.span(), -1, q_.span());
    matrix_->damp(s.exec, q_.span(), b_.span());
  }
  fem::Gradient slope = fem::gradient(s.exec, mesh_.view(), stepping(s), forces_.span(),
                                      s.constraints, turned_.span(), w, damped, b_.span());
  slope.energy += double(scheme_.k) / double(scheme_.s) * energy;
  return slope;
}

// Residuals are relative to the forces that balance; what of them is rounding is left over.
void FemSteps::newton(const FemStep& s, ImplicitSolve& all) {
  gradient(s, w_.span());
  const double k = double(scheme_.k) / p_.solve.newton_tolerance,
               size =
                   fem::force_scale(s.exec, mesh_.view(), stepping(s), forces_.span(), w_.span()) +
                   k * k * mesh_.rounding();
  const auto newton_direction = [&](Span<Row4>) {
    assemble(s, ahead(w_.span(), scheme_.s));
    precondition(s);
    return solve(s, 0);
  };
  rtsim::newton(s.exec,
                {[&](Span<const Row4> w) { return gradient(s, w); }, newton_direction, size},
                p_.solve, w_, change_, trial_, all);
}

}  // namespace rtsim
