#include "sph/tension.h"

#include "sph/pair_cells.h"
#include "sph/tension_pass.h"

namespace rtsim::sph {

void find_bearing(const Exec& ex, const Bearing& law, const PairRows& fluid, const PairRows& walls,
                  const neighbours::NeighbourLists& lists, Span<Real> bears) {
  for_pairs(ex, "sph.bearing", fluid, walls, lists, law.medium.kernel.support,
            BearingPass{law, bears});
}

void stretch(const Exec& ex, const Bearing& law, Real dt, const PairRows& fluid,
             const PairRows& walls, const neighbours::NeighbourLists& lists, Span<Real> stretch) {
  for_pairs(ex, "sph.stretch", fluid, walls, lists, law.medium.kernel.support,
            StretchPass{law, dt, stretch});
}

}  // namespace rtsim::sph
