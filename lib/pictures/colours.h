#pragma once
#include <array>

#include "pictures/raster.h"

namespace rtsim {

// From dark blue through green to yellow, evenly as the eye sees it (viridis: Smith & van der Walt,
// 2015), of a share from 0 to 1; what lies outside is cut. NaN is red.
Vec3f map_colour(float share);

// Colours of things that stand beside each other.
Vec3f thing_colour(int number);

}  // namespace rtsim
