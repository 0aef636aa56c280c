#include "sph/pair_lanes.h"
#include "sph_clavet/passes.h"

RTSIM_PAIRS_BY_LISTS(rtsim::sph_clavet::NumberPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_clavet::RelaxPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_clavet::ViscosityPass<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_clavet::ViscosityPass<3>)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_clavet::GripPass<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_clavet::GripPass<3>)
