#pragma once
#include <vector>

#include "base/vec.h"

namespace rtsim {

inline std::vector<Vec<3>> narrowed(const std::vector<Vec3d>& values) {
  std::vector<Vec<3>> r;
  r.reserve(values.size());
  for (const Vec3d& v : values) r.push_back(narrow<3>(v));
  return r;
}

}  // namespace rtsim
