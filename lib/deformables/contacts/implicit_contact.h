#pragma once
#include <functional>

#include "deformables/contacts/answered_contact.h"
#include "deformables/contacts/carrying_bodies.h"
#include "deformables/halving.h"
#include "mass_spring/implicit.h"

namespace rtsim {

// Contact of a mesh whose substeps are systems that are solved: what touches is held in the solve,
// what that moves into something is held in the next one, and the rest is kept out afterwards.
class ImplicitContact {
 public:
  // A solve of a substep from the state it finds, with what is held along; the constraints come
  // empty where there is nothing to touch.
  struct Solver {
    std::function<void(Span<cloth::ContactConstraint>, CarryingBodies&)> solve;
    std::function<Span<const Vec<3>>()> impulses;  // of surfaces on points in it [N s]
    AnsweredContact::Answer answer = {};           // to where the mesh meets itself; may be none
  };
  ImplicitContact(const ContactParams&, World&, const std::string& mesh);

  Contact& contact() { return contact_; }
  // Substep k of a step, of length h. `in_solve`: whether the solver knows constraints.
  void substep(World&, int k, double h, const mass_spring::Points&, bool in_solve, const Solver&);
  // Whether points that are held, or boundaries, move and so may bring energy in.
  bool driven(const Exec&, const mass_spring::Points&) const;
  // What boundaries brought in with the last substep [J], of one linear system.
  double fed(const Exec&, Span<const Vec<3>> impulses) const;

 private:
  void solve(World&, int k, double h, const mass_spring::Points&, const Solver&);
  void keep_out(World&, int k, double h, const mass_spring::Points&, const Solver&);

  Contact contact_;
  AnsweredContact answered_;
  Buffer<contact::PointContact> contacts_;
  Buffer<cloth::ContactConstraint> constraints_;
  CarryingBodies bodies_;
  Buffer<Vec<3>> before_, before_v_;  // of a substep
};

}  // namespace rtsim
