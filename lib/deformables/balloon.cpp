#include "deformables/balloon.h"

#include <fmt/format.h>

#include "meshes/adjacency.h"

namespace rtsim {

namespace {

double volume_inside(const std::vector<Vec3d>& x, const std::vector<CellMesh::Triangle>& surface) {
  double sum = 0;
  for (const auto& t : surface) {
    const auto at = [&](std::size_t k) { return x[std::size_t(t[k])] - x[0]; };
    sum += dot(cross(at(0), at(1)), at(2)) / 6;
  }
  return sum;
}

}  // namespace

Balloon::Balloon(World& world, const std::string& mesh, double pressure,
                 const std::vector<Vec3d>& rest)
    : mesh_(mesh), first_(world.exec), slots_(world.exec), gradient_(world.exec, rest.size()) {
  const auto triangles = corners_of<3>(world, triangle_table(mesh));
  if (!closed(triangles) || world.has_table(tet_table(mesh)))
    throw Error(ExitCode::bad_input,
                fmt::format("\"pressure\" is of the volume inside a closed surface, and '{}' is "
                            "none; close its holes and turn its triangles one way",
                            mesh));
  rest_ = pressure * volume_inside(rest, triangles);
  if (!(rest_ > 0))
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' encloses {:.3g} m^3 at rest: turn its triangles inside out", mesh,
                            rest_ / pressure));
  const Incidence at = incidence_of(rest.size(), triangles);
  first_.upload(at.first), slots_.upload(at.slots);
}

void Balloon::project(World& world, const pbd::Softness& soft, Span<Row4> place,
                      const pbd::Told& told) {
  pbd::keep_volume(world.exec, soft, rest_, surface(world), lambda_, gradient_.span(), told, place);
}

double Balloon::volume(World& world, Span<const Vec<3>> position) const {
  return pbd::enclosed_volume(world.exec, surface(world), position);
}

pbd::Surface Balloon::surface(World& world) const {
  return {world.table(triangle_table(mesh_)).column<const Corners<3>>("corners"), first_.span(),
          slots_.span()};
}

}  // namespace rtsim
