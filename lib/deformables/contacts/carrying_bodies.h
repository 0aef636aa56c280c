#pragma once
#include <vector>

#include "block_cg/block_cg.h"
#include "cloth_implicit/carry.h"
#include "deformables/contacts/contact.h"

namespace rtsim {

// Bodies as unknowns of a solve for changes of velocity, beside the points: the points that a body
// of mass M holds move along with it, and the change X of the body's velocity balances their
// impulses,
//   M X = sum W r - friction,
// with the residual r along held directions and W r its sum and moment (block_cg.h). So a light
// body that cloth catches is slowed by the whole cloth within one solve, however stiff the cloth.
class CarryingBodies {
 public:
  // Of a substep.
  void begin(const Exec&, const std::vector<Contact::Carrier>&, Span<const contact::PointContact>,
             Span<const Vec<3>> position);
  bool any() const { return !bodies_.empty(); }
  // Before a solve, from the result of the last one: the points that are held now.
  void hold(Span<cloth::ContactConstraint>, const block_cg::BlockMatrix&);
  // After a solve: gives the surfaces of the bodies their new velocities.
  void move_surfaces(Span<cloth::ContactConstraint>);

  // For block_cg::solve.
  void find_residual(Span<const Row4> r);
  block_cg::Squares precondition(Span<const Row4> r, Span<Row4> q);
  void update_direction(double beta);
  double product() const;
  void advance(double alpha);

 private:
  using Six = std::array<double, 6>;
  struct Body {
    cloth::Carried held;
    contact::RigidMatrix inertia, inverse;  // M, and (M + what it carries)^-1
    contact::RigidMatrix inverse_inertia;   // M^-1
    Six x{}, r{}, z{}, p{}, q{};            // X, and of the solve: residual without W r, ...
    Six applied{};                          // the part of X that the surfaces have already
  };
  Exec ex_ = Exec::cpu(1);
  std::vector<Body> bodies_;
};

}  // namespace rtsim
