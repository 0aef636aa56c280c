#include "shapes/openness.h"

#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

// Of a cell, by how far its middle is outside, in spacings.
double part_outside(double distance) { return std::clamp(distance + 0.5, 0.0, 1.0); }

// W(q) / W(0) of lattice neighbours q = 1, sqrt 2, sqrt 3 spacings away.
double weight(int squares) {
  const double u = 2 - std::sqrt(double(squares));
  return 0.25 * u * u * u;
}

// sum of weight(|o|^2) outside(o) over the lattice neighbours o.
template <class Outside>
double around(int dim, const Outside& outside) {
  double sum = 0;
  for (int z = dim == 3 ? -1 : 0; z <= (dim == 3 ? 1 : 0); ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (const int squares = x * x + y * y + z * z; squares > 0)
          sum += weight(squares) * outside(Vec3d{{double(x), double(y), double(z)}});
  return sum;
}

// The normal at x, or where several places of the surface are nearest the first axis.
Vec3d normal(const Shape& shape, const Vec3d& x, double spacing, int dim) {
  const double e = 1e-3 * spacing;
  Vec3d n;
  for (int a = 0; a < dim; ++a) {
    Vec3d d;
    d[a] = e;
    n[a] = (shape.distance(x + d) - shape.distance(x - d)) / (2 * e);
  }
  const double length = norm(n);
  if (std::abs(length - 1) < 0.05) return (1 / length) * n;
  return {{1, 0, 0}};
}

}  // namespace

double openness(const Shape& shape, const Vec3d& sample, double spacing, int dim) {
  // Fluid rows stand from half a spacing off the surface on: samples of open shapes lie on it.
  const double surface = shape.closed() ? 0 : 0.5;
  const double all = around(dim, [&](const Vec3d& o) {
    return part_outside(shape.distance(sample + spacing * o) / spacing - surface);
  });
  const Vec3d n = normal(shape, sample, spacing, dim);
  return all / around(dim, [&](const Vec3d& o) { return part_outside(dot(n, o) - 0.5); });
}

}  // namespace rtsim
