#include "grid/solids.h"

#include "exec/parallel.h"

namespace rtsim::grid {

namespace {

struct TakeNearer {
  GridView grid;
  SolidMap map;
  boundary::Pose pose;
  std::uint8_t which;
  Span<Real> distance;
  Span<std::uint8_t> nearest;

  RTSIM_HD void operator()(Index c) const {
    const Vec<3> x = grid.place(c) - pose.translation;
    const Vec<3> local =
        x[0] * pose.rotation[0] + x[1] * pose.rotation[1] + x[2] * pose.rotation[2];
    const Real d = interpolate(map.grid, map.distance.data, local);
    if (d < distance[c]) distance[c] = d, nearest[c] = which;
  }
};

}  // namespace

void take_nearer(const Exec& ex, const GridView& grid, const SolidMap& map,
                 const boundary::Pose& pose, std::uint8_t which, Span<Real> distance,
                 Span<std::uint8_t> nearest) {
  parallel_for(ex, "grid.solids", grid.rows(),
               TakeNearer{grid, map, pose, which, distance, nearest});
}

}  // namespace rtsim::grid
