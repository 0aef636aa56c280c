#include "solvers/wcsph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "particles/particle_cells.h"
#include "particles/sph_walls.h"
#include "wcsph/wcsph.h"

namespace rtsim {

void describe(Describe& d, WcsphParams& p) {
  static constexpr const char* fluids[] = {"particles"};
  static constexpr const char* boundaries[] = {"boundary"};
  d.role("fluid", p.fluid, fluids, "The particles that flow.");
  d.roles("boundary", p.boundary, boundaries,
          "What keeps them in, sampled at the fluid's spacing.");
  d("rest_density", p.rest_density, "kg/m^D", above(0), "Density at zero pressure, rho0.");
  d("kinematic_viscosity", p.kinematic_viscosity, "m^2/s", at_least(0),
    "Viscosity nu, also against walls.");
  d("artificial_viscosity", p.artificial_viscosity, "", at_least(0),
    "Monaghan's alpha, on approaching pairs: damps the sound that the equation of state rings "
    "with; "
    "acts like a kinematic viscosity of alpha c h / (2 (D + 2)), h = support * spacing / 2.");
  d("max_density_error", p.max_density_error, "", {1e-5, 0.2, true},
    "Compression |rho/rho0 - 1| allowed at max_speed; sets the sound speed c = max_speed / "
    "sqrt(it).");
  d("max_speed", p.max_speed, "m/s", above(0),
    "Greatest speed expected. Default: of a fall from the fluid's top to the lowest wall or "
    "particle, "
    "with the greatest speed of fluid and walls at the start added. Give it where walls speed up "
    "later.");
  d("support", p.support, "", between(1.5, 4),
    "Radius of the smoothing kernel in particle spacings.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
}

namespace {

template <int D>
neighbours::Box joined(World& world, const WcsphParams& p) {
  neighbours::Box box = neighbours::bounding_box<D>(
      world.exec, world.table(p.fluid.name).column<const Vec<D>>("position"));
  for (const std::string& b : p.boundary.names) {
    const neighbours::Box more = neighbours::bounding_box<D>(
        world.exec, world.table(sample_table(b, p.fluid.name)).column<const Vec<D>>("position"));
    for (int k = 0; k < D; ++k) {
      box.low[k] = std::min(box.low[k], more.low[k]);
      box.high[k] = std::max(box.high[k], more.high[k]);
    }
  }
  return box;
}

// v^2 = v0^2 + 2 g H, with v0 the greatest speed of fluid and walls at the start, and H the way
// along gravity from the fluid's top to the lowest thing there.
template <int D>
double expected_speed(World& world, const WcsphParams& p, const neighbours::Box& all) {
  Table& fluid = world.table(p.fluid.name);
  const neighbours::Box own =
      neighbours::bounding_box<D>(world.exec, fluid.column<const Vec<D>>("position"));
  double fall = 0;  // g H
  for (int k = 0; k < D; ++k) {
    const double g = world.gravity[std::size_t(k)];
    fall += g < 0 ? -g * (own.high[k] - all.low[k]) : g * (all.high[k] - own.low[k]);
  }
  double fastest = 0;
  const auto look = [&](Table& t) {
    for (const Vec<D>& v : t.download<Vec<D>>("velocity"))
      fastest = std::max(fastest, double(dot(v, v)));
  };
  look(fluid);
  for (const std::string& b : p.boundary.names) look(world.table(sample_table(b, p.fluid.name)));
  return std::sqrt(fastest + 2 * std::max(fall, 0.0));
}

template <int D>
class Wcsph final : public Stage {
 public:
  Wcsph(const WcsphParams& p, World& world)
      : p_(p),
        spacing_(world.object(p.fluid.name).spacing),
        home_(joined<D>(world, p)),
        sound_speed_(sound_speed(world)),
        law_(make_law()),
        cells_(world.exec, support(), home_),
        walls_(world, p.fluid.name, p.boundary.names, law_.kernel, spacing_),
        lists_(world.exec),
        motion_(world.exec),
        neighbours_(world.exec) {
    Table& t = fluid(world);
    for (const char* needed : {"position", "velocity"}) t.column<Vec<D>>(needed);
    t.add<Real>({"density", D == 2 ? "kg/m^2" : "kg/m^3", Role::derived});
    t.add<Real>({"pressure", D == 2 ? "N/m" : "Pa", Role::derived});
    t.add<Vec<D>>({"acceleration", "m/s^2", Role::derived});
  }

  // Algorithm 1 of the state-equation solvers, turned so that the derived columns belong to the
  // positions of the same frame: move with the forces of the last state, then find the new ones.
  void advance(World& world, const Step& step) override {
    const double h = step.dt / p_.substeps;
    for (int s = 1; s <= p_.substeps; ++s) {
      wcsph::kick_drift<D>(world.exec, Real(h), acceleration(world), velocity(world),
                           position(world));
      evaluate(world, h * (p_.substeps - s));
    }
    watch(world, step.dt);
  }

  void refresh(World& world, double) override {
    evaluate(world, 0);
    watch(world, 0);
  }

  double stable_dt(World&) const override { return stable_dt_; }

  void measure(World& world, std::vector<Measurement>& out) const override {
    Table& t = fluid(world);
    const wcsph::State<D> state{t.column<const Vec<D>>("position"),
                                t.column<const Vec<D>>("velocity"), t.column<const Real>("density"),
                                neighbours_.span()};
    const wcsph::Sums s = wcsph::sums<D>(world.exec, law_, state, world.gravity_vector<D>());
    const auto add = [&](const char* quantity, double value, const char* unit) {
      out.push_back({p_.fluid.name + "." + quantity, value, unit});
    };
    add("kinetic_energy", s.kinetic, "J");
    add("potential_energy", s.potential, "J");
    add("internal_energy", s.internal, "J");
    add("mass", double(law_.mass) * t.rows(), "kg");
    constexpr const char* axes[] = {"momentum.x", "momentum.y", "momentum.z"};
    for (int k = 0; k < D; ++k) add(axes[k], s.momentum[k], "kg m/s");
    add("density_error_mean", t.rows() ? s.compression / t.rows() : 0, "");
    add("density_error_max", s.max_compression, "");
    add("front", s.front, "m");
    add("max_neighbours", s.max_neighbours, "");
    add("max_speed", std::sqrt(double(extremes_.speed2)), "m/s");
  }

  std::vector<ColumnUse> uses() const override {
    const std::string& f = p_.fluid.name;
    return {{f, "position", Access::write}, {f, "velocity", Access::write}};
  }

 private:
  Table& fluid(World& w) const { return w.table(p_.fluid.name); }
  Span<Vec<D>> position(World& w) const { return fluid(w).template column<Vec<D>>("position"); }
  Span<Vec<D>> velocity(World& w) const { return fluid(w).template column<Vec<D>>("velocity"); }
  Span<Vec<D>> acceleration(World& w) const {
    return fluid(w).template column<Vec<D>>("acceleration");
  }
  double support() const { return p_.support * spacing_; }

  double sound_speed(World& world) const {
    const double speed = p_.max_speed.value_or(expected_speed<D>(world, p_, home_));
    if (speed > 0) return speed / std::sqrt(p_.max_density_error);
    throw Error(ExitCode::bad_input,
                "nothing moves and nothing falls, so the sound speed cannot be derived; give "
                "\"max_speed\"");
  }

  wcsph::Law make_law() const {
    const double h = support() / 2, rho0 = p_.rest_density, c = sound_speed_;
    return {.kernel = sph::CubicSpline::of(D, support()),
            .tait = {Real(rho0 * c * c / 7), Real(1 / rho0)},
            .mass = Real(rho0 * std::pow(spacing_, D)),
            .rest_density = Real(rho0),
            .viscosity = Real(4 * (D + 2) * p_.kinematic_viscosity),
            .artificial = Real(2 * p_.artificial_viscosity * c * h),
            .softening = Real(0.01 * h * h),
            .contact = Real(0.5 * c * c / spacing_),
            .inv_spacing = Real(1 / spacing_)};
  }

  // Neighbours, density, pressure, force of the present positions; `ahead` of the walls' time.
  void evaluate(World& world, double ahead) {
    const Exec& ex = world.exec;
    Table& t = fluid(world);
    walls_.update(world, ahead);
    cells_.sort(t);
    const std::size_t n = std::size_t(t.rows());
    neighbours_.resize(n), motion_.resize(n + lane_count);
    const auto density = t.column<Real>("density");
    wcsph::density(ex, law_, cells_.view(), walls_.cells(), lists_, density, neighbours_.span());
    wcsph::pressure<D>(ex, law_, density, velocity(world), t.column<Real>("pressure"),
                       cells_.rows(), motion_.span());
    wcsph::force<D>(ex, law_, {cells_.view(), motion_.span()}, {walls_.cells(), walls_.motion()},
                    lists_, world.gravity_vector<D>(), acceleration(world));
  }

  // Above ten times the sound speed nothing is a fluid any more, even while it is still finite.
  void watch(World& world, double dt) {
    extremes_ = wcsph::extremes<D>(world.exec, Real(10 * sound_speed_), velocity(world),
                                   acceleration(world));
    if (extremes_.astray >= 0) throw diverged(world, dt);
    stable_dt_ = p_.substeps * stable_substep();
  }

  Diverged diverged(World& world, double dt) const {
    Vec<D> v;
    world.exec.download(&v, velocity(world).data + extremes_.astray, sizeof v);
    const double speed = norm(widen(v));
    const std::string what = std::isfinite(speed)
                                 ? fmt::format("{:.3g} m/s, over ten times the sound speed", speed)
                                 : std::string("not finite");
    const std::string where =
        fmt::format("velocity of row {} of '{}' is {}", extremes_.astray, p_.fluid.name, what);
    if (!(stable_dt_ > 0) || !std::isfinite(dt / stable_dt_))
      return Diverged(
          where + " in the state the run begins with: check velocity, gravity and \"max_speed\"");
    const double enough = std::ceil(p_.substeps * dt / stable_dt_);
    return Diverged(fmt::format(
        "{}; dt {:.3g} s, the last good state allowed {:.3g} s: try \"substeps\": {:.0f}", where,
        dt, stable_dt_, std::max(enough, p_.substeps + 1.0)));
  }

  // Courant, force and viscous limits, Monaghan, "Smoothed particle hydrodynamics", Rep. Prog.
  // Phys. 68, 2005, sec. 8.5, with h = support / 2.
  double stable_substep() const {
    const double h = support() / 2, c = sound_speed_;
    const double speed = std::sqrt(double(extremes_.speed2)),
                 a = std::sqrt(double(extremes_.acceleration2));
    double dt = 0.4 * h / ((c + speed) * (1 + 0.6 * p_.artificial_viscosity));
    if (a > 0) dt = std::min(dt, 0.25 * std::sqrt(h / a));
    if (p_.kinematic_viscosity > 0) dt = std::min(dt, 0.125 * h * h / p_.kinematic_viscosity);
    return dt;
  }

  WcsphParams p_;
  double spacing_;
  neighbours::Box home_;
  double sound_speed_;
  wcsph::Law law_;
  ParticleCells<D> cells_;
  SphWalls<D> walls_;
  neighbours::NeighbourLists lists_;
  Buffer<Row4> motion_;
  Buffer<Index> neighbours_;
  wcsph::Extremes extremes_;
  double stable_dt_ = 0;
};

std::unique_ptr<Stage> make_wcsph(const WcsphParams& p, World& world) {
  if (world.dim == 2) return std::make_unique<Wcsph<2>>(p, world);
  return std::make_unique<Wcsph<3>>(p, world);
}

}  // namespace

StageType wcsph_type() {
  return stage_type(
      "wcsph", "Weakly compressible SPH for free surfaces: Tait pressure, fixed steps.",
      "Becker & Teschner, \"Weakly compressible SPH for free surface flows\", SCA 2007; "
      "walls after Akinci et al., \"Versatile Rigid-Fluid Coupling for Incompressible SPH\", "
      "SIGGRAPH 2012",
      "Sound limits the step: dt / substeps <= 0.4 h / c. Compresses by up to max_density_error. "
      "No surface tension. Does not conserve angular momentum where walls or viscosity act. "
      "Fluid at rest keeps half a spacing from walls, as its lattice does at the start. "
      "Within a step moving walls go straight on at the speed of its end.",
      make_wcsph);
}

}  // namespace rtsim
