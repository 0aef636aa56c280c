#pragma once
#include "grids/flow_bodies.h"
#include "grids/grid_walls.h"
#include "grids/poisson.h"

namespace rtsim {

// The rigid bodies and soft solids among the walls of a liquid with a free surface, which yield to
// its pressure while that is looked for (kernels/poisson/body_terms.h). They stand where the
// particles do: at the start of a substep where its pressure is found, at the end of it with the
// velocity that the pressure left. Does nothing where there are none.
class BodiesInLiquid {
 public:
  BodiesInLiquid(World&, const std::string& fluid, const std::vector<std::string>& boundary,
                 const GridShape&, const MeshWalls&, double rest_density, const PoissonParams&);

  bool empty() const { return motions_.empty() && meshes_.empty(); }

  // Walls where the bodies are at the start of a step of dt.
  void begin(World&, GridWalls&, double dt);
  double greatest_speed() const;  // [m/s] of a surface in the grid

  // Of a substep of h, in this order. Walls stand as they do so long before the step's end.
  void fall(World&, GridWalls&, double h, double before_end);
  // What particles bring to faces: velocity, and how many of them, of so much mass [kg] each.
  struct Brought {
    mac::Velocity velocity, weight;
    double row_mass;
  };
  poisson::BodyTerms find_terms(World&, const mac::Domain&, GridWalls&, const Brought&);
  void add_film(double factor, Span<Real> divergence) const;
  void push(World&, GridWalls&, double h, Poisson&);
  // What viscosity did to each solid [N s], [N m s] about its centre.
  void feel(World&, GridWalls&, const std::vector<poisson::Screw>& felt);
  void move(World&, GridWalls&, double h, double before_end);
  const BodyMotions& motions() const { return motions_; }
  FlowMeshes& meshes() { return meshes_; }

  void hand_over(World&, const GridWalls&, double dt) const;  // after a step
  void measure(World& w, std::vector<Measurement>& out) const { meshes_.measure(w, out); }

 private:
  void predict(World&, GridWalls&) const;
  void set_motion(World&, GridWalls&) const;

  Exec ex_;
  GridShape shape_;
  BodyMotions motions_;
  FlowMeshes meshes_;
  FlowBodies yielding_;
  bool alone_ = true;          // no boundary moves besides
  std::vector<Vec3d> centre_;  // at the start of the step [m]
};

}  // namespace rtsim
