#pragma once
#include <functional>
#include <vector>

#include "bodies/shapes/body_shape.h"
#include "shapes/shape_parts.h"

namespace rtsim {

// What a boundary is made of, for bodies that touch it: the solid is the union of all of it.
struct BoundaryParts {
  struct Plane {
    Vec3d point, normal;  // solid below
  };
  std::vector<ConvexPart> convex;
  std::vector<Plane> planes;
  std::vector<const ShapePart*> meshes;  // and height maps, of which ...
  std::vector<const ShapePart*> within;  // ... only what is within a box, or null
  bool rest = false;  // something else: then all of it is measured by its signed distance
};

// Of shapes placed in the world, that live as long as this is used.
BoundaryParts boundary_parts(const std::vector<ShapePart>&, int dim);

}  // namespace rtsim
