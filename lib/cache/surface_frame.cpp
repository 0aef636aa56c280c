#include <fmt/format.h>

#include "base/error.h"
#include "cache/durable.h"
#include "cache/mesh_faces.h"
#include "cache/positions.h"
#include "cache/volumes.h"
#include "cache/vtk_geometry.h"
#include "shapes/write_mesh.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

std::string comment(const Frame& frame, const FrameObject& object) {
  return fmt::format("rtsim surface of {}, frame {}, time {} s, coordinates in m", object.name,
                     frame.index, frame.time);
}

// The water's surface: quads between the centres of cells, cut in two.
TriangleMesh triangles_of_heights(const FrameObject& object) {
  const VtkGeometry g(object);
  TriangleMesh mesh;
  for (std::size_t k = 0; k < g.points.size(); k += 3)
    mesh.vertices.push_back({{g.points[k], g.points[k + 1], g.points[k + 2]}});
  const std::vector<std::int32_t>& q = g.connectivity;
  for (std::size_t k = 0; k < q.size(); k += 4) {
    mesh.triangles.push_back({q[k], q[k + 1], q[k + 2]});
    mesh.triangles.push_back({q[k], q[k + 2], q[k + 3]});
  }
  return mesh;
}

}  // namespace

void write_triangles(const Frame& frame, const FrameObject& object, const TriangleMesh& mesh,
                     const std::string& file, const SurfaceSink& sink) {
  const std::string about = comment(frame, object);
  sink(file, [&](const fs::path& path) {
    write_bytes(path, file == "obj"   ? obj_text(mesh, about)
                      : file == "stl" ? stl_bytes(mesh, about)
                                      : ply_bytes(mesh, about));
  });
}

TriangleMesh shown_triangles(const FrameObject& object) {
  TriangleMesh mesh;
  if (object.kind == Kind::height_field) return triangles_of_heights(object);
  if (object.kind == Kind::bodies) {
    const auto& [points, corners, body] = object.surface;
    for (std::size_t k = 0; k < points.size(); k += 3)
      mesh.vertices.push_back({{points[k], points[k + 1], points[k + 2]}});
    for (std::size_t k = 0; k < corners.size(); k += 3)
      mesh.triangles.push_back({corners[k], corners[k + 1], corners[k + 2]});
    return mesh;
  }
  mesh.triangles = visible_faces(object.cells);
  mesh.vertices = positions(object, 1);
  return mesh;
}

void write_surface(const RunInfo& info, const Frame& frame, const FrameFile& what,
                   const SurfaceSink& sink) {
  if (what.object.kind == Kind::particles)
    return volume_writers().write_surface(info, frame, what, sink);
  const TriangleMesh mesh = shown_triangles(what.object);
  for (const std::string& file : what.output.surface.files)
    write_triangles(frame, what.object, mesh, file, sink);
}

}  // namespace rtsim
