#pragma once
#include "exec/exec.h"
#include "mac/mac.h"
#include "smoke/buoyancy.h"

namespace rtsim::smoke {

// u += dt a, with density and temperature as means of the cells beside a face. Fields with margins.
void add_buoyancy(const Exec&, const mac::Domain&, const Buoyancy&, Real dt, const Real* density,
                  const Real* temperature, const mac::Velocity&);

// Vorticity confinement (Steinhoff & Underhill 1994; Fedkiw, Stam & Jensen, "Visual Simulation of
// Smoke", SIGGRAPH 2001, eq. 9-11):
//   w = curl u,  N = grad |w| / |grad |w||,  a = strength h (N x w)
// on the cells. strength: [1/s]; swirls of the size of cells grow at about this rate.
// find_vorticity() writes the components of w (2D: the last one) and |w| to fields with a margin;
// with that of |w| filled, confinement_force() turns w into a; with those of a filled,
// add_confinement() pushes the faces.
struct Swirl {
  Real* part[3];  // to value (0, 0, 0)
  Real* magnitude;
};
void find_vorticity(const Exec&, const mac::Domain&, const mac::Faces&, const Swirl&);
void confinement_force(const Exec&, const mac::Domain&, Real strength, const Swirl&);
void add_confinement(const Exec&, const mac::Domain&, Real dt, const Swirl&, const mac::Velocity&);

// x *= factor, for decay.
void scale(const Exec&, Real factor, Span<Real> x);

}  // namespace rtsim::smoke
