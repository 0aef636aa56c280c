#include "particles/implicit_viscosity.h"

#include <cmath>

#include "base/conjugate_gradients.h"

namespace rtsim {

void describe(Describe& d, ImplicitViscosityParams& p) {
  d.required(
      "kinematic_viscosity", p.kinematic_viscosity, "m^2/s", at_least(0),
      "Viscosity nu, besides that of the stage itself: set that to zero. On an undisturbed "
      "lattice shear along its axes feels 0.66 of it at support 2, 0.94 at 3; the "
      "mean over all directions is 1. Layers that slide over one another feel 0.75 of it at "
      "2, 0.89 at 2.5, 0.95 at 3; in 3D 0.81, 0.93, 0.97. Where such a shear rules the flow, "
      "as in a channel, give nu over that figure: configs/dfsph/poiseuille.json does, at a "
      "support of 2.5, and comes within 1 %. Fluid in disorder feels what is given.");
  d("boundary_viscosity", p.boundary_viscosity, "m^2/s", at_least(0),
    "Viscosity between fluid and walls; zero lets the fluid slip, and at twice that of the fluid "
    "plane walls hold it without slip. Default: kinematic_viscosity.");
  d("tolerance", p.tolerance, "", {1e-7, 0.1, true},
    "Error of the velocities that the solve may leave, relative to their root mean square.");
  d("max_iterations", p.max_iterations, "", between(1, 10000), "Of the conjugate gradients.");
}

template <int D>
ImplicitViscosity<D>::ImplicitViscosity(World& world, const SphFluid<D>& fluid,
                                        const ImplicitViscosityParams& p)
    : p_(p),
      inverse_(world.exec),
      before_(world.exec),
      residual_(world.exec),
      direction_(world.exec),
      product_(world.exec) {
  fluid.table(world).template add<Vec<D>>({"viscosity_change", "m/s"});
}

template <int D>
void ImplicitViscosity<D>::apply(World& world, SphFluid<D>& fluid, double dt) {
  const std::size_t n = std::size_t(fluid.rows().cells.rows.size);
  inverse_.resize(n * sph_forces::block_size), before_.resize(n), residual_.resize(n),
      product_.resize(n);
  direction_.resize(n + lane_count);
  const double h = fluid.support / 2, c = 4 * (D + 2) * dt;
  const sph_forces::Viscosity law{fluid.medium, Real(c * p_.kinematic_viscosity),
                                  Real(c * p_.boundary_viscosity.value_or(p_.kinematic_viscosity)),
                                  Real(0.01 * h * h)};
  // With the gravity of the step, which the solver adds later: A^-1 (v + dt g) - dt g. Without it a
  // stiff block would flow by g dt in each step before its viscosity was asked.
  const Vec3d g = dt * Vec3d{{world.gravity[0], world.gravity[1], D == 3 ? world.gravity[2] : 0}};
  const Row4 pull{Real(g[0]), Real(g[1]), Real(g[2]), 0};
  const Index rows = residual_.span().size;
  sph_forces::shift(world.exec, pull, rows, fluid.motion_rows());
  solve(world.exec, {fluid.medium, fluid.rows(), fluid.walls(), fluid.lists()}, law,
        fluid.table(world).template column<Vec<D>>("viscosity_change"), fluid.motion_rows());
  sph_forces::shift(world.exec, {-pull.x, -pull.y, -pull.z, 0}, rows, fluid.motion_rows());
}

template <int D>
struct ImplicitViscosity<D>::Cg {
  ImplicitViscosity& of;
  const Exec& ex;
  const sph_forces::Surroundings& near_rows;
  const sph_forces::Viscosity& law;
  Span<Row4> x;
  sph_forces::Dots now;

  bool near() const { return now.rr <= of.p_.tolerance * of.p_.tolerance * now.xx; }
  double residual_product() const { return now.rz; }
  void update_direction(double beta) {
    sph_forces::update_direction(ex, of.residual_.span(), of.inverse_.span(), Real(beta),
                                 of.direction_.span());
  }
  double multiply() {
    sph_forces::viscous_product(ex, near_rows.with(of.direction_.span()), law, of.product_.span());
    return sph_forces::dot(ex, of.direction_.span(), of.product_.span(), of.residual_.span().size);
  }
  void advance(double alpha) {
    sph_forces::advance(ex, Real(alpha), of.direction_.span(), of.product_.span(), x,
                        of.residual_.span());
    now = dots();
  }
  sph_forces::Dots dots() const {
    return sph_forces::dots(ex, of.residual_.span(), of.inverse_.span(), x);
  }
};

template <int D>
void ImplicitViscosity<D>::solve(const Exec& ex, const sph_forces::Surroundings& near,
                                 const sph_forces::Viscosity& law, Span<Vec<D>> change,
                                 Span<Row4> velocity) {
  const Span<Row4> r = residual_.span(), p = direction_.span();
  sph_forces::viscous_blocks(ex, near, law, inverse_.span());
  ex.copy(before_.data(), velocity.data, before_.size() * sizeof(Row4));
  sph_forces::guess<D>(ex, change, velocity);
  sph_forces::viscous_residual(ex, near, law, r);
  sph_forces::guessed<D>(ex, change, r);
  ex.copy(p.data, velocity.data, std::size_t(p.size) * sizeof(Row4));  // densities and dummies
  Cg cg{*this, ex, near, law, velocity, {}};
  cg.now = cg.dots();
  iterations_ = conjugate_gradients(cg, p_.max_iterations).steps;
  sph_forces::add_rows(ex, r, velocity);
  sph_forces::keep_change<D>(ex, velocity, before_.span(), change);
  error_ = cg.now.xx > 0 ? std::sqrt(cg.now.rr / cg.now.xx) : 0;
}

template class ImplicitViscosity<2>;
template class ImplicitViscosity<3>;

}  // namespace rtsim
