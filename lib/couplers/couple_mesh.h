#pragma once
#include <memory>

#include "couplers/couple.h"

namespace rtsim {

// `couple`, where the solid is a mesh.
std::unique_ptr<Stage> make_couple_mesh(const CoupleParams&, World&);

}  // namespace rtsim
