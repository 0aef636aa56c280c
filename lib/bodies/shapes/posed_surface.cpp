#include "bodies/shapes/posed_surface.h"

#include "bodies/shapes/body_shape.h"
#include "rigid/body.h"

namespace rtsim {

namespace {

const BodyShape& shape_of(const Object& object, std::int32_t shape) {
  return object.bodies->shapes[std::size_t(shape)];
}

template <int D>
PosedSurface pose(World& world, const Object& object) {
  Table& t = world.table(object.name);
  const auto position = t.download<Vec<D>>("position");
  const auto orientation = t.download<rigid::Orientation<D>>("orientation");
  const auto shape = t.download<std::int32_t>("shape");
  PosedSurface s;
  for (std::size_t b = 0; b < shape.size(); ++b) {
    const BodyShape& own = shape_of(object, shape[b]);
    const auto first = std::int32_t(s.points.size() / 3);
    for (const Vec3d& v : own.vertices) {
      const Vec<D> x = position[b] + turned(orientation[b], narrow<D>(v));
      for (int a = 0; a < 3; ++a) s.points.push_back(a < D ? x[a] : 0);
    }
    for (const auto& corners : own.triangles) {
      for (const int c : corners) s.triangles.push_back(first + c);
      s.body.push_back(std::int32_t(b));
    }
  }
  return s;
}

}  // namespace

PosedSurface posed_surface(World& world, const Object& object) {
  return world.dim == 2 ? pose<2>(world, object) : pose<3>(world, object);
}

std::size_t bytes_of_surface(World& world, const Object& object) {
  std::size_t bytes = 0;
  for (const std::int32_t shape : world.table(object.name).download<std::int32_t>("shape")) {
    const BodyShape& own = shape_of(object, shape);
    bytes += own.vertices.size() * 3 * sizeof(Real) + own.triangles.size() * 4 * sizeof(int);
  }
  return bytes;
}

}  // namespace rtsim
