#pragma once
#include <cmath>

#include "contact/line_crossing.h"
#include "exec/span.h"
#include "grid/grid_view.h"

// How often a closed surface goes round each cell of a box: along a line, one more for each
// triangle that it enters by, one less for each that it leaves by. Unlike the side of the nearest
// triangle, that is right where the surface goes through itself, and 0 or less where it is turned
// inside out.
namespace rtsim::grid {

struct WindingOfLines {
  GridView grid;
  contact::SurfaceMesh mesh;
  Index low[3], n[3];  // the cells
  Span<std::int8_t> winding;

  RTSIM_HD void operator()(Index line) const {
    const Index j = line % n[1], k = line / n[1];
    std::int8_t* const own = winding.data + Offset(line) * n[0];
    for (Index i = 0; i < n[0]; ++i) own[i] = 0;
    // Lines pass this far [cells] beside the middles, so that none meets an edge or a corner of a
    // mesh that is aligned with the grid.
    const Vec<3> at = grid.place(0, low[1] + j, low[2] + k);
    const double place[2] = {double(at[1]) + 1.73205081e-7 * double(grid.spacing),
                             double(at[2]) + 2.23606798e-7 * double(grid.spacing)};
    Index waiting[contact::tree_depth];
    int count = 1;
    waiting[0] = 0;
    while (count > 0) {
      const Index node = waiting[--count];
      const contact::BoxNode& box = mesh.nodes[node];
      if (!meets(box, at)) continue;
      if (box.count == 0) {
        waiting[count++] = node + 1, waiting[count++] = box.first;
        continue;
      }
      for (Index t = box.first; t < box.first + box.count; ++t)
        cross(mesh.triangles[t], place, own);
    }
  }

 private:
  RTSIM_HD bool meets(const contact::BoxNode& box, const Vec<3>& at) const {
    const Real slack = Real(1e-6) * grid.spacing;
    bool all = true;
    for (int a = 1; a < 3; ++a)
      all = all && box.low[a] - slack <= at[a] && at[a] <= box.high[a] + slack;
    return all;
  }
  RTSIM_HD void cross(const contact::Corners3& corners, const double (&place)[2],
                      std::int8_t* own) const {
    double p[3][2], weight[3], x = 0;
    for (int k = 0; k < 3; ++k)
      for (int a = 0; a < 2; ++a) p[k][a] = double(mesh.vertices[corners[k]][a + 1]) - place[a];
    if (!contact::cross_line(corners, p, weight)) return;
    const bool leaves = weight[0] > 0;
    for (int k = 0; k < 3; ++k) x += std::abs(weight[k]) * double(mesh.vertices[corners[k]][0]);
    for (Index i = 0; i < n[0]; ++i)
      if (double(grid.place(low[0] + i, 0, 0)[0]) > x) own[i] += leaves ? -1 : 1;
  }
};

}  // namespace rtsim::grid
