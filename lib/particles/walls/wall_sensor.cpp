#include "particles/walls/wall_sensor.h"

#include <fmt/format.h>

#include <cmath>

#include "shapes/shape.h"

namespace rtsim {

namespace {

constexpr int area_steps = 64;  // across the radius

// The solids of all boundaries that stand still, as one.
struct Solid {
  std::vector<std::string> names;
  std::vector<const Shape*> shapes;

  double distance(const Vec3d& x) const {
    double nearest = 1e300;
    for (const Shape* s : shapes) nearest = std::min(nearest, s->distance(x));
    return nearest;
  }
  Vec3d outwards(const Vec3d& x, double step, int dim) const {
    Vec3d n;
    for (int a = 0; a < dim; ++a) {
      Vec3d d;
      d[a] = step;
      n[a] = distance(x + d) - distance(x - d);
    }
    const double length = norm(n);
    return length > 0 ? (1 / length) * n : n;
  }
};

Solid standing(const World& world, const std::vector<std::string>& boundaries) {
  Solid solid;
  for (const std::string& b : boundaries) {
    const Object& o = world.object(b);
    if (o.moving || !o.shape->closed()) continue;
    solid.names.push_back(b), solid.shapes.push_back(o.shape.get());
  }
  return solid;
}

// Two directions along the wall; the second is none in 2D.
struct Tangents {
  Vec3d u, v;
  Tangents(const Vec3d& n, int dim) {
    if (dim == 2) {
      u = {{-n[1], n[0], 0}};
      return;
    }
    Vec3d least;
    least[std::abs(n[0]) < 0.6 ? 0 : 1] = 1;
    u = cross(n, least);
    u = (1 / norm(u)) * u, v = cross(n, u);
  }
};

// The wall is where a quarter spacing in front is free and a quarter spacing behind is solid: so it
// ends at edges and in corners, and may be a little curved.
bool on_wall(const Solid& solid, const Vec3d& x, const Vec3d& n, double spacing) {
  const Vec3d aside = 0.25 * spacing * n;
  return solid.distance(x + aside) > 0 && solid.distance(x - aside) < 0;
}

// Of w over the wall around x, by midpoints.
double wall_area(const Solid& solid, const Vec3d& x, const Vec3d& n, const sph::CubicSpline& w,
                 double spacing, int dim) {
  const Tangents t(n, dim);
  const double radius = double(w.support), step = radius / area_steps;
  double sum = 0;
  for (int i = -area_steps; i < area_steps; ++i)
    for (int k = dim == 3 ? -area_steps : 0; k < (dim == 3 ? area_steps : 1); ++k) {
      const double a = (i + 0.5) * step, b = dim == 3 ? (k + 0.5) * step : 0;
      if (a * a + b * b >= radius * radius) continue;
      const Vec3d s = x + a * t.u + b * t.v;
      if (on_wall(solid, s, n, spacing)) sum += double(w.shape(Real(a * a + b * b)));
    }
  return sum * std::pow(step, dim - 1);
}

// Of a sample at x. What it is behind, the wall or another side, is told by what is nearest.
double sample_weight(const Solid& solid, const Vec3d& at, const Vec3d& n, const sph::CubicSpline& w,
                     double spacing, const Vec3d& x) {
  const double depth = dot(at - x, n), radius = double(w.support);
  const Vec3d surface = x + depth * n, s = surface - at;
  if (depth < 0 || dot(s, s) >= radius * radius || !on_wall(solid, surface, n, spacing)) return 0;
  return solid.distance(x) < -0.75 * depth ? double(w.shape(Real(dot(s, s)))) : 0;
}

}  // namespace

template <int D>
WallSensor<D>::WallSensor(World& world, const std::string& fluid,
                          const std::vector<std::string>& boundaries, const Vec3d& at,
                          double radius, double spacing) {
  const Solid solid = standing(world, boundaries);
  const double away = solid.distance(at);
  if (!(std::abs(away) < 0.25 * spacing))
    throw Error(
        ExitCode::bad_input,
        fmt::format("at ({:g}, {:g}, {:g}) m no wall has its surface: {}", at[0], at[1], at[2],
                    away < 1e299 ? fmt::format("the nearest is {:.3g} m away; put the probe "
                                               "on it",
                                               std::abs(away))
                                 : "it needs a \"boundary\" that stands still and is not "
                                   "an open mesh"));
  if (!(radius >= 2 * spacing))
    throw Error(ExitCode::bad_input,
                fmt::format("a \"radius\" of {:g} m sees single samples; give at least two "
                            "spacings of the fluid, {:g} m",
                            radius, 2 * spacing));
  const Vec3d n = solid.outwards(at, 1e-3 * spacing, D);
  const auto weight = sph::CubicSpline::of(D, radius);
  normal_ = narrow<D>(n);
  area_ = wall_area(solid, at, n, weight, spacing, D);
  if (!(area_ > 0))
    throw Error(ExitCode::bad_input,
                fmt::format("at ({:g}, {:g}, {:g}) m the wall has an edge: move the probe off it",
                            at[0], at[1], at[2]));
  for (const std::string& b : solid.names) {
    std::vector<Real> weights;
    Table& t = world.table(sample_table(b, fluid));
    for (const Vec<D>& x : t.download<Vec<D>>("position"))
      weights.push_back(Real(sample_weight(solid, at, n, weight, spacing, widen(x))));
    samples_.push_back({t.name(), Buffer<Real>(world.exec, weights)});
  }
}

template <int D>
double WallSensor<D>::pressure(World& world) const {
  double force = 0;
  for (const Samples& s : samples_) {
    Table& t = world.table(s.table);
    force += sph::force_on_gauge<D>(world.exec, normal_, s.weight.span(),
                                    t.column<const Vec<D>>("force"));
  }
  return force / area_;
}

template class WallSensor<2>;
template class WallSensor<3>;

}  // namespace rtsim
