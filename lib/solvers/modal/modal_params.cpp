#include "modal/modal.h"
#include "solvers/modal/modal.h"

namespace rtsim {

void describe(Describe& d, ModalParams& p) {
  static constexpr const char* meshes[] = {"mesh"};
  static constexpr const char* boundaries[] = {"boundary", "bodies"};
  d.role("mesh", p.mesh, meshes,
         "The mesh that it moves, at rest as it starts: tetrahedra, or triangles in a plane of one "
         "z, as plane strain of a slice 1 m deep. Points that an \"attach\" before it holds from "
         "the start stay held; without any the mesh flies.");
  d("youngs_modulus", p.youngs_modulus, "Pa", above(0),
    "E: stress over strain of a rod that is pulled.");
  d("poissons_ratio", p.poissons_ratio, "", between(-0.99, 0.4999),
    "nu: how much thinner a rod becomes over how much longer.");
  d("modes", p.modes, "", between(1, 10000),
    "How many modes it has at the most, from the lowest frequency up. What they cannot do, it does "
    "not do.");
  d("highest_frequency", p.highest_frequency, "Hz", above(0),
    "Modes above it are left out. Default: none is.");
  d("damping_ratio", p.damping_ratio, "", at_least(0),
    "zeta of every mode, besides Rayleigh's: 0 rings for ever, 1 is critical.");
  d("rayleigh_mass", p.rayleigh_mass, "1/s", at_least(0),
    "a of Rayleigh's damping a M + b K: a mode of frequency w [rad/s] has the damping ratio a / "
    "(2 w) + b w / 2. It does not slow down how a free mesh flies.");
  d("rayleigh_stiffness", p.rayleigh_stiffness, "s", at_least(0), "b of it.");
  d("warping", p.warping,
    "Whether points turn with the mesh where it bends (modal warping): bars that bend far keep "
    "their length. Only of meshes that are held. Costs two to three times as much.");
  d.roles("boundary", p.boundary, boundaries,
          "What its points cannot enter; bodies feel it by the stage body_contact.");
  d("thickness", p.thickness, "m", above(0),
    "How near points come to surfaces. Default: a tenth of the mean edge.");
  d("friction", p.friction, "", at_least(0), "Coulomb's, on boundaries.");
  d("recovery", p.recovery, "m/s", at_least(0),
    "How fast points that start too close to a boundary, or inside, are moved out.");
}

// Of a sheet; of a solid twice that is counted, which covers its third direction as well. The
// factor of the stiffness is forgotten before the run.
double row_bytes(const ModalParams& p, const GridShape&) {
  const double shape = double(p.modes) * (sizeof(modal::ShapeSlot) / double(lane_count));
  const double host = 3. * p.modes * sizeof(double);
  return (p.warping ? 2 : 1) * (shape + host) + 8 * sizeof(Vec<3>);
}

}  // namespace rtsim
