#pragma once
#include <memory>
#include <string>
#include <vector>

#include "pictures/camera.h"
#include "shapes/animated_shape.h"

namespace rtsim {

// A boundary as its shape, not as samples.
struct DrawnBoundary {
  std::string name;
  std::shared_ptr<const Shape> shape;
  MotionSpec motion;
  bool hollow = false;  // a tank, whose solid is what lies outside
  std::shared_ptr<const AnimatedShape> deformation = {};

  bool moving() const { return deformation || moves(motion); }
  // With the shape that it has at a time [s], which then stands there.
  DrawnBoundary at(double time) const;
};

// Adds what is finite of where they stand at some times [s], and reaches no further from what is
// there already than half of its size: water in a tank as high as a house is what is to be seen.
void add_to(View&, const std::vector<DrawnBoundary>&, const std::vector<double>& times);

// In the plane the solid, in grey. In space its surfaces within the view, but those that hide what
// is behind them: of a tank one looks into the hollow.
void draw_boundary(Raster&, const Camera&, const View&, const DrawnBoundary&, int dim, double time);

// The edges of the box around a tank, over all else.
void draw_edges(Raster&, const Camera&, const DrawnBoundary&, double time);

}  // namespace rtsim
