#pragma once
#include <vector>

#include "block_cg/block_cg.h"
#include "cloth_implicit/carry.h"
#include "deformables/contacts/contact.h"

namespace rtsim {

// Bodies as unknowns of a solve for changes of velocity, beside the points: what a body of mass M
// holds moves along with it, and the change X of its own velocity answers the impulses that hold,
//   M X = sum W r - friction,
// r what the solve has left along held directions and W r its sum and moment (block_cg.h). So a
// light body that cloth catches is slowed by all of it at once, however stiff.
class CarryingBodies {
 public:
  // Of a substep.
  void begin(const Exec&, const std::vector<Contact::Carrier>&, Span<const contact::Touch>,
             Span<const Vec<3>> position);
  bool any() const { return !bodies_.empty(); }
  // Before a solve, from where the last one came to: what is held now.
  void hold(Span<cloth::Hold>, const block_cg::BlockMatrix&);
  // After it: the surfaces are as fast as the solve has made them.
  void move_surfaces(Span<cloth::Hold>);

  // For block_cg::solve.
  void begin(Span<const Row4> r);
  block_cg::Squares precondition(Span<const Row4> r, Span<Row4> q);
  void turn(double beta);
  double product() const;
  void advance(double alpha);

 private:
  using Six = std::array<double, 6>;
  struct Body {
    cloth::Carried held;
    contact::RigidMatrix inertia, inverse;  // M, and (M + what it carries)^-1
    contact::RigidMatrix alone;             // M^-1
    Six x{}, r{}, z{}, p{}, q{};            // X, and of the solve: residual without W r, ...
    Six told{};                             // of X, the surfaces
  };
  Exec ex_ = Exec::cpu(1);
  std::vector<Body> bodies_;
};

}  // namespace rtsim
