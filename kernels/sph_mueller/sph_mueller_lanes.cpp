#include "sph/pair_lanes.h"
#include "sph_mueller/force_pass.h"

RTSIM_PAIRS_BY_LISTS(rtsim::sph_mueller::MeanForce<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_mueller::MeanForce<3>)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_mueller::EnergyForce<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_mueller::EnergyForce<3>)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_mueller::TensionPass<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_mueller::TensionPass<3>)
