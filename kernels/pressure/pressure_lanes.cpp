#include "pressure/phases.h"
#include "sph/pair_lanes.h"

RTSIM_PAIRS_BY_LISTS(rtsim::pressure::RatePass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::DiagonalPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::PushPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::PredictPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::PredictedRatePass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::PhaseDiagonalPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::PhasePushPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pressure::PhasePredictPass)
