#pragma once
#include <memory>
#include <string>
#include <vector>

#include "shapes/mesh_file.h"
#include "shapes/shape.h"

namespace rtsim {

// A surface made closed, and how.
struct MendedSurface {
  TriangleMesh mesh;
  int doubled = 0;         // triangles that were there twice, and left out
  int turned = 0;          // triangles that faced the other way than their neighbours
  int parts = 0;           // pieces that faced inwards, and were turned
  int holes = 0;           // that were closed,
  int edges = 0;           // by so many edges around them,
  double hole_share = 0;   // of the surface's area,
  Vec3d hole;              // [m] the largest of them about here
  double hole_across = 0;  // [m]

  std::string tell() const;  // in one line; empty where nothing was mended
};

// Edges that do not join triangles in pairs of matching sense make rings; each is closed by
// triangles to its middle. That makes any triangles the boundary of something: holes are capped,
// and what is left over or turned the wrong way is cancelled by its own cap.
MendedSurface mend_surface(TriangleMesh);

// The inside of a surface that is closed or nearly so: where it winds round more than half once,
// so that parts that overlap are one solid. Takes a welded mesh. Adds what was mended to `notes`.
// Throws Error{bad_input} for holes of more than `largest_holes` of the surface's area, which says
// where they are, and for what encloses nothing.
std::unique_ptr<Shape> make_mended_solid(TriangleMesh, double largest_holes,
                                         const std::string& file, std::vector<std::string>& notes);

}  // namespace rtsim
