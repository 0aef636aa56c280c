#include "solvers/smoke/smoke.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "smoke/smoke.h"

namespace rtsim {

namespace {

// A field of the cells that the flow carries.
struct Field {
  std::string name;
  double diffusivity;  // [m^2/s]
  double decay;        // [1/s]
  mac::ScalarConditions conditions;
};

std::vector<Field> fields_of(const SmokeParams& p) {
  std::vector<Field> fields = {{"density", p.density_diffusivity, p.density_decay, {}},
                               {"temperature", p.temperature_diffusivity, p.temperature_decay, {}}};
  for (const std::string& dye : p.dyes) fields.push_back({dye, p.dye_diffusivity, p.dye_decay, {}});
  for (int a = 0; a < 3; ++a)
    for (int e = 0; e < 2; ++e) {
      const BoundaryConditionSpec& s = p.flow.boundary_conditions.side[a][e];
      fields[0].conditions.value[a][e] = Real(s.density);
      fields[1].conditions.value[a][e] = Real(s.temperature.value_or(0));
      fields[1].conditions.wall[a][e] = s.temperature && s.kind != mac::BoundaryCondition::inflow;
      for (std::size_t k = 0; k < s.dyes.size(); ++k)
        fields[2 + k].conditions.value[a][e] = Real(s.dyes[k]);
    }
  return fields;
}

class Smoke final : public Stage {
 public:
  Smoke(const SmokeParams& p, World& world)
      : p_(p), fields_(fields_of(p)), flow_(p.flow, world), ex_(world.exec) {
    add_columns(world);
    for (std::size_t i = 0; i < p.initial.size(); ++i) fill(world, i);
    for (std::size_t i = 0; i < p.sources.size(); ++i)
      places_.emplace_back(ex_, p.sources[i].place, flow_.shape(), flow_.domain(),
                           fmt::format("sources/{}", i));
    law_.weight = Real(p.weight.value_or(1 / p.flow.rest_density));
    law_.expansion = Real(p.thermal_expansion);
    for (int a = 0; a < world.dim; ++a) law_.gravity[a] = Real(world.gravity[std::size_t(a)]);
  }

  // Fedkiw, Stam & Jensen 2001, sec. 2, with the forces between advection and projection.
  void advance(World& world, const Step& step) override {
    advect(world, step.dt);
    flow_.update_walls(world, step.dt);
    for (const Field& f : fields_) flow_.keep_apart(world, f.name);
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (acts(p_.sources[i].schedule, step.time, step.dt)) pour(world, i, step.dt);
    for (const Field& f : fields_) {
      if (f.decay > 0)
        smoke::scale(ex_, Real(std::exp(-f.decay * step.dt)), flow_.column(world, f.name));
      flow_.diffuse(world, f.name, f.conditions, f.diffusivity, step.dt);
      flow_.clear_solids(world, f.name);
    }
    const double before = forces_before(p_.flow);
    push(world, before * step.dt);
    flow_.diffuse_velocity(world, step.dt);
    push(world, (1 - before) * step.dt);
    flow_.project(world, step.dt);
    flow_.finish(world, step.dt);
  }

  void refresh(World& world, double) override {
    flow_.refresh(world);
    for (const Field& f : fields_) flow_.clear_solids(world, f.name);
  }
  double stable_dt(World&) const override { return flow_.stable_dt(); }
  std::string warning(World&) const override { return flow_.warning(); }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const double cell = std::pow(flow_.shape().spacing, world.dim);
    const auto total = [&](const std::string& name) {
      return cell * mac::sum(ex_, flow_.column(world, name), flow_.share());
    };
    const std::string& grid = p_.flow.grid.name;
    out.push_back({grid + ".mass", total("density"), "kg"});
    out.push_back({grid + ".heat", total("temperature"), world.dim == 2 ? "K m^2" : "K m^3"});
    for (const std::string& dye : p_.dyes)
      out.push_back({grid + "." + dye, total(dye), world.dim == 2 ? "m^2" : "m^3"});
    measure_warm_walls(world, out);
    flow_.measure(world, out);
  }

  // Smoke and warmth weigh no more than all of them where most is.
  Feed feed(World& world) const override {
    double pull = norm(Vec3d{{world.gravity[0], world.gravity[1], world.gravity[2]}}) *
                      (double(law_.weight) * greatest(world, 0) +
                       std::abs(double(law_.expansion)) * greatest(world, 1)) +
                  flow_.buoyancy(world);
    double speed = 0;
    for (const SmokeSource& s : p_.sources) {
      pull += norm(s.acceleration);
      double square = 0;
      for (const double u : s.velocity) square += u * u;
      speed = std::max(speed, std::sqrt(square));
    }
    Feed feed =
        flow_feed(p_.flow, flow_.shape(), p_.vorticity_confinement, flow_.greatest_speed(), pull);
    feed.speed = std::max(feed.speed, speed);
    return feed;
  }

  std::vector<ColumnUse> uses() const override {
    std::vector<ColumnUse> u = flow_.uses();
    for (const Field& f : fields_) u.push_back({p_.flow.grid.name, f.name, Access::write});
    return u;
  }

 private:
  double greatest(World& world, std::size_t field) const {
    return double(mac::greatest(ex_, flow_.column(world, fields_[field].name)));
  }

  void add_columns(World& world) {
    Table& cells = world.table(p_.flow.grid.name);
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      const std::string& name = fields_[k].name;
      if (cells.has(name))
        throw Error(ExitCode::bad_input, fmt::format("dyes: the grid has a column '{}' already; "
                                                     "give the dye another name",
                                                     name));
      const char* density = world.dim == 2 ? "kg/m^2" : "kg/m^3";
      cells.add<Real>({name, k == 0 ? density : (k == 1 ? "K" : "")});
    }
  }

  // Heat that comes in through the walls of the domain that keep their temperature.
  void measure_warm_walls(World& world, std::vector<Measurement>& out) const {
    const Field& warmth = fields_[1];
    const double flux = warmth.diffusivity * std::pow(flow_.shape().spacing, world.dim - 2);
    for (int a = 0; a < world.dim; ++a)
      for (int e = 0; e < 2; ++e)
        if (warmth.conditions.wall[a][e])
          out.push_back(
              {fmt::format("{}.heating.{}_{}", p_.flow.grid.name, "xyz"[a],
                           e == 0 ? "low" : "high"),
               flux * diffusion::through_wall(ex_, flow_.domain(), flow_.walls(), warmth.conditions,
                                              a, e, flow_.column(world, warmth.name)),
               world.dim == 2 ? "K m^2/s" : "K m^3/s"});
  }

  void fill(World& world, std::size_t i) {
    const SmokeFill& f = p_.initial[i];
    const GridPlace place(ex_, f.place, flow_.shape(), flow_.domain(),
                          fmt::format("initial/{}", i));
    hold_value(world, place, "density", f.density);
    const GridShape& g = flow_.shape();
    Vec3d from_middle = g.centre(0) - g.low;
    for (int a = 0; a < world.dim; ++a) from_middle[a] -= 0.5 * g.cells[a] * g.spacing;
    source::Amount warmth{.value = Real(f.temperature + dot(f.temperature_slope, from_middle))};
    for (int a = 0; a < world.dim; ++a) warmth.slope[a] = Real(f.temperature_slope[a] * g.spacing);
    put(world, place, "temperature", warmth);
    for (std::size_t k = 0; k < f.dyes.size(); ++k) hold_value(world, place, p_.dyes[k], f.dyes[k]);
  }

  void put(World& world, const GridPlace& place, const std::string& name,
           const source::Amount& amount) {
    source::apply(ex_, flow_.domain(), mac::centres, place.place(), amount,
                  flow_.column(world, name));
  }
  void hold_value(World& world, const GridPlace& place, const std::string& name, double value) {
    put(world, place, name, {.value = Real(value)});
  }
  void add_rate(World& world, const GridPlace& place, const std::string& name, double rate,
                double dt) {
    if (rate != 0) put(world, place, name, {.value = Real(rate), .rate = true, .dt = Real(dt)});
  }

  void pour(World& world, std::size_t i, double dt) {
    const SmokeSource& s = p_.sources[i];
    const GridPlace& place = places_[i];
    add_rate(world, place, "density", s.density_rate, dt);
    add_rate(world, place, "temperature", s.temperature_rate, dt);
    for (std::size_t k = 0; k < s.dye_rates.size(); ++k)
      add_rate(world, place, p_.dyes[k], s.dye_rates[k], dt);
    if (s.density) hold_value(world, place, "density", *s.density);
    if (s.temperature) hold_value(world, place, "temperature", *s.temperature);
    for (std::size_t k = 0; k < s.dyes.size(); ++k) hold_value(world, place, p_.dyes[k], s.dyes[k]);
    const mac::Velocity v = flow_.velocity(world);
    for (int a = 0; a < world.dim; ++a) {
      const auto apply = [&](const source::Amount& amount) {
        source::apply(ex_, flow_.domain(), a, place.place(), amount, v.u[a]);
      };
      if (s.acceleration[a] != 0)
        apply({.value = Real(s.acceleration[a]), .rate = true, .dt = Real(dt)});
      if (!s.velocity.empty()) apply({.value = Real(s.velocity[std::size_t(a)])});
    }
  }

  void hold_fields(World& world, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      flow_.hold(world, k, fields_[k].name, fields_[k].conditions);
  }

  void advect(World& world, double dt) {
    hold_fields(world, fields_.size());
    std::vector<Carried> carried;
    for (const Field& f : fields_) carried.push_back({f.name, f.conditions});
    flow_.advect_velocity(world, dt);
    flow_.advect(world, carried, dt);
  }

  // By what is where at the end of the step: forces ahead of advection would drive waves in layers
  // of warm over cold, and ahead of diffusion would differ from it in flows that are steady.
  void push(World& world, double dt) {
    if (dt == 0) return;
    const Real* density = flow_.hold(world, 0, fields_[0].name, fields_[0].conditions);
    const Real* temperature = flow_.hold(world, 1, fields_[1].name, fields_[1].conditions);
    flow_.lift(world, law_, dt, density, temperature);
    flow_.confine(world, p_.vorticity_confinement, dt);
  }

  SmokeParams p_;
  std::vector<Field> fields_;
  GridFlow flow_;
  Exec ex_;
  smoke::Buoyancy law_;
  std::vector<GridPlace> places_;
};

std::unique_ptr<Stage> make_smoke(const SmokeParams& p, World& world) {
  return std::make_unique<Smoke>(p, world);
}

}  // namespace

double row_bytes(const SmokeParams& p, const GridShape& g) {
  const bool diffuses = p.flow.kinematic_viscosity > 0 || p.density_diffusivity > 0 ||
                        p.temperature_diffusivity > 0 || p.dye_diffusivity > 0;
  return flow_row_bytes(p.flow, g, 2 + p.dyes.size(), diffuses) +
         double(p.sources.size() * sizeof(Real));
}

StageType smoke_type() {
  return stage_type(
      "smoke", "Incompressible smoke, warmth and dyes on a staggered grid, 2D and 3D.",
      "Fedkiw, Stam & Jensen, \"Visual Simulation of Smoke\", SIGGRAPH 2001; Selle et al., \"An "
      "Unconditionally Stable MacCormack Method\", J. Sci. Comput. 35, 2008; Koren, \"A Robust "
      "Upwind Discretization Method\", 1993; walls after Batty, Bertails & Bridson, SIGGRAPH 2007",
      {"Details of one or two cells blur; advection does not conserve momentum.",
       "First order in time; steps of more than five cells miss how the flow turns.",
       "Smoke seeps through walls of one cell, and thinner ones may vanish."},
      "docs/grids.md", make_smoke);
}

}  // namespace rtsim
