#pragma once
#include <string>
#include <vector>

#include "shapes/sample.h"

namespace rtsim {

// What to say of a solid whose samples show that it, or a gap of it, is thinner than a fluid of
// this spacing can tell, with the thinnest place; or nothing. A solid has to be as thick as its
// layers of samples, or rows on its two sides see each other; a gap as wide as a row.
std::string thin_parts(const std::string& solid, const std::vector<SurfaceSample>&, double spacing,
                       int layers, int dim);

}  // namespace rtsim
