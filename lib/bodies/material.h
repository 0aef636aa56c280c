#pragma once
#include "param/describe.h"
#include "rigid/material.h"
#include "world/material.h"
#include "world/world.h"

namespace rtsim {

void describe(Describe&, Material&);

// A row for each body, then for each boundary, with what `rest` says where they say nothing; none
// where none of them says anything.
template <int D>
std::vector<rigid::Material<D>> materials_of(World&, const std::string& bodies,
                                             const std::vector<std::string>& boundaries,
                                             const rigid::Material<D>& rest);

}  // namespace rtsim
