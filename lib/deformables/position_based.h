#pragma once
#include <memory>

#include "deformables/position_based_params.h"
#include "stage/stage.h"

namespace rtsim {

// Substeps of symplectic Euler, each followed by projections of all constraints (Müller et al.
// 2006, algorithm 1; Macklin et al. 2016, algorithm 1; substeps as in Macklin et al., "Small Steps
// in Physics Simulation", SCA 2019).
std::unique_ptr<Stage> make_position_based(const PositionBasedParams&, const Resistances&, World&);

// What it takes for each point of a sheet [bytes], with three edges and two triangles.
double position_based_point_bytes(const PositionBasedParams&, bool bends);

}  // namespace rtsim
