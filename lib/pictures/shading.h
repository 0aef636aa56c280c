#pragma once
#include "pictures/raster.h"

namespace rtsim {

// Lambert's law for light from above the viewer's left shoulder, in the axes of the screen (right,
// up, to the viewer); both sides of a surface are lit.
inline float shade(const Vec3f& n) {
  const float lit = -0.40f * n[0] + 0.60f * n[1] + 0.69f * n[2];
  return 0.30f + 0.70f * (lit > 0 ? lit : 0) + 0.08f * (lit < 0 ? -lit : 0);
}

}  // namespace rtsim
