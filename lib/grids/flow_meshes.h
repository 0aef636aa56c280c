#pragma once
#include <string>
#include <vector>

#include "grids/mesh_walls.h"
#include "poisson/body_terms.h"
#include "stage/stage.h"
#include "world/grid.h"

namespace rtsim {

// Terms of the points of meshes, as those of bodies (kernels/poisson/body_terms.h).
struct PointTerms {
  std::vector<poisson::BodyTerm> terms;
  std::vector<poisson::InverseMassMatrix> mobility;
  std::vector<poisson::Screw> lift;
  Index first_one_sided = 0;
};

// How the points of meshes move while a flow on a staggered grid takes a step, how they yield while
// its pressure is looked for, and what it hands over to them (bodies/fluid_push.h). Point i moves
// the face f by w_fi; with s_f the part of the face that its mesh closes and the pressures p below
// and above, what pushes it along the face's axis is
//   h^(D-1) sum_f w_fi s_f (p_below - p_above),
// the transposed of what its velocity moves through faces: a body without turning.
//
// The half cells of fluid on both sides of a face that a sheet closes go with it, of mass rho h^D
// s_f in all where they are full, shared out to the points by w_fi along that axis. So what they
// have of momentum when the sheet comes is not lost, and in a fluid at rest the sheet bears their
// weight and lift at once, not the lift alone of a layer as thick as a cell.
class FlowMeshes {
 public:
  // `yields`: whether the fluid's stage lets points yield.
  FlowMeshes(World&, const std::string& fluid, const MeshWalls&, const GridShape&,
             double rest_density, bool yields);

  bool empty() const { return meshes_.empty(); }
  const std::vector<Vec3d>& position() const { return position_; }
  const std::vector<Vec3d>& velocity() const { return velocity_; }
  double greatest_speed() const;

  // Points as their tables have them, at the start of a step of dt.
  void begin(World&, double dt);
  // For h they fall, and feel what else acted on them in both of the last two steps.
  void fall(double h);
  // They move on for h.
  void go(double h);
  // As surfaces do: points of sheets along their normals as fast as the fluid leaves them, and in
  // the sheet as they came. What holds it together, and is not known yet, keeps them from the rest.
  void go_as_surfaces(World&, double h);

  // What fluid goes with the faces that sheets close, with walls where points are now: full half
  // cells, or the shares of `unit` [kg] that `on_faces` has.
  void carry(const MeshWalls&);
  void carry(const Exec&, const MeshWalls&, double unit, const mac::Velocity& on_faces);
  // `gravity`: what of it the pressure leaves out, so that solids
  // have to be lifted for it.
  PointTerms find_terms(const mac::Domain&, const MeshWalls&, const Vec3d& gravity);
  // Sheets take up what `velocity`, on the faces that they close, has of momentum.
  void join(const Exec&, const MeshWalls&, const mac::Velocity& velocity);
  // By Poisson::pushes of the points for a time h.
  void push(const MeshWalls&, double h, const poisson::Screw* pushes);
  // Particles of so much mass [kg] that met the surface go on with it along the normal.
  struct Hit {
    Index point[3];
    double weight[3];
    Vec3d normal;  // on the particle's side
    double speed;  // [m/s] of the particle along it, and what collide() makes of that
  };
  void collide(double mass, std::vector<Hit>&);
  void hand_over(World&, double dt) const;
  // The force on each mesh, on points that are held, too.
  void measure(World&, std::vector<Measurement>&) const;

 private:
  double speed_at(const Hit&) const;  // [m/s] of the surface
  template <class F>
  void for_each_point(const MeshWalls&, const F& f) const;

  std::string fluid_;
  std::vector<MeshWalls::Mesh> meshes_;
  GridShape shape_;
  double density_, cell_;  // [kg/m^D], [m^D]
  bool sheets_;            // whether any of the meshes is one
  std::vector<Vec3d> position_, velocity_, acceleration_, impulse_;
  std::vector<Vec3d> came_;           // their velocities at the start of the step [m/s]
  std::vector<double> inverse_mass_;  // 0 of those that do not yield
  std::vector<Index> term_of_;        // of each point, its number among those with terms; -1
  std::vector<Index> point_of_;       // likewise
  std::vector<Vec3d> carried_;        // of those [kg], along each axis
  std::vector<poisson::Screw> lift_;
  std::vector<double> mass_;    // of each face, the fluid that goes with it [kg]
  std::vector<double> joined_;  // likewise, the velocity that it had
};

}  // namespace rtsim
