#include "solvers/pbd/pbd.h"

namespace rtsim {

void describe(Describe& d, PbdParams& p) {
  describe(d, p.shared);
  d("stretch_stiffness", p.stretch_stiffness, "", between(0, 1),
    "Share k of an edge's change of length that a substep takes back: each of n iterations takes "
    "1 - (1 - k)^(1/n).");
  d("bending_stiffness", p.bending_stiffness, "", between(0, 1), "Likewise of a hinge's bending.");
  d("volume_stiffness", p.volume_stiffness, "", between(0, 1),
    "Likewise of the volume of tetrahedra and balloons.");
}

double row_bytes(const PbdParams& p, const GridShape&) {
  return position_based_point_bytes(p.shared, p.bending_stiffness > 0);
}

namespace {

Resistance share_of(double k, int iterations) { return {share_of_iteration(k, iterations), 0}; }

std::unique_ptr<Stage> make_pbd(const PbdParams& p, World& world) {
  const int n = p.shared.iterations;
  Resistances r{
      share_of(p.stretch_stiffness, n), {}, share_of(p.volume_stiffness, n), false, false};
  if (p.bending_stiffness > 0) r.bend = share_of(p.bending_stiffness, n);
  return make_position_based(p.shared, r, world);
}

}  // namespace

StageType pbd_type() {
  return stage_type(
      "pbd", "Ropes, cloth, balloons and soft bodies by projecting positions onto constraints.",
      "Müller, Heidelberger, Hennix & Ratcliff, \"Position Based Dynamics\", VRIPHYS 2006; bending "
      "also after Bergou et al., \"A Quadratic Bending Model for Inextensible Surfaces\", SGP "
      "2006; "
      "shape matching after Müller et al., \"Meshless Deformations Based on Shape Matching\", "
      "SIGGRAPH 2005; tethers after Kim, Chentanez & Müller, \"Long Range Attachments\", SCA 2012",
      {"Stiffness is a share and no material: it changes with step, iterations and mesh.",
       "Damps what moves fast.", "All mass sits at the points."},
      "docs/cloth_and_soft_bodies.md", make_pbd);
}

}  // namespace rtsim
