#include "pbf/passes.h"
#include "sph/pair_lanes.h"

RTSIM_PAIRS_BY_LISTS(rtsim::pbf::LambdaPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pbf::ShiftPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pbf::XsphPass<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::pbf::XsphPass<3>)
RTSIM_PAIRS_BY_LISTS(rtsim::pbf::CurlPass)
RTSIM_PAIRS_BY_LISTS(rtsim::pbf::ConfinePass<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::pbf::ConfinePass<3>)
