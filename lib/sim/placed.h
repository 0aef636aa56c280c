#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "shapes/shape.h"
#include "sim/scene.h"

namespace rtsim {

// An object with its geometry.
struct Placed {
  const ObjectSpec* spec;
  std::string pointer;
  std::vector<std::shared_ptr<const Shape>> shapes;  // of fill, or the one shape
  std::vector<std::shared_ptr<const Shape>> bed;     // of a height field
};

inline const Placed& placed_of(const std::vector<Placed>& all, const std::string& name) {
  return *std::ranges::find(all, name, [](const Placed& p) { return p.spec->name; });
}

}  // namespace rtsim
