#include "meshes/add_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace rtsim {

std::string edge_table(const std::string& mesh) { return mesh + ".edges"; }
std::string triangle_table(const std::string& mesh) { return mesh + ".triangles"; }
std::string tet_table(const std::string& mesh) { return mesh + ".tets"; }
std::string element_table(const std::string& mesh) { return mesh + ".elements"; }

namespace {

// Each cell gives its points equal shares of what it weighs, if they do not know it themselves;
// tets weigh, or else triangles, or else lines.
std::vector<double> lumped(const CellMesh& m, double density) {
  std::vector<double> mass(m.points.size());
  for (std::size_t i = 0; i < m.volume.size(); ++i) mass[i] = density * m.volume[i];
  if (!m.volume.empty()) return mass;
  const auto share = [&](const auto& cells, auto measure) {
    for (const auto& c : cells)
      for (const auto v : c) mass[std::size_t(v)] += density * measure(m, c) / double(c.size());
  };
  if (!m.tets.empty())
    share(m.tets, volume_of);
  else if (!m.triangles.empty())
    share(m.triangles, area_of);
  else
    share(m.edges, length_of);
  return mass;
}

std::vector<double> masses(const CellMesh& m, const MeshMass& given) {
  std::vector<double> mass = m.mass;
  if (mass.empty() && given.vertex_mass) mass.assign(m.points.size(), *given.vertex_mass);
  if (mass.empty() && given.density) mass = lumped(m, *given.density);
  if (mass.empty())
    throw Error(ExitCode::bad_input, "has no mass; give \"density\" or \"vertex_mass\"");
  const auto none = std::ranges::find_if(mass, [](double x) { return !(x > 0); });
  if (none != mass.end())
    throw Error(ExitCode::bad_input,
                fmt::format("{} of {} points have no mass, the first is number {}; give a "
                            "\"vertex_mass\", or hold points with a stage \"attach\"",
                            std::ranges::count_if(mass, [](double x) { return !(x > 0); }),
                            mass.size(), none - mass.begin()));
  return mass;
}

template <std::size_t N>
void add_cells(World& world, const std::string& table,
               const std::vector<std::array<CellMesh::Corner, N>>& cells) {
  if (cells.empty()) return;
  std::vector<Corners<int(N)>> corners(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) std::ranges::copy(cells[i], corners[i].c);
  world.add_table(table, Index(cells.size())).add<Corners<int(N)>>({"corners", ""}, corners);
}

}  // namespace

void add_mesh(World& world, const std::string& name, const CellMesh& m, const MeshMass& given,
              const std::vector<Vec3d>& start) {
  const std::vector<double> kg = masses(m, given);
  std::vector<Vec<3>> position, velocity(m.points.size());
  std::vector<Real> mass, inverse;
  for (std::size_t i = 0; i < m.points.size(); ++i) {
    position.push_back(narrow<3>(m.points[i]));
    if (!start.empty()) velocity[i] = narrow<3>(start[i]);
    mass.push_back(Real(kg[i])), inverse.push_back(Real(1 / kg[i]));
  }
  const auto rows = Index(m.points.size());
  std::vector<std::uint32_t> id(m.points.size());
  std::iota(id.begin(), id.end(), world.take_ids(rows));
  Table& t = world.add_table(name, rows);
  t.add<Vec<3>>({"position", "m"}, position);
  t.add<Vec<3>>({"velocity", "m/s"}, velocity);
  t.add<Real>({"mass", "kg"}, mass);
  t.add<Real>({"inverse_mass", "1/kg"}, inverse);
  t.add<Vec<3>>({"target", "m", Role::scratch}, position);
  t.add<std::uint32_t>({"id", ""}, id);
  add_cells(world, edge_table(name), all_edges(m));
  add_cells(world, triangle_table(name), m.tets.empty() ? m.triangles : boundary_of(m.tets));
  add_cells(world, tet_table(name), m.tets);
  add_cells(world, element_table(name), m.ten_nodes);
  add_cells(world, element_table(name), m.six_nodes);
  if (m.tags.empty()) return;
  const std::string own = m.tets.empty() ? triangle_table(name) : tet_table(name);
  const std::string elements = element_table(name);
  world.table(world.has_table(elements) ? elements : own).add<std::int32_t>({"tag", ""}, m.tags);
}

}  // namespace rtsim
