#include "meshes/cell_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/input_file.h"
#include "meshes/cell_text.h"
#include "shapes/mesh_text.h"

namespace rtsim {
namespace {

// 36 pi V^2 / A^3, with the areas of all faces: 0 of what is flat, .30 of a regular tet.
double roundness(const CellMesh& m, const CellMesh::Tet& t) {
  const double volume = volume_of(m, t);
  double area = 0;
  for (std::size_t k = 0; k < 4; ++k)
    area += area_of(m, {t[(k + 1) % 4], t[(k + 2) % 4], t[(k + 3) % 4]});
  return area > 0 ? 36 * 3.14159265358979 * volume * volume / (area * area * area) : 0;
}

void check_tets(CellMesh& m, const FileCells& file, const std::string& name) {
  constexpr double flat = 1e-10;  // a tet a millionth as high as it is long
  const auto inverted = std::size_t(
      std::ranges::count_if(m.tets, [&](const auto& t) { return volume_of(m, t) < 0; }));
  if (inverted == m.tets.size() && inverted > 0) {
    for (auto& t : m.tets) std::swap(t[2], t[3]);
    m.notes.push_back(fmt::format("{}: all tetrahedra were inverted, and are turned", name));
  }
  for (std::size_t i = 0; i < m.tets.size(); ++i) {
    const double volume = volume_of(m, m.tets[i]);
    const bool is_flat = roundness(m, m.tets[i]) < flat;
    if (volume > 0 && !is_flat) continue;
    mesh_fault(name,
               fmt::format("{}: the tetrahedron is {}, its volume is {:.6g} m^3, with {} of {} "
                           "inverted in all; mesh it again",
                           file.tet_places[i], is_flat ? "flat" : "inverted", volume, inverted,
                           m.tets.size()));
  }
}

void check_triangles(const CellMesh& m, const FileCells& file, const std::string& name) {
  for (std::size_t i = 0; i < m.triangles.size(); ++i)
    if (!(area_of(m, m.triangles[i]) > 0))
      mesh_fault(name, file.triangle_places[i] + ": the triangle has no area; mesh it again");
}

// The longest side of the box round points.
double extent(const std::vector<Vec3d>& points) {
  double longest = 0;
  for (int a = 0; a < 3; ++a) {
    const auto [low, high] = std::ranges::minmax(points, {}, [a](const Vec3d& x) { return x[a]; });
    longest = std::max(longest, high[a] - low[a]);
  }
  return longest;
}

}  // namespace

void add_second_order(FileCells& to, const CellMesh::Corner* nodes, int corners,
                      const int (*pairs)[2]) {
  to.second_order = true;
  for (int k = 0; k < corners * (corners - 1) / 2; ++k) {
    const auto x = [&](int n) { return to.points[std::size_t(nodes[n])]; };
    const Vec3d off = x(corners + k) - 0.5 * (x(pairs[k][0]) + x(pairs[k][1]));
    to.bent = std::max(to.bent, norm(off));
  }
}

CellMesh read_cells(std::string_view text, std::string_view extension, const std::string& name) {
  FileCells file;
  if (extension == ".msh")
    file = read_msh(text, name);
  else if (extension == ".vtk")
    file = read_vtk(text, name);
  else if (extension == ".vtu")
    file = read_vtu(text, name);
  else
    mesh_fault(name, fmt::format("unknown format '{}' of tetrahedra; .msh, .vtk and .vtu are known",
                                 extension));
  CellMesh m;
  m.points = file.points;
  if (!file.tets.empty())
    m.tets = file.tets, m.tags = file.tet_tags;
  else
    m.triangles = file.triangles, m.tags = file.triangle_tags;
  if (m.tets.empty() && m.triangles.empty())
    mesh_fault(name, "has no tetrahedra and no triangles; save the elements of the volume too");
  m.second_order = file.second_order;
  if (file.bent > 1e-6 * extent(file.points))
    m.notes.push_back(fmt::format(
        "{}: points amid edges lie up to {:.3g} m off their middles, where they are put: elements "
        "are straight at rest",
        name, file.bent));
  check_tets(m, file, name);
  check_triangles(m, file, name);
  return m;
}

CellMesh read_cells(const std::filesystem::path& path) {
  if (const std::string why = why_unreadable(path, largest_mesh); !why.empty())
    mesh_fault(path.string(),
               "cannot be opened: " + why + "; files are looked for from the scene's folder");
  return read_cells(read_input(path, largest_mesh), path.extension().string(), path.string());
}

}  // namespace rtsim
