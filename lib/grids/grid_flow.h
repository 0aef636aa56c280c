#pragma once
#include <optional>

#include "advection/advection.h"
#include "advection/transport.h"
#include "diffusion/diffusion.h"
#include "grids/boundary_conditions.h"
#include "grids/flow_bodies.h"
#include "grids/grid_walls.h"
#include "grids/probes.h"
#include "mac/margin.h"
#include "smoke/buoyancy.h"
#include "stage/stage.h"

namespace rtsim {

// Vortices in the plane x, y, an exact solution of the Navier-Stokes equations in a periodic box
// (Taylor & Green 1937).
struct VorticesSpec {
  double speed = 0.1;  // [m/s]
  int waves = 1;       // along x, and along y
};
void describe(Describe&, VorticesSpec&);

// Parameters that every incompressible flow on a staggered grid has.
struct GridFlowParams {
  enum class Scheme { semi_lagrangian, mac_cormack, conservative };
  enum class TimeScheme { implicit_euler, crank_nicolson };

  ObjectName grid;
  ObjectNames boundary;
  BoundaryConditionsSpec boundary_conditions;
  Scheme advection = Scheme::conservative;
  advection::Trace trace = advection::Trace::midpoint;
  bool cut_cells = true;
  double rest_density = 1.2;       // [kg/m^D]
  double kinematic_viscosity = 0;  // [m^2/s]
  TimeScheme viscosity_scheme = TimeScheme::implicit_euler;
  Vec3d velocity;  // [m/s] at the start
  std::optional<VorticesSpec> vortices;
  PoissonParams pressure;
  std::vector<GridProbe> probes;
};
void describe(Describe&, GridFlowParams&);
// Component `axis` of the velocity at the start at a place [m/s].
double start_velocity(const GridFlowParams&, const GridShape&, int axis, const Vec3d& place);
diffusion::Law viscosity_law(const GridFlowParams&, const GridShape&, double dt);
// The share of a step's forces that comes before viscosity; the rest comes after it, so that the
// explicit part of Crank-Nicolson's viscosity is that of the velocity alone.
double forces_before(const GridFlowParams&);
// What sides that slide or let fluid in may give, confined swirls, which grow at that rate [1/s],
// with the greatest speed of now, and a pull that adds to it [m/s^2].
Feed flow_feed(const GridFlowParams&, const GridShape&, double confinement, double greatest_speed,
               double acceleration);
// Momentum and angular momentum about the origin of cells of mass `cell` [kg].
void measure_momentum(const GridFlowParams&, const GridShape&, double cell, const Vec3d& velocity,
                      const Vec3d& angular_momentum, std::vector<Measurement>&);
// Memory for each cell [B], with so many fields of the cells.
double flow_row_bytes(const GridFlowParams&, const GridShape&, std::size_t fields, bool diffuses);

// A column of the cells that the flow carries, and what of it a conserving scheme keeps.
struct Carried {
  std::string column;
  mac::ScalarConditions conditions;
  advection::Keeps keeps = advection::Keeps::amount;
};

// The velocity on the faces of a grid (tables `<grid>.faces_x` and so on), its walls, and the parts
// of a step that every such flow has, in this order: hold, advect, update walls, forces of the
// caller, diffuse, project, finish.
class GridFlow {
 public:
  GridFlow(const GridFlowParams&, World&);

  // A column of the cells with a margin, walls filled from beside them: to value (0, 0, 0), until
  // the next hold() with that slot.
  const Real* hold(World&, std::size_t slot, const std::string& column,
                   const mac::ScalarConditions&);
  // Carries the velocity, and the columns that slots 0, 1, ... hold, along the velocity at the end
  // of the last step.
  void advect_velocity(World&, double dt);
  void advect(World&, const std::vector<Carried>& columns, double dt);

  // Of a step of dt, after the boundaries moved. Uses slot 0 of the held columns.
  void update_walls(World&, double dt);

  // Pushes by what fields that hold() gave weigh.
  void lift(World&, const smoke::Buoyancy&, double dt, const Real* density,
            const Real* temperature);
  // Vorticity confinement (kernels/smoke/smoke.h), of the swirls at the end of the last step.
  // strength: [1/s]
  void confine(World&, double strength, double dt);
  // Viscosity sees the velocity as the pressure of the last step pushes it, which makes it right at
  // walls: without, what the projection takes off along a wall afterwards is a slip of the order of
  // dt, which stays in flows that are steady (Van Kan, "A second-order accurate pressure-correction
  // scheme for viscous incompressible flow", SIAM J. Sci. Stat. Comput. 7, 1986).
  void diffuse_velocity(World&, double dt);
  void diffuse(World&, const std::string& column, const mac::ScalarConditions&, double diffusivity,
               double dt);
  void clear_solids(World&, const std::string& column);
  // After the walls moved: cells that a sheet went over get what is on the side that they are on
  // now, since what they held was pushed on.
  void keep_apart(World&, const std::string& column);

  // Makes the velocity free of divergence (Chorin, "Numerical Solution of the Navier-Stokes
  // Equations", Math. Comp. 22, 1968): div((dt / rho) grad p) = div u, u -= (dt / rho) grad p.
  void project(World&, double dt);
  // Derived columns and the velocity that the next step is carried by. Throws Diverged.
  void finish(World&, double dt);
  // The same from the state alone: before the first step, and after a checkpoint is read.
  void refresh(World&);

  double stable_dt() const;
  std::string warning() const;
  void measure(World&, std::vector<Measurement>&) const;
  std::vector<ColumnUse> uses() const;
  double greatest_speed() const { return speed_; }  // [m/s] of a component
  // [m/s^2] of bodies that are lifted, whose work no series of the flow has.
  double buoyancy(World& w) const { return yield() ? norm(w.gravity_vector<3>()) : 0; }

  const mac::Domain& domain() const { return domain_; }
  mac::Walls walls() const { return walls_.faces(); }
  const GridShape& shape() const { return shape_; }
  Span<const Real> share() const { return walls_.share(); }  // of cells that is fluid
  mac::Faces held_velocity() const;
  mac::Velocity velocity(World&) const;
  Span<Real> column(World& w, const std::string& name) const {
    return w.table(p_.grid.name).column<Real>(name);
  }

 private:
  Real* padded(std::vector<Buffer<Real>>& pool, std::size_t slot);
  Real* scratch(std::size_t slot) { return padded(scratch_, slot); }
  void hold_velocity(World&);
  template <class FillMargin>
  void carry(advection::Fields&, double dt, const FillMargin&);
  advection::Carrier find_carrier(double dt);
  void transport(World&, const Carried&, std::size_t slot, const advection::Carrier&);
  void refuse_meshes() const;
  void prepare_pressure();
  bool yield() const { return !bodies_.empty() || !meshes_.empty(); }
  void predict_solids(World&, double dt);
  void push_solids(World&, double dt);
  void start(World&);
  void measure_walls(World&, std::vector<Measurement>&) const;
  [[noreturn]] void stop(World&, double dt) const;

  GridFlowParams p_;
  Exec ex_;
  GridShape shape_;
  mac::Domain domain_;
  mac::Layout layout_;
  mutable GridWalls walls_;
  BodyMotions bodies_;
  FlowMeshes meshes_;
  FlowBodies yielding_;
  GridProbes probes_;
  std::vector<Buffer<Real>> velocity_, fields_, scratch_;  // with margins
  std::vector<Buffer<Real>> flows_;                        // through faces, by axis
  Buffer<Real> swept_, right_hand_side_;
  diffusion::Scratch diffusion_;
  Poisson poisson_;
  bool pressure_ready_ = false;
  PoissonResult pressure_;
  double outflow_ = 0;  // [1/s] that walls push into closed regions
  int diffusion_iterations_ = 0;
  bool diffusion_stalled_ = false;
  double speed_ = 0;  // [m/s] the greatest of a component
};

}  // namespace rtsim
