#include "pressure/passes.h"
#include "sph/pair_lanes.h"

RTSIM_PAIRS_BY_LISTS(rtsim::pressure::RatePass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::DiagonalPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::PushPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::PredictPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::PredictedRatePass)
