#pragma once
#include <string>

#include "world/world.h"

namespace rtsim {

// What pushes points of a mesh between two steps of their solver goes to who holds them, where
// those are held [N s]: empty where nobody asks for it.
inline Span<Vec<3>> loads_of_held(World& world, const std::string& mesh) {
  Table& t = world.table(mesh);
  return t.has("load") ? t.column<Vec<3>>("load") : Span<Vec<3>>{};
}

}  // namespace rtsim
