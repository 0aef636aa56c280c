#pragma once
#include <string>

#include "cache/frame.h"
#include "pictures/draw.h"

namespace rtsim {

// How each kind of object is drawn: particles and boundary samples as balls, meshes and bodies as
// surfaces or lines, grids of the plane as coloured squares, those of space as smoke, height fields
// as water over ground.

void add_to(View&, const FrameObject&);

// Whether it is seen through.
bool is_volume(const FrameObject&);

// What colours the object: the column asked for where it has it, else what suits its kind; nothing
// for what has a colour of its own.
std::string colour_column(const FrameObject&, const std::string& asked);

// Whether a picture of the object needs a column; more than those may be there.
bool is_drawn(const FrameObject&, const std::string& column, const std::string& asked);

struct Extremes {
  double low, high;
  std::string label;  // "velocity [m/s]"
};
Extremes extremes_of(const FrameObject&, const std::string& column);

struct Colours {
  std::string asked;
  double low, high;
};
void draw_object(Raster&, const Camera&, const FrameObject&, int number, const Colours&);

// Arrows of a column, at most one to every 24 pixels square, the longest as long as that.
void draw_arrows(Raster&, const Camera&, const FrameObject&, const std::string& column);

}  // namespace rtsim
