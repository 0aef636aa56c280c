#pragma once
#include <string>

#include "cache/frame.h"
#include "sim/build/build.h"
#include "sim/scene.h"

namespace rtsim {

// Throws Error{bad_input} where an output names a column that its object does not show, or a format
// that cannot show it.
void check_output_of(World&, const Output&);

// Tells stages which tables an output shows: that of its object, and those beside it.
void show_tables_of(const Output&, Simulation&);

// What one frame of an output takes on the host at most: with all rows that its table has room for.
std::size_t frame_bytes(World&, const Output&);

// The objects of the scene's outputs that are due at this frame, copied to the host: `position`
// first, then the columns asked for, or all that are state or derived.
Frame take_frame(World&, const std::vector<Output>&, long index, long step, double time);

// "water.velocity, row 10233" of the first state that is not finite; empty if all is.
std::string find_not_finite(World&);

}  // namespace rtsim
