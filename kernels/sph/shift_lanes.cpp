#include "sph/pair_lanes.h"
#include "sph/shift_pass.h"

RTSIM_PAIRS_BY_LISTS(rtsim::sph::SurfacePass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph::ShiftPass)
