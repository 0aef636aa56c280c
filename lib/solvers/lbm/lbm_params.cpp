#include "solvers/lbm/lbm.h"

namespace rtsim {

void describe(Describe& d, LbmFace& p) {
  using F = lbm::Faces;
  static constexpr Option kinds[] = {
      {"wall", F::wall,
       "No slip, half a cell from the first cells; moves along where it has a "
       "velocity: a lid."},
      {"inlet", F::inlet, "Fluid comes in, or is drawn out, at its velocity."},
      {"pressure", F::pressure,
       "Open, at its pressure; a backflow is not held back. Sound leaves by it: \"absorbing\"."},
      {"slip", F::slip, "A wall without friction, or a plane of symmetry."},
      {"periodic", F::periodic, "Leads to the opposite face, which must be periodic too."}};
  d.choice("type", p.kind, kinds, "What it does:");
  d.vector("velocity", p.velocity, "m/s", "Of the wall, or of the fluid at the inlet.");
  d("pressure", p.pressure, "Pa", any(), "Above that of fluid at rest, at a pressure face.");
  d("parabolic", p.parabolic,
    "The inlet's velocity is that of its middle, and falls to 0 at its rims as a parabola.");
  d("absorbing", p.absorbing,
    "A pressure face stands above its pressure by rho c (u - U), so that plane waves of sound "
    "leave "
    "by it: c is the speed of sound, u the mean outflow, U what inlets and obstacles press out "
    "and, "
    "where several faces are open, what their pressures drive. Steady flows meet the pressure "
    "itself. With false it is held at every moment, and sound is thrown back.");
}

void describe(Describe& d, LbmVortices& p) {
  d("speed", p.speed, "m/s", any(), "Greatest speed.");
  d("waves", p.waves, "", between(1, 1000), "Waves along x, and along y.");
}

void describe(Describe& d, LbmParams& p) {
  static constexpr const char *grids[] = {"grid"}, *boundaries[] = {"boundary", "bodies"};
  static constexpr Option collisions[] = {
      {"trt", int(LbmParams::Collision::trt),
       "Two relaxation times: walls stay where they are at any viscosity."},
      {"bgk", int(LbmParams::Collision::bgk), "One relaxation time, as in the class notes."}};
  static constexpr Option storages[] = {
      {"float", int(LbmParams::Storage::real), "Full numbers (of the build's precision)."},
      {"half", int(LbmParams::Storage::half),
       "16 bits, of the difference from fluid at rest times 2^15, rounded up or down by chance "
       "(the "
       "same in every run): half the memory; velocities are good to a thousandth of the greatest, "
       "at small steps too, and the mass may drift by 1e-7 a step."}};
  d.role("grid", p.grid, grids, "The grid that the fluid fills.");
  d.roles("boundary", p.boundary, boundaries,
          "Obstacles and walls; cells whose centre lies inside are solid, and their surfaces cut "
          "the links between cells where they lie. A stage couple lets it push bodies.");
  d("density", p.density, "kg/m^D", above(0), "Of the fluid.");
  d("kinematic_viscosity", p.kinematic_viscosity, "m^2/s", above(0), "Viscosity nu.");
  d.choice("collision", p.collision, collisions, "How populations relax:");
  d("magic", p.magic, "", above(0),
    "Lambda of \"trt\". Default: 3/16, where walls lie exactly half-way and Poiseuille's flow is "
    "exact; with smagorinsky 0.001, since larger ones let flows of low viscosity ring from cell to "
    "cell.");
  if (p.magic && p.collision == LbmParams::Collision::bgk)
    d.fault("magic", "is for the collision \"trt\"");
  d("smagorinsky", p.smagorinsky, "", between(0, 1),
    "Constant C of the eddy viscosity C^2 S of unresolved vortices, in cells; 0: none, 0.03 keeps "
    "low viscosities stable, 0.1 what leaves by pressure faces smooth as well.");
  d.choice("storage", p.storage, storages, "How populations lie in memory:");
  d.vector(
      "acceleration", p.acceleration, "m/s^2",
      "Of a force on all the fluid. The scene's gravity is left out: without a free surface it "
      "is a hydrostatic pressure and no more.");
  d.vector("velocity", p.velocity, "m/s", "Everywhere at the start.");
  d.nested("vortices", p.vortices, "Added at the start: Taylor-Green vortices in the plane x, y.");
  d("ramp", p.ramp, "s", at_least(0),
    "Walls and inlets of faces take this long to come to their velocity; a jump rings for long.");
  d("substeps", p.substeps, "", between(1, 100000),
    "Equal steps of the lattice per time step; velocity and pressure are written after the last.");
  d("vorticity", p.vorticity,
    "Adds the column \"vorticity\", the curl of the velocity, which costs about a step of the "
    "lattice after each time step. Beside walls it knows the fluid's side alone.");
  d("boundary_forces", p.boundary_forces,
    "Finds force and torque about the origin on each boundary over the whole time step, as columns "
    "of its table `<boundary>.forces@<grid>`. The series of forces are those of the last substep.");
  d.list("probes", p.probes, "Places where the series look at the fluid.");
  for (int f = 0; f < 6; ++f)
    if (f < 4 || d.dim() != 2)
      d.nested(lbm_face_names[f], p.faces[f], "This face of the grid.", "lbm_face");
}

// Populations with their margins, moments, flags and distances of walls, links.
double row_bytes(const LbmParams& p, const GridShape& g) {
  const bool plane = !g.spans[2];
  const double population = p.storage == LbmParams::Storage::half ? 2 : sizeof(Real);
  const double moments = (plane ? 3 : 4) + (!p.vorticity ? 0 : plane ? 1 : 3);
  const double padded = lbm::Layout(g.cells, plane ? 2 : 3).slots() / g.rows();
  // Cells at faces that close the grid have a link for each population that meets them; a face that
  // is periodic or slips, a passage of nearly the size.
  double at_faces = 0;
  for (int a = 0; a < 3; ++a)
    if (g.spans[a]) at_faces += 2.0 / g.cells[a];
  // Obstacles, whose links are kept twice, are taken to have as much surface as the grid.
  const double kept = p.boundary.names.empty() ? 1 : 3;
  const double links = kept * at_faces * (plane ? 3 : 5) * (sizeof(lbm::Link) + sizeof(Index));
  return padded * ((plane ? 9 : 19) * population + 1) + (moments + 2) * sizeof(Real) + 8 + links;
}

}  // namespace rtsim
