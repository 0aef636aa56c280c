#pragma once
#include <string>

#include "pictures/camera.h"
#include "pictures/picture.h"

namespace rtsim {

// What is written on a picture.
struct Legend {
  double time = 0;        // [s]
  std::string what = "";  // the colours show, with its unit; none: nothing
  double low = 0, high = 1;
  Vec3f ground;  // colour of the background
};
// The time, and a bar of the colours with what they mean.
void draw_legend(Picture&, const Legend&);

// A bar of a round length, in the distance of the middle of what is seen, and where the axes point:
// in the lower left corner. Not on pictures too small to read them.
void draw_scale(Picture&, const Camera&, int dim, const Vec3f& ground);

}  // namespace rtsim
