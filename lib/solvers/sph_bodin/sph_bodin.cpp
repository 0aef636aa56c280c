#include "solvers/sph_bodin/sph_bodin.h"

#include <algorithm>
#include <cmath>

#include "solvers/sph_bodin/sph_bodin_samples.h"
#include "sph/lattice_fit.h"
#include "sph/poly6h.h"
#include "sph_bodin/sph_bodin.h"

namespace rtsim {

namespace {

double support_of(const SphBodinParams& p, World& world) {
  if (!p.self_contribution) return p.sph.kernel_support(world);
  return support_of_self_contribution(world.dim, *p.self_contribution, p.sph.mass(world),
                                      p.sph.rest_density);
}

template <int D>
class SphBodin final : public Stage {
 public:
  SphBodin(const SphBodinParams& p, World& world)
      : p_(p),
        fluid_(world, p.sph, support_of(p, world)),
        forces_(world, fluid_, p.forces),
        fit_(Fit::of(D, fluid_.support, fluid_.spacing)),
        kernel_(sph::Poly6::of(D, fluid_.support)),
        compliance_(compliance(world)),
        samples_(world, p.sph,
                 is_gradient() ? flat_limit<D>(fit_.kernel, fluid_.spacing)
                               : flat_limit<D>(kernel_, fluid_.spacing)),
        coloured_(world.exec),
        own_(world.exec),
        entries_(world.exec),
        offset_(world.exec),
        residual_(world.exec),
        lost_(world.exec),
        places_(world.exec),
        first_(world.exec),
        columns_(world.exec) {
    if (is_gradient()) kernel_ = fit_.kernel.slopes();
    fluid_.table(world).template add<Real>({"multiplier", "J"});  // lambda / dt
    fluid_.let_meshes_yield(world, p.substeps);
  }

  // Algorithms 4.3 to 4.5 of "Computational Fluid Dynamics in 2D Game Environments", Umeå 2011,
  // with forces before the solve, as in the paper. Neighbours are found after the particles have
  // moved, so that the derived columns belong to the positions of the same frame.
  void advance(World& world, const Step& step) override {
    const double h = step.dt / p_.substeps;
    if (fluid_.forces_wanted()) fluid_.begin_forces(world, step.dt, p_.substeps);
    if (fluid_.stale(world)) find_neighbours(world, step.dt);
    iterations_ = 0, left_ = {};
    for (int s = 1; s <= p_.substeps; ++s) {
      const double ahead = h * (p_.substeps - s);
      fluid_.aim_walls(world, h, ahead);
      forces_.apply_to_column(world, fluid_, h);
      assemble(world, h);
      apply_forces(world, h);
      solve(world, h);
      if (fluid_.forces_wanted()) push_on_walls(world, h);
      fluid_.keep_out_of_shapes(world, h, motion(world));
      sph::drift<D>(world.exec, Real(h), fluid_.motion_rows(), fluid_.velocity(world),
                    fluid_.position(world));
      find_neighbours(world, ahead);
    }
    if (fluid_.forces_wanted()) fluid_.end_forces(world);
    finish(world, step.dt);
  }

  void refresh(World& world, double) override {
    find_neighbours(world, 0);
    finish(world, 0);
  }

  bool stale(World& world) const override { return fluid_.stale(world); }

  double stable_dt(World&) const override {
    return p_.substeps * std::min(fluid_.courant_dt(), forces_.stable_dt(fluid_));
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    fluid_.measure(world, out);
    fluid_.measure_walls(world, out);
    forces_.measure(p_.sph.fluid.name, out);
    const auto multiplier = fluid_.table(world).template column<const Real>("multiplier");
    const double n = std::max(multiplier.size, 1);
    const auto add = [&](const char* quantity, double value, const char* unit) {
      out.push_back({p_.sph.fluid.name + "." + quantity, value, unit});
    };
    add("iterations", iterations_, "");
    add("residual_mean", left_.sum / n, "");
    add("residual_max", double(left_.max), "");
    add("multiplier_mean", sph_bodin::sum(world.exec, multiplier) / n, "J");
  }

  Feed feed(World& world) const override {
    Feed feed = fluid_.feed(world);
    forces_.add_to(feed, world, fluid_);
    return feed;
  }

  std::vector<ColumnUse> uses() const override { return fluid_.uses(); }

 private:
  using Fit = sph::LatticeFit<sph::Poly6h>;

  bool is_gradient() const { return p_.density_kernel == SphBodinParams::Kernel::poly6h; }

  double compliance(World& world) const {
    const double c = p_.sound_speed.value_or(10 * fluid_.expected_speed(world));
    return c > 0 ? 1 / (double(fluid_.medium.mass) * c * c) : 0;
  }

  sph_bodin::Constraint constraint(double h) const {
    const double m = double(fluid_.medium.mass), rho0 = p_.sph.rest_density;
    return {.kernel = kernel_,
            .spook = sph_bodin::Spook::of(h, p_.relaxation_steps, compliance_),
            .inv_mass = Real(1 / m),
            .volume = Real(m / rho0),
            .inv_rest_density = Real(1 / rho0),
            .least_r2 = fluid_.medium.least_r2};
  }

  sph_bodin::System system() {
    return {own_.span(),     offset_.span(),  places_.span(),
            entries_.span(), columns_.span(), lost_.span()};
  }
  Span<Real> multiplier(World& w) const {
    return fluid_.table(w).template column<Real>("multiplier");
  }
  sph_bodin::Neighbourhood near() const { return {fluid_.rows(), fluid_.walls(), fluid_.lists()}; }
  Span<Row4> motion(World& w) { return {fluid_.motion_rows().data, fluid_.table(w).rows()}; }

  void find_neighbours(World& world, double ahead) {
    if (is_gradient()) {
      fluid_.find_neighbours(world, fit_.kernel, ahead);
      // rho of a full lattice, whatever its rows weigh.
      const double full = double(fluid_.medium.mass) / std::pow(fluid_.spacing, D);
      sph_bodin::add(world.exec, Real(fit_.shift * full), fluid_.density(world));
    } else {
      fluid_.find_neighbours(world, kernel_, ahead);
    }
    sph_bodin::colour_cells(world.exec, fluid_.rows().cells, coloured_);
  }

  void assemble(World& world, double h) {
    const std::size_t n = std::size_t(fluid_.table(world).rows());
    own_.resize(n), offset_.resize(n), residual_.resize(n), places_.resize(n), first_.resize(n);
    fluid_.pack_motion(world, {});
    const std::size_t room =
        std::size_t(sph_bodin::count_entries(world.exec, near(), kernel_.support, first_.span()));
    entries_.resize(room), columns_.resize(room);
    lost_.resize(fluid_.forces_wanted() ? room : 0), lost_.zero();
    sph_bodin::assemble(world.exec, constraint(h), near(), fluid_.density(world), first_.span(),
                        system());
    if (is_gradient())
      samples_.assemble(world, fluid_, constraint(h), fit_.kernel);
    else
      samples_.assemble(world, fluid_, constraint(h), kernel_);
  }

  void push_on_walls(World& world, double h) {
    sph_bodin::push_on_walls(world.exec, constraint(h), system(), near(), multiplier(world),
                             Real(h), fluid_.wall_forces());
    samples_.push_on_samples(world, fluid_.wall_forces());
  }

  void apply_forces(World& world, double h) {
    Real dt_gravity[3] = {};
    for (int a = 0; a < D; ++a) dt_gravity[a] = Real(h * world.gravity[std::size_t(a)]);
    sph_bodin::accelerate(world.exec, dt_gravity, motion(world));
    if (!(p_.kinematic_viscosity > 0)) return;
    // c_ij is of the kernel with an integral of 1, whatever densities are of.
    const double scale = double(sph::Poly6::of(D, fluid_.support).scale / kernel_.scale),
                 rate = 2 * (D + 2) * p_.kinematic_viscosity * scale / fluid_.support;
    sph_bodin::dissipate(world.exec, {Real(rate * h)}, system(), fluid_.rows().cells, coloured_,
                         fluid_.walls().motion, motion(world));
  }

  void solve(World& world, double h) {
    const Exec& ex = world.exec;
    const sph_bodin::Constraint law = constraint(h);
    const auto bound = p_.tension ? sph_bodin::Bound::none : sph_bodin::Bound::push_only;
    sph_bodin::start_from(ex, law, system(), Real(p_.warm_start ? h : 0), multiplier(world),
                          motion(world));
    samples_.start(world, fluid_, law, p_.warm_start ? h : 0, motion(world));
    const double n = std::max(fluid_.table(world).rows(), 1);
    sph_bodin::Left left;
    int k = 0;
    do {
      sph_bodin::sweep(ex, law, bound, system(), fluid_.rows().cells, coloured_, multiplier(world),
                       motion(world), residual_.span());
      samples_.sweep(world, fluid_, law, motion(world));
      left = sph_bodin::left(ex, residual_.span());
    } while (++k < p_.max_iterations && left.sum * h > p_.residual * n);
    // A fluid at rest keeps a spacing from samples; 0.71 still closes a square of four of them.
    sph_bodin::keep_out(ex, {Real(0.75 * fluid_.spacing), Real(1 / h), law.spook.keep}, system(),
                        fluid_.walls().motion, motion(world));
    sph_bodin::scale(ex, Real(1 / h), multiplier(world));
    samples_.finish(world, fluid_, h);
    iterations_ = std::max(iterations_, k);
    left_ = {std::max(left_.sum, left.sum * h), std::max(left_.max, Real(left.max * h))};
  }

  void finish(World& world, double dt) {
    fluid_.watch_courant(world, dt, p_.substeps);
    const Real volume = Real(double(fluid_.medium.mass) / p_.sph.rest_density);
    sph_bodin::pressure(world.exec, D, kernel_, volume, near(), multiplier(world),
                        fluid_.pressure(world));
  }

  SphBodinParams p_;
  SphFluid<D> fluid_;
  SphForces<D> forces_;
  Fit fit_;            // of densities, if the Jacobian is to be their derivative
  sph::Poly6 kernel_;  // of the Jacobian
  double compliance_;  // eps [1/J]
  SphBodinSamples<D> samples_;
  sph_bodin::ColouredCells coloured_;
  Buffer<Row4> own_, entries_;
  Buffer<Real> offset_, residual_, lost_;
  Buffer<sph_bodin::EntryPlace> places_;
  Buffer<Index> first_, columns_;
  int iterations_ = 0;
  sph_bodin::Left left_;  // relative to rest density
};

std::unique_ptr<Stage> make_sph_bodin(const SphBodinParams& p, World& world) {
  refuse_periodic(p.sph, "sph_bodin");
  if (world.dim == 2) return std::make_unique<SphBodin<2>>(p, world);
  return std::make_unique<SphBodin<3>>(p, world);
}

}  // namespace

StageType sph_bodin_type() {
  return stage_type(
      "sph_bodin", "Constraint fluids: SPH whose density is held by one constraint a particle.",
      "Bodin, Lacoursière & Servin, \"Constraint Fluids\", IEEE TVCG 18(3), 2012; kernels after "
      "Nilsson, \"Constraint fluids on GPU\", Umeå 2009, and \"Computational Fluid Dynamics in 2D "
      "Game "
      "Environments\", Umeå 2011; walls after Akinci et al., \"Versatile "
      "Rigid-Fluid Coupling for Incompressible SPH\", SIGGRAPH 2012",
      {"Step: dt / substeps <= 0.4 h / v. Density errors decay over relaxation_steps.",
       "With tension, fluid sticks to walls; there is no physical surface tension.",
       "density_kernel \"poly6\", the paper's, does not conserve energy: in 3D still water boils."},
      "docs/particle_fluids.md", make_sph_bodin);
}

}  // namespace rtsim
