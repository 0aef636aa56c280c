#pragma once
#include <string>
#include <vector>

#include "neighbours/periodic_box.h"
#include "param/describe.h"
#include "world/world.h"

namespace rtsim {

// A box that repeats along some axes.
struct PeriodicSpec {
  Vec3d min, max;                 // [m]; read along the axes that repeat
  std::vector<std::string> axes;  // "x", "y", "z"
};
void describe(Describe&, PeriodicSpec&);

// Throws Error{bad_input} where the box is so short that rows would meet two images of another.
PeriodicBox periodic_box(const PeriodicSpec&, int dim, double support);

// Throws Error{bad_input} where particles stand outside.
template <int D>
void require_inside(const PeriodicBox&, Table& particles);

// Throws Error{bad_input} where the ball would reach through a face that repeats.
void require_clear_of_seam(const PeriodicBox&, const Vec3d& centre, double radius, int dim);

// Takes the samples of `boundary` for `fluid` that stand outside the box out of their table: their
// images are those inside. But a boundary that is shorter than the box keeps all of them, and
// stands at both faces where it reaches through one, and one whose samples come and go with its
// frames must be shorter. Throws Error{bad_input} where none is left.
template <int D>
void keep_samples_inside(const PeriodicBox&, World&, const std::string& boundary,
                         const std::string& fluid);

}  // namespace rtsim
