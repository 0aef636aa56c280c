#include "deformables/tethers.h"

#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

TEST_CASE("tethers: of a flat sheet they are as long as the straight line, on any diagonals") {
  for (const bool alternate : {false, true}) {
    CellMeshSpec spec;
    spec.sheet.emplace().cells = {12, 12};
    spec.sheet->alternate = alternate;
    const CellMesh m = make_cells(spec);
    const TetherMesh mesh{all_edges(m), m.triangles};
    std::vector<bool> held(m.points.size());
    held.front() = held.back() = true;
    const TetherList list = tethers_of(m.points, mesh, held, 2);
    double worst = 0;
    for (std::size_t i = 0; i < held.size(); ++i)
      for (Index k = list.first[i]; k < list.first[i + 1]; ++k) {
        const double straight =
            norm(m.points[i] - m.points[std::size_t(list.held[std::size_t(k)])]);
        CHECK(list.length[std::size_t(k)] > straight * (1 - 1e-9));  // it never holds too short
        worst = std::max(worst, list.length[std::size_t(k)] / straight - 1);
      }
    CHECK(list.held.size() == 2 * (held.size() - 2));
    CHECK(worst < 1e-9);  // along edges 0.41 or 0.08
  }
}

TEST_CASE("tethers: round a corner that is missing they go by way of it") {
  // Three squares of an L, two triangles each; from the end of one arm to that of the other.
  const std::vector<Vec3d> x{{{0, 0, 0}}, {{1, 0, 0}}, {{2, 0, 0}}, {{0, 1, 0}},
                             {{1, 1, 0}}, {{2, 1, 0}}, {{0, 2, 0}}, {{1, 2, 0}}};
  CellMesh m;
  m.points = x;
  m.triangles = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}, {3, 4, 7}, {3, 7, 6}};
  std::vector<bool> held(x.size());
  held[5] = true;
  const TetherList list = tethers_of(x, {all_edges(m), m.triangles}, held, 1);
  CHECK(list.length[std::size_t(list.first[7])] == Approx(2));
  CHECK(list.length[std::size_t(list.first[0])] == Approx(std::sqrt(5.0)));
}
