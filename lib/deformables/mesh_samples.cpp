#include "deformables/mesh_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/nearest_on_triangle.h"
#include "meshes/adjacency.h"
#include "meshes/embed.h"
#include "shapes/mesh_shape.h"
#include "shapes/triangle_tree.h"

namespace rtsim {

namespace {

std::vector<Vec3d> points_of(World& world, const std::string& mesh) {
  std::vector<Vec3d> points;
  for (const Vec<3>& x : world.table(mesh).download<Vec<3>>("position")) points.push_back(widen(x));
  return points;
}

// The triangles with their own points alone: of a solid those of its surface.
TriangleMesh surface_of(const std::vector<Vec3d>& points,
                        const std::vector<CellMesh::Triangle>& triangles) {
  TriangleMesh surface;
  std::map<CellMesh::Corner, std::int32_t> row;
  for (const auto& t : triangles) {
    surface.triangles.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [at, fresh] = row.try_emplace(t[k], std::int32_t(surface.vertices.size()));
      if (fresh) surface.vertices.push_back(points[std::size_t(t[k])]);
      surface.triangles.back()[k] = at->second;
    }
  }
  return surface;
}

// Points of equal distance on a line, about a spacing apart, each in the middle of its part.
struct OnEdge {
  std::array<CellMesh::Corner, 2> ends;
  double part;  // of the way
};
std::vector<OnEdge> places_on_edges(const std::vector<Vec3d>& points,
                                    const std::vector<std::array<CellMesh::Corner, 2>>& edges,
                                    double spacing) {
  std::vector<OnEdge> all;
  for (const auto& e : edges) {
    const double length = norm(points[std::size_t(e[1])] - points[std::size_t(e[0])]);
    const int n = std::max(1, int(std::lround(length / spacing)));
    for (int k = 0; k < n; ++k) all.push_back({e, (k + 0.5) / n});
  }
  return all;
}

// The edge that a place lies on.
Embedded on_nearest_edge(const Vec3d& x, const std::vector<Vec3d>& points,
                         const std::vector<std::array<CellMesh::Corner, 2>>& edges) {
  Embedded best;
  double least = INFINITY;
  for (const auto& e : edges) {
    const Vec3d a = points[std::size_t(e[0])], ab = points[std::size_t(e[1])] - a;
    const double t = std::clamp(dot(x - a, ab) / dot(ab, ab), 0.0, 1.0), off = norm(x - a - t * ab);
    if (off < least) least = off, best = {{e[0], e[1], e[0], e[0]}, {1 - t, t, 0, 0}, 0};
  }
  return best;
}

// The nearest place of a surface and how far off it is. In a hollow what is nearest is an edge: in
// the plane of a small triangle there a sample would lie many triangles away, with weights as
// large.
std::vector<Embedded> on_nearest_triangle(const std::vector<Vec3d>& places,
                                          const std::vector<Vec3d>& points,
                                          const std::vector<CellMesh::Triangle>& triangles) {
  const TriangleTree surface({points, triangles});
  std::vector<Embedded> all;
  for (const Vec3d& x : places) {
    const auto& t = surface.mesh().triangles[std::size_t(surface.nearest(x).triangle)];
    Vec3d p[3];
    for (std::size_t k = 0; k < 3; ++k) p[k] = points[std::size_t(t[k])];
    const OnTriangle<double> on = nearest_on_triangle(x, p);
    const Vec3d n = cross(p[1] - p[0], p[2] - p[0]);
    all.push_back({{t[0], t[1], t[2], t[0]},
                   {on.weight[0], on.weight[1], on.weight[2], 0},
                   dot(n, x - on.point) / norm(n)});
  }
  return all;
}

std::vector<Embedded> embedded(World& world, const std::string& mesh,
                               const std::vector<Vec3d>& places) {
  const auto points = points_of(world, mesh);
  if (const auto tets = corners_of<4>(world, tet_table(mesh)); !tets.empty())
    return embed(places, points, tets);
  if (const auto triangles = corners_of<3>(world, triangle_table(mesh)); !triangles.empty())
    return on_nearest_triangle(places, points, triangles);
  const auto edges = corners_of<2>(world, edge_table(mesh));
  std::vector<Embedded> all;
  for (const Vec3d& x : places) all.push_back(on_nearest_edge(x, points, edges));
  return all;
}

// A line has fluid all round.
std::vector<SurfaceSample> samples_of_lines(World& world, const std::string& mesh, double spacing) {
  const auto points = points_of(world, mesh);
  std::vector<SurfaceSample> samples;
  for (const OnEdge& e : places_on_edges(points, corners_of<2>(world, edge_table(mesh)), spacing)) {
    const Vec3d a = points[std::size_t(e.ends[0])], b = points[std::size_t(e.ends[1])];
    samples.push_back({a + e.part * (b - a), spacing * spacing, 0, 2});
  }
  return samples;
}

}  // namespace

std::unique_ptr<Shape> surface_of_mesh(World& world, const std::string& mesh) {
  const auto triangles = corners_of<3>(world, triangle_table(mesh));
  return triangles.empty() ? nullptr
                           : make_mesh_shape(surface_of(points_of(world, mesh), triangles));
}

std::vector<SurfaceSample> samples_of_mesh(World& world, const std::string& mesh, double spacing,
                                           int layers) {
  const auto shape = surface_of_mesh(world, mesh);
  const auto samples = shape ? sample_surface(*shape, spacing, world.dim, shape->bounds(), layers)
                             : samples_of_lines(world, mesh, spacing);
  if (samples.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("has no surface that a spacing of {} m can see", spacing));
  return samples;
}

void add_mesh_samples(World& world, const std::string& mesh, const std::string& fluid,
                      const std::vector<SurfaceSample>& samples) {
  std::vector<Vec3d> places;
  std::vector<Real> area, open, offset;
  std::vector<Index> layer;
  for (const SurfaceSample& s : samples) {
    places.push_back(s.position), area.push_back(Real(s.area));
    layer.push_back(s.layer), open.push_back(Real(s.open));
  }
  std::vector<VecT<std::int32_t, 4>> corners;
  std::vector<Vec<4>> weights;
  for (const Embedded& e : embedded(world, mesh, places)) {
    corners.emplace_back(), weights.emplace_back();
    for (int k = 0; k < 4; ++k) {
      corners.back()[k] = e.at[std::size_t(k)];
      weights.back()[k] = Real(e.weight[std::size_t(k)]);
    }
    offset.push_back(Real(e.offset));
  }
  Table& t = world.add_table(sample_table(mesh, fluid), Index(samples.size()));
  t.add<VecT<std::int32_t, 4>>({"corners", ""}, corners);
  t.add<Vec<4>>({"weights", ""}, weights);
  t.add<Real>({"offset", "m"}, offset);
  t.add<Real>({"area", "m^2"}, area);
  t.add<Index>({"layer", ""}, layer);
  t.add<Real>({"open", ""}, open);
  t.add<Vec<3>>({"position", "m"});
  t.add<Vec<3>>({"velocity", "m/s"});
  t.add<Real>({"volume", "m^3", Role::derived});
  MeshSamples(world, mesh, fluid).place(world);
}

MeshSamples::MeshSamples(World& world, const std::string& mesh, const std::string& fluid)
    : mesh_(mesh),
      table_(sample_table(mesh, fluid)),
      bindings_(world.exec),
      first_(world.exec),
      slots_(world.exec) {
  Table& t = world.table(table_);
  const auto corners = t.download<VecT<std::int32_t, 4>>("corners");
  const auto weights = t.download<Vec<4>>("weights");
  const auto offset = t.download<Real>("offset");
  std::vector<skin::Binding> bindings(corners.size());
  std::vector<std::array<CellMesh::Corner, 4>> of_samples(corners.size());
  for (std::size_t s = 0; s < corners.size(); ++s) {
    for (int k = 0; k < 4; ++k) {
      of_samples[s][std::size_t(k)] = bindings[s].at[k] = corners[s][k];
      bindings[s].weight[k] = weights[s][k];
    }
    bindings[s].offset = offset[s];
  }
  const Incidence around = incidence_of(std::size_t(world.table(mesh).rows()), of_samples);
  bindings_.upload(bindings), first_.upload(around.first), slots_.upload(around.slots);
}

void MeshSamples::place(World& world) const {
  Table &from = world.table(mesh_), &to = world.table(table_);
  skin::follow(world.exec, bindings_.span(), from.column<const Vec<3>>("position"),
               from.column<const Vec<3>>("velocity"), to.column<Vec<3>>("position"),
               to.column<Vec<3>>("velocity"));
}

}  // namespace rtsim
