#include "sph/pair_lanes.h"
#include "sph_forces/cohesion.h"
#include "sph_forces/drag.h"
#include "sph_forces/implicit_viscosity.h"
#include "sph_forces/micropolar.h"
#include "sph_forces/surface_tension.h"
#include "sph_forces/vorticity.h"

RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::ViscousBlockPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::ViscousProductPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::NormalPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::CohesionPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::SurfacePass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::BlurPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::CurvaturePass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::TensionPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::CurlPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::ConfinementPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::SpinToFlowPass)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::FlowToSpinPass<2>)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::FlowToSpinPass<3>)
RTSIM_PAIRS_BY_LISTS(rtsim::sph_forces::WindPass)
