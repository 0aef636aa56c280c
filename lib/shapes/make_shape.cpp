#include <functional>

#include "base/error.h"
#include "shapes/csg.h"
#include "shapes/height_map.h"
#include "shapes/level_set.h"
#include "shapes/mended_solid.h"
#include "shapes/mesh_file.h"
#include "shapes/mesh_shape.h"
#include "shapes/placed.h"
#include "shapes/primitives.h"
#include "shapes/weld.h"

namespace rtsim {
namespace {

using MakeMesh = std::function<std::unique_ptr<Shape>(const ShapeSpec&)>;

std::unique_ptr<Shape> make_solid(const ShapeSpec& s, int dim, const MakeMesh&);

Shapes make_operands(const std::vector<ShapeSpec>& specs, int dim, const MakeMesh& make_mesh) {
  Shapes operands;
  for (const ShapeSpec& s : specs) operands.push_back(make_solid(s, dim, make_mesh));
  return operands;
}

std::unique_ptr<Shape> make_bare(const ShapeSpec& s, int dim, const MakeMesh& make_mesh) {
  if (s.box) return make_box(*s.box, dim);
  if (s.sphere) return make_sphere(*s.sphere, dim);
  if (s.plane) return make_plane(*s.plane, dim);
  if (s.capsule) return make_capsule(*s.capsule, dim);
  if (s.cylinder) return make_cylinder(*s.cylinder, dim);
  if (s.ellipsoid) return make_ellipsoid(*s.ellipsoid, dim);
  if (s.polygon) return make_polygon(*s.polygon);
  if (s.mesh || s.volume) return make_mesh(s);
  if (s.height_map) return make_height_map(*s.height_map);
  if (!s.any_of.empty()) return make_union(make_operands(s.any_of, dim, make_mesh));
  if (!s.all_of.empty()) return make_intersection(make_operands(s.all_of, dim, make_mesh));
  if (!s.difference.empty()) return make_difference(make_operands(s.difference, dim, make_mesh));
  throw Error(ExitCode::bad_input, "a shape is empty; give it a box, a sphere, a mesh or another");
}

bool moved(const TransformSpec& t) {
  return !(t.translate == Vec3d{}) || t.angle != 0 || t.scale != 1;
}

std::unique_ptr<Shape> make_solid(const ShapeSpec& s, int dim, const MakeMesh& make_mesh) {
  auto shape = make_bare(s, dim, make_mesh);
  if (s.inside) shape = make_inside_out(std::move(shape));
  if (moved(s.transform)) shape = make_placed(std::move(shape), s.transform, dim);
  return shape;
}

}  // namespace

TriangleMesh read_surface(const ShapeSpec& s) {
  if (s.volume) return read_level_set(*s.volume);
  TriangleMesh mesh = weld(read_mesh(std::filesystem::path(s.mesh->file.path)));
  if (mesh.triangles.empty())
    throw Error(
        ExitCode::bad_input,
        s.mesh->file.path + ": every triangle has two corners at one place; export the mesh again");
  return mesh;
}

std::unique_ptr<Shape> make_shape(const ShapeSpec& s, int dim) {
  auto shape =
      make_solid(s, dim, [](const ShapeSpec& m) { return make_mesh_shape(read_surface(m)); });
  return dim == 2 ? make_flat(std::move(shape)) : std::move(shape);
}

std::unique_ptr<Shape> make_mended_shape(const ShapeSpec& s, double largest_holes,
                                         std::vector<std::string>& notes) {
  return make_solid(s, 3, [&](const ShapeSpec& m) {
    return make_mended_solid(read_surface(m), largest_holes,
                             m.volume ? m.volume->file.path : m.mesh->file.path, notes);
  });
}

}  // namespace rtsim
