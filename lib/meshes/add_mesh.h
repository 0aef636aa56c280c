#pragma once
#include <optional>
#include <string>

#include "meshes/cell_mesh.h"
#include "world/world.h"

namespace rtsim {

// What a mesh weighs: its cells by their density, or every point alike.
struct MeshMass {
  std::optional<double> density;      // [kg/m^3] of tets, [kg/m^2] of triangles, [kg/m] of lines
  std::optional<double> vertex_mass;  // [kg]
};

// Adds the tables of a mesh:
//   <name>            a row for each point, with the state columns `position` [m], `velocity`
//                     [m/s], `mass` [kg], `inverse_mass` [1/kg], 0 of points that are held, `id`,
//                     and the scratch column `target` [m]: where a held point is to be at the end
//                     of the present step, as the stages that hold it say before the solver
//   <name>.edges      `corners`, two rows of points, of every edge once
//   <name>.triangles  `corners`, three; of tets those of their surface
//   <name>.tets       `corners`, four
//   <name>.elements   `corners`, ten of tets and six of triangles, where those are of second order:
//                     the tets or triangles above are their parts, see make_quadratic; `tag` where
//                     a file has such. Of elements of first order their own tables have it.
// The last four where there are any. `velocity` [m/s] is that of each point; empty: at rest.
void add_mesh(World&, const std::string& name, const CellMesh&, const MeshMass&,
              const std::vector<Vec3d>& velocity);

std::string edge_table(const std::string& mesh);
std::string triangle_table(const std::string& mesh);
std::string tet_table(const std::string& mesh);
std::string element_table(const std::string& mesh);

// Corners of cells as columns hold them.
template <int N>
using Corners = VecT<std::int32_t, N>;

}  // namespace rtsim
