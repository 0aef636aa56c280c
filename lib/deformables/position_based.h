#pragma once
#include <optional>

#include "deformables/constraints.h"
#include "param/describe.h"
#include "pbd/motion.h"
#include "stage/stage.h"

namespace rtsim {

enum class BendModel { isometric, dihedral };

// What `pbd` and `xpbd` have in common.
struct PositionBasedParams {
  ObjectName mesh;
  BendModel bending = BendModel::isometric;
  RestShape rest_shape = RestShape::as_built;
  bool keep_volume = true;
  std::optional<double> pressure;
  int tethers = 0;
  double damping = 0;  // [1/s]
  ProjectionOrder order = ProjectionOrder::gauss_seidel;
  int substeps = 1;
  int iterations = 1;
};

void describe(Describe&, PositionBasedParams&);

// How a family of constraints resists: PBD projects a share of each, XPBD complies.
struct Resistance {
  double share = 1;
  double compliance = 0;  // [m/N], [1/(N m)], [1/Pa]
};
struct Resistances {
  Resistance stretch;
  std::optional<Resistance> bend;  // none: it bends freely
  Resistance volume;
  bool multipliers = false;  // whether iterations remember what they did
};

// Substeps of symplectic Euler, each followed by projections of all constraints (Müller et al.
// 2006, algorithm 1; Macklin et al. 2016, algorithm 1; substeps as in Macklin et al., "Small Steps
// in Physics Simulation", SCA 2019).
std::unique_ptr<Stage> make_position_based(const PositionBasedParams&, const Resistances&, World&);

// What it takes for each point [bytes]: three edges and hinges, or as many tets.
double position_based_row_bytes(const PositionBasedParams&);

}  // namespace rtsim
