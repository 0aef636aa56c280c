#include "solvers/pbf/pbf.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "particles/walls/wall_limits.h"
#include "pbf/pbf.h"
#include "pressure/samples.h"
#include "relaxation/relaxation.h"

namespace rtsim {

void describe(Describe& d, PbfParams& p) {
  describe(d, p.sph);
  describe_pressure_boundaries(d, p.sph,
                               "of walls, too: still water stands half a spacing off them");
  d("iterations", p.iterations, "", between(1, 10000), "Of the constraints, in every substep.");
  d("density_error_mean", p.density_error_mean, "", {1e-7, 0.5, true},
    "Mean compression at which to stop. Default: none. With one of the tolerances, \"iterations\" "
    "is the least number.");
  d("density_error_max", p.density_error_max, "", {1e-7, 0.5, true},
    "Greatest compression at which to stop. Default: none.");
  d("max_iterations", p.max_iterations, "", between(1, 10000),
    "Where tolerances are given: the most.");
  d("relaxation", p.relaxation, "", at_least(0),
    "The paper's epsilon, in parts of sum |grad C|^2 of a full lattice: softens the constraints "
    "of particles with few neighbours. Take 1 where there is tension.");
  d("tension", p.tension, "", between(0, 1),
    "Part of a lack of density that is corrected too, as in the paper at 1: draws surfaces "
    "together, and clusters unless there is artificial pressure. 0: fluid only pushes.");
  d("artificial_pressure", p.artificial_pressure, "", at_least(0),
    "k of the repulsion -k (W(r)/W(dq))^n of pairs, in parts of 1 / sum |grad C|^2 of a full "
    "lattice; the paper has 0.1.");
  d("artificial_distance", p.artificial_distance, "", between(0.05, 0.95),
    "The distance dq of that repulsion, in radii of the kernel.");
  d("artificial_power", p.artificial_power, "", between(1, 16), "The power n of that repulsion.");
  d("xsph", p.xsph, "", between(0, 1),
    "XSPH viscosity c, a step: how far velocities go towards the neighbours' mean.");
  d("vorticity_confinement", p.vorticity_confinement, "m/s", at_least(0),
    "Epsilon of the force eps (N x omega) that feeds eddies. Adds energy and momentum.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.forces);
  describe_capillary(d, p.forces);
}

BoundaryMemory boundary_memory(const PbfParams& p, int dim) {
  BoundaryMemory m = boundary_memory(p.sph, dim);
  count_limits(p.sph, dim, 2 * sizeof(Real) + sizeof(Index), sizeof(Index), m);
  return m;
}

namespace {

// Sums over a full lattice of the fluid's spacing.
struct Lattice {
  double shapes = 0;   // of W / k
  double squares = 0;  // sum_j |V grad W|^2 [1/m^2]
};

Lattice lattice(int dim, double spacing, const sph::Poly6& density, const sph::Spiky& gradient) {
  const int reach = int(std::ceil(double(density.support) / spacing));
  const double volume = std::pow(spacing, dim);
  Lattice sum;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = dim == 3 ? -reach : 0; k <= (dim == 3 ? reach : 0); ++k) {
        const double r2 = (i * i + j * j + k * k) * spacing * spacing;
        sum.shapes += double(density.shape(Real(r2)));
        const double slope = volume * double(gradient.scale * gradient.inv_support) *
                             double(gradient.slope(Real(std::sqrt(r2))));
        sum.squares += r2 > 0 ? slope * slope : 0;
      }
  return sum;
}

template <int D>
class Pbf final : public Stage {
 public:
  Pbf(const PbfParams& p, World& world)
      : p_(p),
        fluid_(world, p.sph, p.sph.support * world.object(p.sph.fluid.name).spacing),
        forces_(world, fluid_, p.forces),
        law_(make_law()),
        limits_(world, p.sph, flat_limit<D>(law_.density, fluid_.spacing)),
        first_(world.exec),
        row_(world.exec),
        shift_(world.exec),
        next_(world.exec),
        lambda_(world.exec),
        error_(world.exec) {
    fluid_.let_meshes_yield(world, p.substeps);
  }

  // Algorithm 1 of the paper.
  void advance(World& world, const Step& step) override {
    const double h = step.dt / p_.substeps;
    most_iterations_ = 0;
    if (fluid_.forces_wanted()) fluid_.begin_forces(world, step.dt, p_.substeps);
    if (p_.forces.any() && fluid_.stale(world))
      fluid_.find_neighbours(world, law_.density, step.dt);
    for (int s = 1; s <= p_.substeps; ++s) {
      const double ahead = h * (p_.substeps - s);
      forces_.apply_to_column(world, fluid_, h);
      relaxation::predict<D>(world.exec, Real(h), world.gravity_vector<D>(), fluid_.velocity(world),
                             fluid_.position(world));
      fluid_.find_neighbours(world, law_.density, ahead);
      solve(world, h);
      relaxation::settle<D>(world.exec, Real(h), shift_.span(), fluid_.velocity(world),
                            fluid_.position(world));
      fluid_.find_neighbours(world, law_.density, ahead);
      confine(world, h);
      smooth(world);
    }
    if (fluid_.forces_wanted()) fluid_.end_forces(world);
    fluid_.watch_courant(world, step.dt, p_.substeps);
  }

  void refresh(World& world, double) override {
    fluid_.find_neighbours(world, law_.density, 0);
    fluid_.watch_courant(world, 0, p_.substeps);
  }

  bool stale(World& world) const override { return fluid_.stale(world); }

  double stable_dt(World&) const override {
    return p_.substeps * std::min(fluid_.courant_dt(), forces_.stable_dt(fluid_));
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    fluid_.measure(world, out);
    fluid_.measure_walls(world, out);
    forces_.measure(p_.sph.fluid.name, out);
    out.push_back({p_.sph.fluid.name + ".iterations", double(most_iterations_), ""});
  }

  Feed feed(World& world) const override {
    Feed feed = fluid_.feed(world);
    forces_.add_to(feed, world, fluid_);
    feed.acceleration += p_.vorticity_confinement * 2 *
                         std::sqrt(double(fluid_.extremes().speed2)) /
                         fluid_.spacing;  // as other fluids' confinement
    return feed;
  }

  std::vector<ColumnUse> uses() const override { return fluid_.uses(); }

 private:
  pbf::Law make_law() const {
    const double d = fluid_.spacing, support = fluid_.support, volume = std::pow(d, D);
    sph::Poly6 density = sph::Poly6::of(D, support);
    const sph::Spiky gradient = sph::Spiky::of(D, support);
    const Lattice full = lattice(D, d, density, gradient);
    density.scale = Real(1 / (volume * full.shapes));  // a full lattice has rest density
    const double at = p_.artificial_distance * support;
    return {.density = density,
            .gradient = gradient,
            .volume = Real(volume),
            .wall_number = Real(1 / volume),
            .epsilon = Real(p_.relaxation * full.squares),
            .tension = Real(p_.tension),
            .pressure = Real(p_.artificial_pressure / full.squares),
            .inv_shape = Real(1 / double(density.shape(Real(at * at)))),
            .pressure_power = p_.artificial_power,
            .least_r2 = Real(1e-10 * support * support)};
  }

  pbf::Pairs pairs(Span<const Row4> motion) const {
    return {law_, {fluid_.rows().cells, motion}, fluid_.walls(), fluid_.lists()};
  }

  // Algorithm 1, lines 8 to 19.
  void solve(World& world, double h) {
    const Exec& ex = world.exec;
    const std::size_t n = std::size_t(fluid_.table(world).rows());
    for (Buffer<Row4>* b : {&shift_, &next_}) b->resize(n + lane_count), b->zero();
    lambda_.resize(n), error_.resize(n);
    list_samples(world);
    keep_inside(world, h);
    for (int done = 0;; ++done) {
      pbf::lambda(ex, pairs(shift_.span()), lambda_.span(), error_.span());
      relaxation::load_w(ex, lambda_.span(), fluid_.position_rows());
      if (enough(world, done)) {
        most_iterations_ = std::max(most_iterations_, done);
        return;
      }
      load_samples(world);
      pbf::shift(ex, pairs(shift_.span()), next_.span());
      if (fluid_.forces_wanted())
        pbf::shift_on_walls(ex, pairs(shift_.span()), Real(double(fluid_.medium.mass) / (h * h)),
                            fluid_.wall_forces());
      shift_.swap(next_);
      keep_inside(world, h);
    }
  }

  // The rows near samples that have a limit; and the limits themselves.
  void list_samples(World& world) {
    if (limits_.empty()) return;
    limit_ = limits_.gather(world, fluid_.wall_order());
    first_.resize(limits_.count() + 1);
    const pressure::Pairs near{fluid_.medium, fluid_.rows(), fluid_.walls(), fluid_.lists()};
    row_.resize(std::size_t(pressure::count_near_samples(world.exec, near, limit_, first_.span())));
    pressure::list_near_samples(world.exec, near, first_.span(), row_.span());
  }

  void load_samples(World& world) {
    if (limits_.empty()) return;
    pbf::lambda_of_samples(world.exec, pairs(shift_.span()), limit_, first_.span(), row_.span(),
                           fluid_.wall_motion());
  }

  bool enough(World& world, int done) const {
    if (done < p_.iterations) return false;
    if (!p_.density_error_mean && !p_.density_error_max) return true;
    if (done >= p_.max_iterations) return true;
    const pbf::Errors left = pbf::errors(world.exec, error_.span());
    const double mean = left.sum / std::max<double>(1, double(error_.size()));
    return mean <= p_.density_error_mean.value_or(1e300) &&
           left.max <= p_.density_error_max.value_or(1e300);
  }

  void keep_inside(World& world, double h) {
    Span<Row4> shift = shift_.span();
    shift.size -= lane_count;
    fluid_.keep_shifts(world, h, shift);
  }

  void confine(World& world, double h) {
    if (p_.vorticity_confinement == 0) return;
    const Exec& ex = world.exec;
    fluid_.pack_motion(world, {});
    pbf::curl(ex, pairs(fluid_.motion_rows()), next_.span(), lambda_.span());
    relaxation::load_w(ex, lambda_.span(), fluid_.position_rows());
    pbf::confine<D>(ex, pairs(fluid_.motion_rows()), Real(h * p_.vorticity_confinement),
                    next_.span(), fluid_.velocity(world));
  }

  void smooth(World& world) {
    if (p_.xsph == 0) return;
    fluid_.pack_motion(world, {});
    pbf::xsph<D>(world.exec, pairs(fluid_.motion_rows()), Real(p_.xsph), fluid_.velocity(world));
  }

  PbfParams p_;
  SphFluid<D> fluid_;
  SphForces<D> forces_;
  pbf::Law law_;
  WallLimits limits_;
  Span<const Real> limit_;
  Buffer<Index> first_, row_;
  Buffer<Row4> shift_, next_;
  Buffer<Real> lambda_, error_;
  int most_iterations_ = 0;
};

std::unique_ptr<Stage> make_pbf(const PbfParams& p, World& world) {
  refuse_volume_maps(p.sph, "pbf");
  if (world.dim == 2) return std::make_unique<Pbf<2>>(p, world);
  return std::make_unique<Pbf<3>>(p, world);
}

}  // namespace

StageType pbf_type() {
  return stage_type(
      "pbf", "Position based fluids: densities as constraints on positions, a few Jacobi steps.",
      "Macklin & Müller, \"Position Based Fluids\", ACM TOG 32(4), 2013; walls after Akinci et "
      "al., \"Versatile Rigid-Fluid Coupling for Incompressible SPH\", SIGGRAPH 2012",
      {"Stiffness depends on iterations and the step, viscosity on the step; loses energy.",
       "Walls give no friction, and the column pressure stays zero.",
       "Drops that \"capillary\" draws together do not swing with the right period."},
      "docs/particle_fluids.md", make_pbf);
}

}  // namespace rtsim
