#pragma once
#include <cmath>
#include <vector>

#include "shapes/shape.h"
#include "shapes/thickness.h"

namespace rtsim {

// Centres of a cubic (2D: square) lattice whose cells tile the shape's bounds from their lower
// corner, kept where they lie inside, x fastest. A box whose sides are whole spacings holds
// side / spacing points each way, half a spacing off its faces, so the mass is exact.
std::vector<Vec3d> fill_lattice(const Shape&, double spacing, int dim);

// Points that fill a shape, and the spacing of a cubic lattice (2D: a square one) with as much room
// for each, so that rest_density * spacing^D is the mass that each stands for.
struct Fill {
  std::vector<Vec3d> points;  // [m]
  double spacing;             // [m]
};

// Likewise, but a box, turned or not, and what is cut from one ("difference") is tiled by whole
// cells that are as near `spacing` each way as its sides allow: points at its faces are half a cell
// off them, and the mass of a box is exact at any spacing.
Fill fitted_fill(const ShapeSpec&, const Shape&, double spacing, int dim);

// Volume (2D: area) inside the shape, from a coarse lattice: for estimates before filling.
double estimate_volume(const Shape&, int dim);

struct SurfaceSample {
  Vec3d position;  // [m]
  double area;     // [m^2] (2D: [m]) of surface it stands for: spacing^(D-1), near the truth
  int layer;       // 0 at the surface; deeper ones stand for no surface
  double open;     // what fluid outside gives to a sum there, over what it does at a flat wall
  Thickness thickness{INFINITY,
                      INFINITY};  // of the solid and of the gap there, where below `layers`
};

// Points about one spacing apart, half a spacing inside the solid (on the surface where the shape
// is open), so that fluid which touches the surface is one spacing from them. On faces aligned
// with the axes they continue the lattice of fill_lattice. Further layers lie a spacing deeper
// each, as far as the solid goes. Deterministic. Infinite shapes are cut to `region`.
std::vector<SurfaceSample> sample_surface(const Shape&, double spacing, int dim,
                                          const Bounds& region, int layers = 1);

}  // namespace rtsim
