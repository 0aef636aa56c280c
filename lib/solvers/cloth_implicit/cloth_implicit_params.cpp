#include "solvers/cloth_implicit/cloth_implicit.h"

namespace rtsim {

void describe(Describe& d, ClothImplicitParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  static constexpr Option shapes[] = {
      {"as_built", int(RestShape::as_built), "As the mesh starts."},
      {"flat", int(RestShape::flat), "Flat, whatever the mesh is like at the start."}};
  d.role("mesh", p.mesh, kinds, "The mesh of triangles that it moves, at rest as it starts.");
  d("stretch_stiffness", p.stretch_stiffness, "N/m", above(0),
    "Force across a width, over the width and the strain of the threads along the warp: Young's "
    "modulus times the thickness.");
  d("weft_stiffness", p.weft_stiffness, "N/m", above(0),
    "The same along the weft. Default: the stretch stiffness.");
  d("shear_stiffness", p.shear_stiffness, "N/m", at_least(0),
    "Shear force over a width, over the width and the angle that warp and weft turn. Half the "
    "stretch stiffness makes cloth that is alike in all directions, if warp and weft are alike.");
  d("bending_stiffness", p.bending_stiffness, "N*m", at_least(0),
    "B of a plate, of which an area bent to a curvature k has the energy B/2 k^2.");
  d("warp_length", p.warp_length, "", above(0),
    "Length at rest of threads along the warp over that in the mesh.");
  d("weft_length", p.weft_length, "", above(0), "The same along the weft.");
  d.vector(
      "warp", p.warp, "",
      "Direction of the warp at the start; threads of a triangle go along what of it lies in "
      "its plane. Default, zero: along u of a sheet, along +y in other meshes. In triangles that "
      "lie across it to 6 degrees the weft runs along the axis that it is least along.");
  d.choice("rest_shape", p.rest_shape, shapes, "How its curvatures are at rest:");
  d("damping", p.damping, "s", at_least(0),
    "tau of stretch and shear: they resist the speed of a strain with tau times the stiffness.");
  d("bending_damping", p.bending_damping, "s", at_least(0),
    "tau of bending, by the speed of curvatures as the cloth sees them.");
  d("drag", p.drag, "1/s", at_least(0), "Slows all points down at this rate.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  d("stretch_change", p.stretch_change, "", above(0),
    "A step in which a substep changes the stretch of a thread by more is taken again with twice "
    "the substeps, up to 64 times as many; steps after it begin with as many, and with half once "
    "half of that would do. Default: any change will do.");
  describe(d, p.solve);
  describe(d, p.contact);
  if (p.contact.restitution > 0)
    d.fault("restitution",
            "must be 0: implicit cloth does not rebound, its solve keeps points on boundaries; "
            "take \"mass_spring\" or \"xpbd\" for cloth that does");
}

// Measured: the matrix, of some seven blocks and 22 numbers of bending a row, and vectors.
double row_bytes(const ClothImplicitParams& p, const GridShape&) {
  return 76 * sizeof(Index) + 400 * sizeof(Real) + contact_point_bytes(p.contact);
}

}  // namespace rtsim
