#include "sph/pair_lanes.h"
#include "sph_bodin/pressure_pass.h"

RTSIM_PAIRS_BY_LISTS(rtsim::sph_bodin::PressurePass)
