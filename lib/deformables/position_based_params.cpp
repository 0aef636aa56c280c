#include "deformables/position_based_params.h"

#include <cmath>

namespace rtsim {

void describe(Describe& d, PositionBasedParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  static constexpr Option models[] = {
      {"isometric", int(BendModel::isometric),
       "Quadratic in the positions, for cloth that hardly stretches: Bergou et al. 2006."},
      {"dihedral", int(BendModel::dihedral),
       "By the angle between triangles: Müller et al. 2006."}};
  static constexpr Option shapes[] = {
      {"as_built", int(RestShape::as_built), "As the mesh starts."},
      {"flat", int(RestShape::flat), "Flat, whatever the mesh is like at the start."}};
  static constexpr Option orders[] = {
      {"gauss_seidel", int(ProjectionOrder::gauss_seidel),
       "One after the other, in colours that share no point."},
      {"jacobi", int(ProjectionOrder::jacobi),
       "All at once and averaged: symmetric, but it needs several times the iterations."}};
  d.role("mesh", p.mesh, kinds, "The mesh that it moves.");
  d.choice("bending", p.bending, models, "How triangles resist bending over their edges:");
  d.choice("rest_shape", p.rest_shape, shapes, "Where hinges are at rest:");
  d("keep_volume", p.keep_volume, "Tetrahedra keep their volume.");
  d("pressure", p.pressure, "", above(0),
    "A closed surface keeps so many times its volume at the start: a balloon. Default: it may "
    "collapse.");
  d.nested("shape_matching", p.shape_matching,
           "The mesh is drawn to its shape at the start, as a whole or in regions (Müller et al. "
           "2005). Default: not.");
  d("tethers", p.tethers, "", between(0, 16),
    "So many groups of held points, the nearest ones, hold each point back: it goes no farther "
    "from them than over the mesh at rest. Long ropes and sheets then stretch less.");
  d("damping", p.damping, "1/s", at_least(0),
    "Velocities decay as exp(-damping t), those of free fall too.");
  d.choice("order", p.order, orders, "How the constraints of an iteration follow each other:");
  describe(d, p.contact);
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  d("iterations", p.iterations, "", between(1, 100000),
    "Projections of all constraints in a substep. Substeps do more for the same time.");
}

double share_of_iteration(double k, int iterations) {
  return 1 - std::pow(1 - k, 1.0 / iterations);
}

pbd::Softness softness(const Resistance& r, double h) {
  return {Real(r.share), Real(r.compliance / (h * h))};
}

}  // namespace rtsim
