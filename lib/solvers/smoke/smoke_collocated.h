#pragma once
#include "grids/grid_flow.h"
#include "smoke/collocated.h"

namespace rtsim {

// An incompressible flow with all of its velocity in the middles of cells, for study (Stam, "Stable
// Fluids", SIGGRAPH 1999; Harris, "Fast Fluid Dynamics Simulation on the GPU", GPU Gems ch. 38,
// 2004). The parts of a step have the names of GridFlow's. Its pressure has the five- or
// seven-point Laplacian, but the divergence goes two cells wide: the projection is approximate, and
// what swings from cell to cell passes it (Almgren, Bell & Szymczak, SIAM J. Sci. Comput. 17,
// 1996).
class CollocatedFlow {
 public:
  static constexpr bool staggered = false;

  CollocatedFlow(const GridFlowParams&, World&);

  const Real* hold(World&, std::size_t slot, const std::string& column,
                   const mac::ScalarConditions&);
  void advect_velocity(World&, double dt);
  void advect(World&, const std::vector<Carried>& columns, double dt);
  void update_walls(World&) {}
  void lift(World&, const smoke::Buoyancy&, double dt, const Real* density,
            const Real* temperature);
  void confine(World&, double strength, double dt);
  void diffuse_velocity(World&, double dt);
  void diffuse(World&, const std::string& column, const mac::ScalarConditions&, double diffusivity,
               double dt);
  void clear_solids(World&, const std::string&) {}
  void project(World&, double dt);
  void finish(World&, double dt);
  void refresh(World&);

  double stable_dt() const;
  std::string warning() const;
  void measure(World&, std::vector<Measurement>&) const;
  std::vector<ColumnUse> uses() const;
  double greatest_speed() const { return speed_; }  // [m/s] of a component

  const mac::Domain& domain() const { return domain_; }
  mac::Walls walls() const { return walls_.faces(); }
  const GridShape& shape() const { return shape_; }
  mac::Velocity velocity(World&) const;
  Span<const Real> share() const { return {}; }
  Span<Real> column(World& w, const std::string& name) const {
    return w.table(p_.grid.name).column<Real>(name);
  }

 private:
  Real* padded(std::vector<Buffer<Real>>& pool, std::size_t slot);
  smoke::Swirl swirl() { return {{field(0), field(1), field(2)}, field(3)}; }
  Real* field(std::size_t slot) { return padded(scratch_, slot); }
  void hold_velocity(World&);
  smoke::CentreVelocity held() const;
  mac::Velocity faces();
  void fill_beside(Real* padded);
  void note(int iterations, const diffusion::Law&);
  [[noreturn]] void stop(World&, double dt) const;

  GridFlowParams p_;
  Exec ex_;
  GridShape shape_;
  mac::Domain domain_;
  mac::Layout layout_;
  mutable GridWalls walls_;                                // of the domain's ends alone
  std::vector<Buffer<Real>> velocity_, fields_, scratch_;  // with margins
  std::vector<Buffer<Real>> faces_;
  Buffer<Real> divergence_;
  diffusion::Scratch diffusion_;
  Poisson poisson_;
  PoissonResult pressure_;
  int diffusion_iterations_ = 0;
  bool diffusion_stalled_ = false;
  double speed_ = 0;                // [m/s] the greatest of a component
  double greatest_divergence_ = 0;  // [1/s]
};

}  // namespace rtsim
