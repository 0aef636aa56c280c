#include "deformables/contacts/implicit_contact.h"

#include "cloth_implicit/cloth_implicit.h"
#include "deformables/contacts/kept_points.h"
#include "mass_spring/mass_spring.h"

namespace rtsim {

namespace {

constexpr int most_solves = 4;  // of a substep, each with what the last left in the way

}  // namespace

ImplicitContact::ImplicitContact(const ContactParams& p, World& world, const std::string& mesh)
    : contact_(p, world, mesh),
      answered_(world.exec, contact_),
      contacts_(world.exec),
      constraints_(world.exec),
      before_(world.exec),
      before_v_(world.exec) {
  contact_.count_work();
}

void ImplicitContact::substep(World& world, int k, double h, const mass_spring::Points& p,
                              bool in_solve, const Solver& solver) {
  if (contact_.any()) keep(world.exec, p.position, before_);
  if (contact_.has_boundary() && in_solve)
    solve(world, k, h, p, solver);
  else
    solver.solve({}, bodies_);
  if (contact_.any()) keep_out(world, k, h, p, solver);
}

// Bodies are tried push by push, so that what they meet is pushed alone.
void ImplicitContact::keep_out(World& world, int k, double h, const mass_spring::Points& p,
                               const Solver& solver) {
  if (solver.answer && contact_.meets_itself() && !contact_.has_bodies())
    answered_.resolve(world, k, h,
                      {before_.span(), p.position, p.velocity, p.inverse_mass, Real(h)},
                      solver.answer, 0, [&] { return driven(world.exec, p); });
  else
    contact_.resolve(world, k, before_.span(), p.position, p.velocity, p.inverse_mass, Real(h));
}

void ImplicitContact::solve(World& world, int k, double h, const mass_spring::Points& p,
                            const Solver& solver) {
  keep(world.exec, p.velocity, before_v_);
  contacts_.resize(std::size_t(p.position.size)), constraints_.resize(contacts_.size());
  contacts_.zero();
  contact_.find_contacts(world, k, p.position, p.velocity, p.inverse_mass, Real(h),
                         contacts_.span());
  const Real slow = Real(1e-3) * Real(h) * norm(world.gravity_vector<3>());
  for (int round = 1;; ++round) {
    cloth::initial_active_set(world.exec, contacts_.span(), p.velocity, Real(contact_.friction()),
                              slow, constraints_.span());
    bodies_.begin(world.exec, contact_.carriers(), contacts_.span(), before_.span());
    solver.solve(constraints_.span(), bodies_);
    if (contact_.has_bodies())
      contact_.apply_impulses(world, before_.span(), contacts_.span(), solver.impulses());
    if (round == most_solves ||
        !contact_.add_contacts(world, k, before_.span(), p.position, p.velocity, p.inverse_mass,
                               Real(h), contacts_.span()))
      return;
    bring_back(world.exec, before_, p.position), bring_back(world.exec, before_v_, p.velocity);
  }
}

bool ImplicitContact::driven(const Exec& ex, const mass_spring::Points& p) const {
  return contact_.boundaries_move() || mass_spring::moves_held(ex, p);
}

double ImplicitContact::fed(const Exec& ex, Span<const Vec<3>> impulses) const {
  return cloth::work_of_boundaries(ex, constraints_.span(), contacts_.span(), contact_.boundaries(),
                                   impulses) +
         contact_.work_of_boundaries();
}

}  // namespace rtsim
