#pragma once
#include <vector>

#include "pictures/camera.h"

namespace rtsim {

// What is drawn into a raster, in one order whatever the number of threads: of things equally far
// away the first is seen.

// Balls of a radius [m] about points.
void draw_points(Raster&, const Camera&, const std::vector<Vec3f>& centre,
                 const std::vector<Vec3f>& colour, float radius);

// Triangles with a colour and a normal at each corner; three corners one after the other.
struct Corner {
  Vec3f x, normal, colour;
};
void draw_triangles(Raster&, const Camera&, const std::vector<Corner>&);

// Lines of a width in pixels; two ends one after the other, `normal` counts for nothing.
void draw_lines(Raster&, const Camera&, const std::vector<Corner>&, float width);

// Cells of smoke in a box, x fastest: light that comes from above is dimmed by what it goes
// through, and what is seen by what stands before it. `density` is in optical depths a metre.
struct Smoke {
  int cells[3];
  Vec3f low;      // [m], the corner of the box
  float spacing;  // [m]
  std::vector<float> density;
};
void draw_smoke(Raster&, const Camera&, const Smoke&);

}  // namespace rtsim
