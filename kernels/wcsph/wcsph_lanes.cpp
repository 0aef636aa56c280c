#include "sph/pair_lanes.h"
#include "wcsph/force_pass.h"

RTSIM_PAIRS_BY_LISTS(rtsim::wcsph::ForcePass<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::wcsph::ForcePass<3>)
