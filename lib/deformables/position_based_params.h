#pragma once
#include <optional>

#include "deformables/constraint_set.h"
#include "deformables/contacts/contact.h"
#include "deformables/shape_regions.h"
#include "param/describe.h"
#include "pbd/projection.h"

namespace rtsim {

enum class BendModel { isometric, dihedral };
enum class RestShape { as_built, flat };

// What `pbd` and `xpbd` have in common.
struct PositionBasedParams {
  ObjectName mesh;
  BendModel bending = BendModel::isometric;
  RestShape rest_shape = RestShape::as_built;
  bool keep_volume = true;
  std::optional<double> pressure;
  int tethers = 0;
  std::optional<double> tear_strain;
  std::optional<ShapeMatchingParams> shape_matching;
  double damping = 0;  // [1/s]
  ProjectionOrder order = ProjectionOrder::gauss_seidel;
  ContactParams contact;
  int substeps = 1;
  int iterations = 1;
};

void describe(Describe&, PositionBasedParams&);

// How a family of constraints resists: PBD projects a share of each, XPBD complies.
struct Resistance {
  double share = 1;
  double compliance = 0;  // [m/N], [1/(N m)], [1/Pa]
};
// k' = 1 - (1 - k)^(1/n) (Müller et al. 2006, sec. 3.3): n projections take a share k in all.
double share_of_iteration(double k, int iterations);

struct Resistances {
  Resistance stretch;
  std::optional<Resistance> bend;  // none: it bends freely
  Resistance volume;
  bool multipliers = false;  // whether iterations remember what they did
  bool complies = false;     // compliances rather than shares are promised
};

// Of a constraint within a substep of length h [s].
pbd::Softness softness(const Resistance&, double h);

}  // namespace rtsim
