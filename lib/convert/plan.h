#pragma once
#include "convert/convert.h"
#include "convert/format.h"

namespace rtsim {

// Chooses objects and frames, and finds what the format cannot hold. Reads the first frame of each
// object; writes nothing. Throws Error{bad_input} or Error{usage}.
ConversionPlan make_plan(const Conversion&);

// The formats asked for: one, or surfaces.
std::vector<const FormatInfo*> chosen_formats(const Conversion&);

}  // namespace rtsim
