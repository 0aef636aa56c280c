#pragma once
#include "particles/sph_fluid.h"
#include "solvers/sph_clavet/sph_clavet.h"
#include "sph_clavet/law.h"

namespace rtsim {

// The law that settles where `p.sph.rest_density` says. `expected_speed` gives the unit of
// stiffness where the scene does not [m/s].
sph_clavet::Law clavet_law(const SphClavetParams& p, int dim, double spacing, const sph::Medium&,
                           double expected_speed);

// Of fluid at rest density [m/s].
double clavet_sound_speed(const sph_clavet::Law&, int dim, double spacing);

}  // namespace rtsim
