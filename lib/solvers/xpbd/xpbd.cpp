#include "solvers/xpbd/xpbd.h"

namespace rtsim {

void describe(Describe& d, XpbdParams& p) {
  describe(d, p.shared);
  d("stretch_compliance", p.stretch_compliance, "m/N", at_least(0),
    "Of every edge: one over its spring constant. 0: it keeps its length.");
  d("bending_stiffness", p.bending_stiffness, "N*m", at_least(0),
    "B of a plate, of which an area bent to a curvature k has the energy B/2 k^2. 0: it bends "
    "freely.");
  d("compressibility", p.compressibility, "1/Pa", at_least(0),
    "Of tetrahedra and balloons: one over their bulk modulus. 0: they keep their volume.");
}

double row_bytes(const XpbdParams& p, const GridShape&) {
  return position_based_point_bytes(p.shared, p.bending_stiffness > 0);
}

namespace {

std::unique_ptr<Stage> make_xpbd(const XpbdParams& p, World& world) {
  Resistances r{
      {1, p.stretch_compliance}, {}, {1, p.compressibility}, p.shared.iterations > 1, true};
  if (p.bending_stiffness > 0) r.bend = Resistance{1, 1 / p.bending_stiffness};
  return make_position_based(p.shared, r, world);
}

}  // namespace

StageType xpbd_type() {
  return stage_type(
      "xpbd",
      "Ropes, cloth, balloons and soft bodies of given compliance, by projecting positions.",
      "Macklin, Müller & Chentanez, \"XPBD: Position-Based Simulation of Compliant Constrained "
      "Dynamics\", MIG 2016; Macklin et al., \"Small Steps in Physics Simulation\", SCA 2019; "
      "bending after Bergou et al., \"A Quadratic Bending Model for Inextensible Surfaces\", SGP "
      "2006; tethers after Kim, Chentanez & Müller, \"Long Range Attachments\", SCA 2012",
      {"Stiff materials, fine meshes and long chains need more substeps (a warning says how many).",
       "The stiffness of a sheet depends on how its triangles lie.",
       "Bending of what is bent at rest is right for small changes only."},
      "docs/cloth_and_soft_bodies.md", make_xpbd);
}

}  // namespace rtsim
