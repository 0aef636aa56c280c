#pragma once
#include <optional>
#include <string>

#include "exec/buffer.h"
#include "mac/lattice.h"
#include "shapes/shape.h"
#include "source/source.h"
#include "world/grid.h"

namespace rtsim {

// exp(-|x - centre|^2 / radius^2), as a user's finger or a burner leaves it (Stam, "Real-Time Fluid
// Dynamics for Games", GDC 2003).
struct SplatSpec {
  Vec3d centre;       // [m]
  double radius = 0;  // [m]
};
void describe(Describe&, SplatSpec&);

// Where in a grid something is put: a shape or a splat; exactly one.
struct PlaceSpec {
  std::optional<ShapeSpec> shape;
  std::optional<SplatSpec> splat;
};
void describe(Describe&, PlaceSpec&);

class GridPlace {
 public:
  // `what` names it in Error{bad_input}, thrown where it meets no cell.
  GridPlace(const Exec&, const PlaceSpec&, const GridShape&, const mac::Domain&,
            const std::string& what);

  source::Place place() const;

 private:
  Buffer<Real> distance_;  // empty: a splat
  source::Place splat_;
};

}  // namespace rtsim
