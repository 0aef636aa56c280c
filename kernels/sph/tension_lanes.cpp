#include "sph/pair_lanes.h"
#include "sph/tension_pass.h"

RTSIM_PAIRS_BY_LISTS(rtsim::sph::BearingPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph::StretchPass)
