#include "particles/density_limits.h"

#include <fmt/format.h>

namespace rtsim {

std::string density_limits(const std::string& stage, const std::string& own) {
  return fmt::format(
      "{0} At the default support shear along a lattice feels 0.66 of the viscosity, in 3D "
      "0.71, and fluid slips along walls: a channel of 20 spacings flows 1.4 times too fast. "
      "configs/{1}/poiseuille.json mends both. Vortices in a box without surface lose half of"
      " their energy and more at a Reynolds number of 100; with shifting at a support of 3 "
      "speeds stay within 3 %. Rows at walls carry up to 1.4 times their pressure, twice "
      "where a stream hits a wall, and the next rows too little, where \"pressure_boundaries\" is "
      "not \"all\": rows then settle up to 0.4 spacings nearer to walls than half a spacing, and "
      "levels fall. Probes of pressure belong three spacings off walls. Rows at rest pack "
      "hexagonally, which makes gradients of pressure 2 % too steep at the default support. Forces "
      "on walls are right, and so are probes of wall_pressure, but for a spacing from a "
      "corner, where they read up to a sixth too much. Walls of samples are as many layers "
      "deep as the support sees; in open meshes and solids too thin for them a support above "
      "2 has pressure too weak to keep rows out: open meshes push them back as they enter the "
      "samples, and no row passes the surface of a closed boundary. The series rows_in_walls "
      "counts rows inside closed boundaries, and those in the samples of bodies and open meshes. "
      "Where boundaries touch, samples thin each other, and rows in the edge between see up to a "
      "tenth too little density. At a "
      "support of 3 and little viscosity rows of still water pair up. Density errors that a "
      "step leaves stir the fluid, by their part of spacing / dt: small waves want tolerances"
      " below the defaults.",
      own, stage);
}

}  // namespace rtsim
