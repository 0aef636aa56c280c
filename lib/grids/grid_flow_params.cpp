#include "grids/grid_flow.h"

namespace rtsim {

void describe(Describe& d, VorticesSpec& p) {
  d("speed", p.speed, "m/s", any(), "Greatest speed along x.");
  d("waves", p.waves, "", between(1, 1000), "Waves along x, and along y.");
}

void describe(Describe& d, GridFlowParams& p) {
  using P = GridFlowParams;
  static constexpr const char *grids[] = {"grid"}, *boundaries[] = {"boundary", "bodies", "mesh"};
  static constexpr Option schemes[] = {
      {"semi_lagrangian", int(P::Scheme::semi_lagrangian),
       "values come from where the flow was: first order, smooths."},
      {"mac_cormack", int(P::Scheme::mac_cormack),
       "the error of a step there and back is taken off, within limits: second order. Neither "
       "keeps "
       "what fields add up to: in a swirl this limiter makes twice as much dye again in ten "
       "turns."},
      {"conservative", int(P::Scheme::conservative),
       "velocity as \"mac_cormack\"; fields by what flows through the faces of cells, in substeps "
       "of "
       "their own: what they add up to stays, to round-off, and no value goes beyond those around "
       "it. The default, since smoke and heat that come from nowhere drive the flow."}};
  static constexpr Option traces[] = {
      {"midpoint", int(advection::Trace::midpoint), "Runge-Kutta of second order."},
      {"ralston", int(advection::Trace::ralston), "Runge-Kutta of third order."}};
  static constexpr Option times[] = {
      {"implicit_euler", int(P::TimeScheme::implicit_euler), "first order, smooth at any step."},
      {"crank_nicolson", int(P::TimeScheme::crank_nicolson),
       "second order; rings where viscosity times dt is many cells squared."}};
  d.role("grid", p.grid, grids, "The grid that the fluid fills.");
  d.roles("boundary", p.boundary, boundaries,
          "Obstacles and walls inside the grid, standing or moving. A stage couple lets it push "
          "bodies, and meshes: sheets, with fluid on both sides, and solids.");
  d.nested("sides", p.boundary_conditions, "What the sides of the grid do.");
  d.choice("advection", p.advection, schemes, "How velocity and fields are carried along:");
  d.choice("trace", p.trace, traces, "How the way of the fluid in a step is found:");
  d("cut_cells", p.cut_cells,
    "Faces of cells are open as far as they lie outside of boundaries; else boundaries are stairs "
    "of whole cells.");
  d("rest_density", p.rest_density, "kg/m^D", above(0), "Of the fluid.");
  d("kinematic_viscosity", p.kinematic_viscosity, "m^2/s", at_least(0),
    "Viscosity nu, solved implicitly; the fluid then sticks to boundaries. 0: none, and it "
    "slides along them.");
  d.choice("viscosity_scheme", p.viscosity_scheme, times, "How viscosity goes in time:");
  d.vector("velocity", p.velocity, "m/s", "Everywhere at the start.");
  d.nested("vortices", p.vortices, "Added at the start: Taylor-Green vortices in the plane x, y.");
  d.nested("pressure", p.pressure, "The solve that keeps the volume.");
  d.list("probes", p.probes, "Places where the series look at the flow.");
}

}  // namespace rtsim
