#include <fmt/format.h>

#include "base/error.h"
#include "cache/durable.h"
#include "cache/mesh_faces.h"
#include "cache/vdb_file.h"
#include "cache/vtk_geometry.h"
#include "shapes/write_mesh.h"
#include "surfaces/signed_field.h"

namespace rtsim {

namespace fs = std::filesystem;
using openvdb::FloatGrid;

namespace {

std::string comment(const Frame& frame, const FrameObject& object) {
  return fmt::format("rtsim surface of {}, frame {}, time {} s, coordinates in m", object.name,
                     frame.index, frame.time);
}

void write_triangles(const Frame& frame, const FrameObject& object, const TriangleMesh& mesh,
                     const std::string& file, const SurfaceSink& sink) {
  const std::string about = comment(frame, object);
  sink(file, [&](const fs::path& path) {
    write_bytes(path, file == "obj"   ? obj_text(mesh, about)
                      : file == "stl" ? stl_bytes(mesh, about)
                                      : ply_bytes(mesh, about));
  });
}

void write_surface_of_particles(const RunInfo& info, const Frame& frame, const FrameFile& what,
                                const SurfaceSink& sink) {
  openvdb::initialize();
  const FrameObject& object = what.object;
  if (object.dim != 3)
    throw Error(ExitCode::bad_input, "'" + object.name +
                                         "' lies in the plane: a \"surface\" is "
                                         "made of particles in space only");
  const SurfaceParams& params = what.output.surface;
  const double voxel = object.spacing / params.voxels_per_spacing;
  FloatGrid::Ptr field, distance;
  TriangleMesh mesh;
  const auto wants = [&](const char* file) {
    return std::ranges::find(params.files, file) != params.files.end();
  };
  with_threads(info.threads, [&] {
    field = signed_field(positions_in_voxels(object, voxel), params.voxels_per_spacing, params);
    if (wants("sdf")) distance = level_set(*field, voxel);
    if (wants("ply") || wants("obj") || wants("stl")) mesh = surface_mesh(*field, voxel);
  });
  for (const std::string& file : params.files) {
    if (file != "sdf") {
      write_triangles(frame, object, mesh, file, sink);
      continue;
    }
    sink(file, [&](const fs::path& path) {
      write_vdb_file(path, info, frame, object, object.name + ".surface",
                     {{"surface", "m", distance}}, {voxel}, false);
    });
  }
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
  for (const openvdb::Vec3d& x : positions_in_voxels(object, 1))
    mesh.vertices.push_back({{x[0], x[1], x[2]}});
  return mesh;
}

void write_surface(const RunInfo& info, const Frame& frame, const FrameFile& what,
                   const SurfaceSink& sink) {
  if (what.object.kind == Kind::particles)
    return write_surface_of_particles(info, frame, what, sink);
  const TriangleMesh mesh = shown_triangles(what.object);
  for (const std::string& file : what.output.surface.files)
    write_triangles(frame, what.object, mesh, file, sink);
}

}  // namespace rtsim
