#include "grids/solids.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "shapes/distance_field.h"
#include "shapes/mended_solid.h"
#include "shapes/mesh_shape.h"
#include "shapes/shape_parts.h"
#include "stage/boundary_pose.h"

namespace rtsim {

namespace {

constexpr std::size_t most_boundaries = 255;

// Turned back about its centre, which moves in a straight line.
boundary::Pose moved_back(const boundary::Pose& p, double seconds) {
  const double speed = norm(widen(p.angular_velocity));
  boundary::Pose b = p;
  b.centre = p.centre - Real(seconds) * p.velocity;
  b.translation = p.translation - Real(seconds) * p.velocity;
  if (!(speed > 0) || !(seconds > 0)) return b;
  // Rodrigues: R v = v cos w + (k x v) sin w + k (k.v) (1 - cos w), w the negative angle.
  const Vec3d axis = (1 / speed) * widen(p.angular_velocity);
  const double c = std::cos(speed * seconds), s = -std::sin(speed * seconds);
  const auto turned = [&](const Vec3d& v) {
    return c * v + s * cross(axis, v) + ((1 - c) * dot(axis, v)) * axis;
  };
  Vec3d columns[3];
  for (int a = 0; a < 3; ++a)
    columns[a] =
        turned({{double(p.rotation[0][a]), double(p.rotation[1][a]), double(p.rotation[2][a])}});
  for (int r = 0; r < 3; ++r)
    for (int a = 0; a < 3; ++a) b.rotation[r][a] = Real(columns[a][r]);
  b.translation = b.centre + narrow<3>(turned(widen(p.translation - p.centre)));
  return b;
}

}  // namespace

const Shape& solid_shape(const Object& boundary) {
  if (!boundary.shape->closed())
    throw Error(
        ExitCode::bad_input,
        fmt::format("'{}' is an open mesh, which has no inside that a grid could leave out; "
                    "close its holes",
                    boundary.name));
  return *boundary.shape;
}

std::unique_ptr<Shape> mended_shape(const Object& boundary, std::string& what) {
  const ShapeParts parts(*boundary.shape);
  if (parts.list().size() != 1)
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is an open mesh whose holes cannot be closed, as it is combined "
                            "with other shapes; close them in the mesh",
                            boundary.name));
  const ShapePart& part = parts.list().front();
  TriangleMesh mesh = part.tree->mesh();
  for (Vec3d& v : mesh.vertices) v = part.translation + part.scale * part.rotation.apply(v);
  std::vector<std::string> notes;
  constexpr double any_holes = std::numeric_limits<double>::infinity();
  auto solid =
      make_mended_solid(std::move(mesh), any_holes, fmt::format("'{}'", boundary.name), notes);
  what = fmt::format("the mesh {}; look whether it is what you meant", fmt::join(notes, "; "));
  return solid;
}

GridShape grid_around(const Object& boundary, const GridShape& lattice, double band) {
  const Bounds b = boundary.shape->surface_bounds();
  GridShape g = lattice;
  for (int a = 0; a < 3; ++a) {
    if (!g.spans[a]) continue;
    const double extent = b.max[a] - b.min[a] + 2 * band;
    if (!std::isfinite(extent))
      throw Error(
          ExitCode::bad_input,
          fmt::format("'{}' is infinite along {}; a grid takes moving boundaries, and water "
                      "takes bodies, of finite size only: use a large box",
                      boundary.name, "xyz"[a]));
    g.cells[a] = Index(std::ceil(extent / g.spacing)) + 1;
    g.low[a] = 0.5 * (b.min[a] + b.max[a] - double(g.cells[a]) * g.spacing);
  }
  if (g.rows() > 1e9)
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is {:.2g} cells large; move a smaller body, or use a larger "
                            "spacing",
                            boundary.name, g.rows()));
  return g;
}

grid::GridView grid_view(const GridShape& g) {
  grid::GridView v;
  v.spacing = Real(g.spacing);
  v.first = narrow<3>(g.centre(0));
  for (int a = 0; a < 3; ++a) v.n[a] = g.cells[a], v.step[a] = g.spans[a] ? v.spacing : 0;
  return v;
}

Solids::Solids(World& world, const std::vector<std::string>& boundaries, const GridShape& lattice,
               double band)
    : ex_(world.exec),
      names_(boundaries),
      lattice_(lattice),
      still_(ex_),
      distance_(ex_),
      still_nearest_(ex_),
      nearest_(ex_),
      poses_(ex_) {
  if (names_.size() > most_boundaries)
    throw Error(ExitCode::bad_input,
                fmt::format("{} boundaries are more than the {} that a grid can tell apart",
                            names_.size(), most_boundaries));
  std::vector<Real> distance(std::size_t(lattice.rows()), Real(band));
  std::vector<std::uint8_t> nearest(distance.size(), 0);
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const Object& boundary = world.object(names_[k]);
    std::unique_ptr<Shape> closed;
    if (!boundary.shape->closed()) {
      std::string what;
      closed = mended_shape(boundary, what);
      mended_ += (mended_.empty() ? "" : "; ") + what;
    }
    const Shape& shape = closed ? *closed : *boundary.shape;
    if (boundary.moving) {
      request_pose(world, boundary.name);
      const GridShape own = grid_around(boundary, lattice, band);
      const std::vector<Real> map = distance_field(shape, own, band);
      maps_.push_back({std::uint8_t(k), own, Buffer<Real>(ex_, std::span<const Real>(map))});
      continue;
    }
    const std::vector<Real> field = distance_field(shape, lattice, band);
    for (std::size_t c = 0; c < distance.size(); ++c)
      if (field[c] < distance[c]) distance[c] = field[c], nearest[c] = std::uint8_t(k);
  }
  distance_.upload(distance), nearest_.upload(nearest);
  if (moving()) still_.upload(distance), still_nearest_.upload(nearest);
  poses_.upload(std::vector<boundary::Pose>(names_.size()));
}

void Solids::update(World& world, double before) {
  if (!moving()) return;
  std::vector<boundary::Pose> poses;
  for (const std::string& name : names_) poses.push_back(moved_back(pose_of(world, name), before));
  poses_.upload(poses);
  ex_.copy(distance_.data(), still_.data(), still_.size() * sizeof(Real));
  ex_.copy(nearest_.data(), still_nearest_.data(), still_nearest_.size());
  for (const Map& m : maps_)
    grid::take_nearer(ex_, grid_view(lattice_), {grid_view(m.grid), m.distance.span()},
                      poses[m.which], m.which, distance_.span(), nearest_.span());
}

}  // namespace rtsim
