#include "cache/positions.h"

#include <cmath>
#include <cstring>

#include "base/error.h"

namespace rtsim {

namespace {

template <class T>
Vec3d row_of(const FrameColumn& c, std::size_t row, double unit) {
  Vec3d p = {};
  T x;
  for (int a = 0; a < c.type.components; ++a) {
    std::memcpy(&x,
                c.bytes.data() + (row * std::size_t(c.type.components) + std::size_t(a)) * sizeof x,
                sizeof x);
    p[a] = double(x) / unit;
  }
  return p;
}

}  // namespace

std::vector<Vec3d> positions(const FrameObject& object, double unit) {
  const FrameColumn& c = object.columns.at(0);
  std::vector<Vec3d> x;
  x.reserve(std::size_t(object.rows));
  for (std::size_t i = 0; i < std::size_t(object.rows); ++i) {
    x.push_back(c.type.scalar == Scalar::f64 ? row_of<double>(c, i, unit)
                                             : row_of<float>(c, i, unit));
    constexpr double reach = 1e9;  // voxels are numbered with 32 bits
    for (int a = 0; a < 3; ++a)
      if (!(std::abs(x.back()[a]) < reach))
        throw Error(ExitCode::diverged, "frame of '" + object.name + "': the position of row " +
                                            std::to_string(i) +
                                            " is not finite, or over 1e9 voxels away");
  }
  return x;
}

}  // namespace rtsim
