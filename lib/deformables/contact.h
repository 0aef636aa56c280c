#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "contact/boundary_contact.h"
#include "deformables/touched_solid.h"
#include "stage/stage.h"

namespace rtsim {

struct ContactParams {
  ObjectNames boundary;
  std::optional<double> thickness;  // [m]
  double friction = 0.3;
  double restitution = 0;
  double recovery = 0.5;  // [m/s]
};

void describe(Describe&, ContactParams&);

// Keeps the points of a mesh out of boundaries, standing or moving, for whatever solver moves them.
// Without boundaries it does nothing. It keeps no state.
class Contact {
 public:
  // While stages are made.
  Contact(const ContactParams&, World&, const std::string& mesh);

  bool any() const { return !solids_.empty(); }

  // Once a step, before its substeps.
  void begin(World&, const Step&, int substeps);

  // After a substep of length h [s] has moved points from `before` to x, with velocities v and
  // inverse masses w: x += correction, v += correction / h. Points with w = 0 are let through.
  void resolve(World&, int substep, Span<const Vec<3>> before, Span<Vec<3>> x, Span<Vec<3>> v,
               Span<const Real> w, Real h);

  void measure(World&, const std::string& mesh, std::vector<Measurement>&) const;

 private:
  ContactParams p_;
  double thickness_;                 // [m]
  std::deque<TouchedSolid> solids_;  // those that stand together, then each that moves
  double start_ = 0, share_ = 0;     // of the step, and the length of a substep [s]
};

}  // namespace rtsim
