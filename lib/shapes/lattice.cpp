#include "shapes/lattice.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace rtsim {

CellRange cells_between(const Lattice& lattice, const Vec3d& min, const Vec3d& max) {
  CellRange range;
  for (int a = 0; a < lattice.dim; ++a) {
    const double low = std::floor((min[a] - lattice.origin[a]) / lattice.spacing);
    const double high = std::ceil((max[a] - lattice.origin[a]) / lattice.spacing);
    if (!(std::abs(low) < 1e9 && std::abs(high) < 1e9))
      throw Error(
          ExitCode::bad_input,
          fmt::format("a shape reaches from {} to {} m along {}, which a spacing of {} m cannot "
                      "divide; is its unit the millimetre? (transform: scale 1e-3)",
                      min[a], max[a], "xyz"[a], lattice.spacing));
    range.low[a] = std::int64_t(low);
    range.high[a] = std::int64_t(high);
  }
  return range;
}

}  // namespace rtsim
