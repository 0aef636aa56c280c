#pragma once
#include <optional>
#include <vector>

#include "grids/grid_walls.h"
#include "solvers/flip/bodies_in_liquid.h"
#include "solvers/flip/flip.h"
#include "solvers/flip/narrow_band.h"
#include "solvers/flip/surface_tension.h"
#include "solvers/flip/viscosity.h"

namespace rtsim {

// What happens on the grid in a substep of flip: where the surface of the liquid is, the velocity
// that particles bring to faces, and the pressure, surface tension and viscosity that change it.
// Its columns of the grid's table are "pressure", "level_set", "viscous_pressure" and "velocity".
template <int D>
class FlipGrid {
 public:
  static constexpr int most_substeps = 1000;  // of a step
  static constexpr double longest_trace = 5;  // [cells] a substep; Bridson, "Fluid
                                              // Simulation", 2015, 3.3
  FlipGrid(const FlipParams&, World&);
  void add_columns(World&) const;
  void set_band(NarrowBand<D>& band) { band_ = &band; }

  const mac::Domain& domain() const { return domain_; }
  const mac::Layout& layout() const { return layout_; }
  GridWalls& walls() { return walls_; }
  BodiesInLiquid& bodies() { return bodies_; }
  flip::Solid solid() const { return {walls_.distance()}; }
  Table& cells(World& w) const { return w.table(p_.grid.name); }
  Span<Real> pressure(World& w) const { return cells(w).template column<Real>("pressure"); }
  Span<Real> distance(World& w) const { return cells(w).template column<Real>("level_set"); }

  // --- a substep, in this order
  void find_surface(World&, const flip::Particles<D>&);
  // Particles' velocity on faces, and their weights in `spare_` until project(); gather() also adds
  // the velocity of gravity.
  void gather_velocity(World&, const flip::Particles<D>&);
  void gather(World&, const flip::Particles<D>&, double dt);
  // Pressure, surface tension and viscosity: a velocity without divergence.
  void project(World&, double dt);
  // As far as particles may come in a substep, and into walls.
  void extrapolate(double dt);
  // The velocity on faces, with margins; before the projection (of transfer "flip" alone).
  mac::Faces flow() { return with_margin(domain_, now_); }
  const mac::Faces& before() const { return old_; }
  // Particles that gather make room, and those that thin out draw near: a displacement without
  // velocity, the gradient of a potential that is 0 on the surface and has the divergence of what a
  // cell holds too much (Kugelstadt, Longva, Thuerey & Bender, "Implicit Density Projection for
  // Volume Conserving Liquids", IEEE TVCG 27, 2021). In cells; none where all are even.
  mac::Faces even_out(World&, const flip::Particles<D>&);

  mac::Velocity faces();
  mac::Faces carried_flow(World&);  // that of the narrow band

  // --- of the last substep
  const PoissonResult& solved() const { return pressure_; }
  const Viscosity::Result& solved_viscosity() const { return viscous_; }
  double outflow() const { return outflow_; }        // [1/s] that walls push into closed parts
  double flow_speed() const { return flow_speed_; }  // [m/s] along an axis, of the fastest face
  double thin() const { return tension_ ? tension_->thin() : 0; }  // see SurfaceTension

  // Throws Diverged, with what of the liquid is not finite or too fast.
  [[noreturn]] void stop(World&, double dt, double speed) const;

 private:
  bool sticks() const { return p_.walls == AtWalls::stick; }
  Span<Real> viscous_pressure(World& w) const {
    return cells(w).template column<Real>("viscous_pressure");
  }
  mac::Faces with_margin(const mac::Domain&, std::vector<Buffer<Real>>& to);
  void go_on(int axis, flip::Known as, int layers);
  void find_viscosity(World&, double dt, const poisson::BodyTerms&);
  void feel_viscosity(World&, double dt);
  void add_tension(World&, Real factor);
  PoissonResult push(World&, double dt, Span<const Real> known, Span<Real> p, double scale);

  FlipParams p_;
  Exec ex_;
  GridShape shape_;
  mac::Domain domain_;
  mac::Layout layout_;
  double spacing_;  // of the particles [m]
  GridWalls walls_;
  BodiesInLiquid bodies_;
  NarrowBand<D>* band_ = nullptr;
  Buffer<Real> scratch_, right_hand_side_, change_;
  std::vector<Buffer<Real>> faces_, spare_, now_, before_, shift_;  // by axis
  std::vector<Buffer<std::uint8_t>> known_, next_;
  mac::Faces old_;
  Poisson poisson_;
  PoissonResult pressure_;
  std::optional<Viscosity> viscosity_;
  std::optional<SurfaceTension> tension_;
  Viscosity::Result viscous_;
  double outflow_ = 0, flow_speed_ = 0;
};

}  // namespace rtsim
