#pragma once
#include <vector>

#include "poisson/level.h"

namespace rtsim {

// The inverse of the matrix of a level of few cells, by rows. Of regions that nothing joins to
// p = 0 the constants, which the matrix takes to 0, are taken to 0 too; rows and columns of cells
// without an unknown are 0. The host has to be able to read the level.
std::vector<Real> pseudo_inverse(const poisson::Level&);

}  // namespace rtsim
