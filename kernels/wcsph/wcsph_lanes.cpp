#include "sph/pair_lanes.h"
#include "wcsph/phases.h"

RTSIM_PAIRS_BY_LISTS(rtsim::wcsph::ForcePass<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::wcsph::ForcePass<3>)
RTSIM_PAIRS_BY_LISTS(rtsim::wcsph::PhaseForcePass<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::wcsph::PhaseForcePass<3>)
