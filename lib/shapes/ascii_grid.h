#pragma once
#include "shapes/grey_image.h"

namespace rtsim {

// Heights from an ESRI ASCII grid (.asc): `ncols`, `nrows`, where it lies, `cellsize` and maybe
// `NODATA_value`, a line each, then rows of heights [m] from the north. As an image whose black is
// `low` and whose white is `high` [m]; what has no data is at `low`. Where it lies and how large
// its cells are is for the scene to say. Throws Error{bad_input}, with file and line.
GreyImage read_ascii_grid(const std::string& path, double low, double high);

}  // namespace rtsim
