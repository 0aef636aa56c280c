#include "solvers/clouds/clouds.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "clouds/clouds.h"

namespace rtsim {

void describe(Describe& d, CloudsFill& p) {
  describe(d, p.place);
  d("temperature", p.temperature, "K", any(), "Potential temperature that is added.");
  d("vapour", p.vapour, "kg/kg", any(), "Water vapour that is added.");
}

void describe(Describe& d, CloudsSource& p) {
  describe(d, p.place);
  d.list("schedule", p.schedule, "When it acts; none: always.");
  d("temperature_rate", p.temperature_rate, "K/s", any(), "Potential temperature that it adds.");
  d("vapour_rate", p.vapour_rate, "1/s", any(), "Water vapour that it adds, kg a kg of air.");
}

void describe(Describe& d, CloudsParams& p) {
  describe(d, p.flow);
  d("ground_temperature", p.ground_temperature, "K", between(200, 330), "Of the air at y = 0.");
  d("ground_pressure", p.ground_pressure, "Pa", between(3e4, 1.2e5), "Of the air at y = 0.");
  d("lapse_rate", p.lapse_rate, "K/m", between(-0.05, 0.02),
    "How the temperature of still air falls with height; above 0.00976 it turns over.");
  d("relative_humidity", p.relative_humidity, "", between(0, 1),
    "Of still air, at all heights: the pressure of its vapour over that of saturation.");
  d("vorticity_confinement", p.vorticity_confinement, "1/s", at_least(0),
    "Strength of a force that keeps swirls of the size of cells alive; 0: none.");
  d.list("initial", p.initial, "What is added to the still air at the start.");
  d.list("sources", p.sources, "What is added as time goes on: warm and moist ground.");
  for (const auto& axis : p.flow.boundary_conditions.side)
    for (const BoundaryConditionSpec& s : axis)
      if (s.kind == mac::BoundaryCondition::inflow)
        d.fault("sides",
                "\"inflow\" is not for clouds, whose air differs with height; use "
                "\"velocity\" for a wind, with sides \"periodic\" or \"open\"");
      else if (s.temperature)
        d.fault("sides", "\"temperature\" is not for clouds; warm the ground by \"sources\"");
}

namespace {

constexpr double least_cloud = 1e-5;  // [kg/kg] that shows as the base and the top

class Clouds final : public Stage {
 public:
  Clouds(const CloudsParams& p, World& world)
      : p_(p),
        flow_(p.flow, world),
        ex_(world.exec),
        pressure_(ex_),
        exner_(ex_),
        temperature_(ex_),
        vapour_(ex_) {
    if (world.gravity[0] != 0 || world.gravity[2] != 0 || !(world.gravity[1] < 0))
      throw Error(ExitCode::bad_input, "clouds need \"gravity\" along -y, as heights are along y");
    Table& cells = world.table(p.flow.grid.name);
    cells.add<Real>({"potential_temperature", "K"});
    cells.add<Real>({"vapour", "kg/kg"});
    cells.add<Real>({"cloud", "kg/kg"});
    cells.add<Real>({"lift", "", Role::derived});
    start(world, -world.gravity[1]);
    for (std::size_t i = 0; i < p.initial.size(); ++i) {
      const CloudsFill& f = p.initial[i];
      const GridPlace place(ex_, f.place, flow_.shape(), flow_.domain(),
                            fmt::format("initial/{}", i));
      add(world, place, f.temperature, f.vapour);
    }
    for (std::size_t i = 0; i < p.sources.size(); ++i)
      places_.emplace_back(ex_, p.sources[i].place, flow_.shape(), flow_.domain(),
                           fmt::format("sources/{}", i));
    for (int a = 0; a < world.dim; ++a) law_.gravity[a] = Real(world.gravity[std::size_t(a)]);
    law_.expansion = 1;  // lift is in parts of gravity
  }

  // Harris et al. 2003, sec. 4: carry, condense, lift, project.
  void advance(World& world, const Step& step) override {
    for (std::size_t k = 0; k < columns_.size(); ++k) flow_.hold(world, k, columns_[k], {});
    flow_.advect_velocity(world, step.dt);
    flow_.advect(world,
                 {{columns_[0], {}, advection::Keeps::level}, {columns_[1], {}}, {columns_[2], {}}},
                 step.dt);
    flow_.update_walls(world, step.dt);
    for (const std::string& c : columns_) flow_.keep_apart(world, c);
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (acts(p_.sources[i].schedule, step.time, step.dt))
        add(world, places_[i], step.dt * p_.sources[i].temperature_rate,
            step.dt * p_.sources[i].vapour_rate);
    clouds::condense(ex_, flow_.domain(), ambient(), air(world));
    for (const char* water : {"vapour", "cloud"}) flow_.clear_solids(world, water);
    find_lift(world);
    const double before = forces_before(p_.flow);
    push(world, before * step.dt);
    flow_.diffuse_velocity(world, step.dt);
    push(world, (1 - before) * step.dt);
    flow_.project(world, step.dt);
    flow_.finish(world, step.dt);
  }

  void refresh(World& world, double) override {
    flow_.refresh(world);
    for (const char* water : {"vapour", "cloud"}) flow_.clear_solids(world, water);
    find_lift(world);
  }
  double stable_dt(World&) const override { return flow_.stable_dt(); }
  std::string warning(World&) const override { return flow_.warning(); }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const std::string& grid = p_.flow.grid.name;
    const double cell = p_.flow.rest_density * std::pow(flow_.shape().spacing, flow_.domain().dims);
    const double vapour = cell * mac::sum(ex_, flow_.column(world, "vapour"), flow_.share()),
                 cloud = cell * mac::sum(ex_, flow_.column(world, "cloud"), flow_.share());
    out.push_back({grid + ".vapour", vapour, "kg"});
    out.push_back({grid + ".cloud", cloud, "kg"});
    out.push_back({grid + ".water", vapour + cloud, "kg"});
    const clouds::Extent e =
        clouds::extent(ex_, flow_.domain(), flow_.column(world, "cloud"), Real(least_cloud));
    out.push_back({grid + ".cloud_base", e.low < 0 ? 0 : height(e.low), "m"});
    out.push_back({grid + ".cloud_top", e.high < 0 ? 0 : height(e.high), "m"});
    flow_.measure(world, out);
  }

  Feed feed(World& world) const override {
    const double lift = double(mac::greatest(ex_, flow_.column(world, "lift")));
    return flow_feed(p_.flow, flow_.shape(), p_.vorticity_confinement, flow_.greatest_speed(),
                     std::abs(world.gravity[1]) * lift + flow_.buoyancy(world));
  }

  std::vector<ColumnUse> uses() const override {
    std::vector<ColumnUse> u = flow_.uses();
    for (const std::string& c : columns_) u.push_back({p_.flow.grid.name, c, Access::write});
    u.push_back({p_.flow.grid.name, "lift", Access::write});
    return u;
  }

 private:
  double height(Index layer) const {
    return flow_.shape().low[1] + (layer + 0.5) * flow_.shape().spacing;
  }
  clouds::Ambient ambient() const {
    return {pressure_.span(), exner_.span(), temperature_.span(), vapour_.span()};
  }
  clouds::Air air(World& w) const {
    return {flow_.column(w, columns_[0]), flow_.column(w, columns_[1]),
            flow_.column(w, columns_[2])};
  }
  void push(World& world, double dt) {
    if (dt == 0) return;
    const Real* lift = flow_.hold(world, 0, "lift", {});
    flow_.lift(world, law_, dt, lift, lift);
    flow_.confine(world, p_.vorticity_confinement, dt);
  }
  void find_lift(World& w) {
    clouds::find_lift(ex_, flow_.domain(), ambient(), air(w), flow_.column(w, "lift"));
  }

  // Still air everywhere.
  void start(World& world, double g) {
    const Index layers = flow_.shape().cells[1];
    std::vector<Real> p, pi, theta, q;
    for (Index j = 0; j < layers; ++j) {
      const double y = height(j), T = p_.ground_temperature - p_.lapse_rate * y;
      if (!(T > 150))
        throw Error(ExitCode::bad_input,
                    fmt::format("still air at {:.0f} m has {:.0f} K; make the grid lower, or "
                                "\"lapse_rate\" smaller",
                                y, T));
      const double here =
          clouds::pressure_at(y, p_.ground_pressure, p_.ground_temperature, p_.lapse_rate, g);
      p.push_back(Real(here)), pi.push_back(Real(clouds::exner(here)));
      theta.push_back(Real(T / clouds::exner(here)));
      q.push_back(
          Real(clouds::mixing_ratio(p_.relative_humidity * clouds::saturation_pressure(T), here)));
    }
    pressure_.upload(p), exner_.upload(pi), temperature_.upload(theta), vapour_.upload(q);
    fill(world, columns_[0], theta), fill(world, columns_[1], q);
  }
  void fill(World& world, const std::string& column, const std::vector<Real>& layers) {
    const GridShape& g = flow_.shape();
    std::vector<Real> rows(std::size_t(g.rows()));
    for (std::size_t r = 0; r < rows.size(); ++r)
      rows[r] = layers[r / std::size_t(g.cells[0]) % layers.size()];
    ex_.upload(flow_.column(world, column).data, rows.data(), rows.size() * sizeof(Real));
  }

  void add(World& world, const GridPlace& place, double temperature, double vapour) {
    const double amount[2] = {temperature, vapour};
    for (std::size_t k = 0; k < 2; ++k)
      if (amount[k] != 0)
        source::apply(ex_, flow_.domain(), mac::centres, place.place(),
                      {.value = Real(amount[k]), .rate = true, .dt = 1},
                      flow_.column(world, columns_[k]));
  }

  const std::vector<std::string> columns_ = {"potential_temperature", "vapour", "cloud"};
  CloudsParams p_;
  GridFlow flow_;
  Exec ex_;
  Buffer<Real> pressure_, exner_, temperature_, vapour_;  // of still air, by layers
  smoke::Buoyancy law_;
  std::vector<GridPlace> places_;
};

std::unique_ptr<Stage> make_clouds(const CloudsParams& p, World& world) {
  return std::make_unique<Clouds>(p, world);
}

}  // namespace

double row_bytes(const CloudsParams& p, const GridShape& g) {
  return flow_row_bytes(p.flow, g, 3, p.flow.kinematic_viscosity > 0) +
         double((1 + p.sources.size()) * sizeof(Real));
}

StageType clouds_type() {
  return stage_type(
      "clouds", "Clouds: moist air that rises, condenses and warms, 2D and 3D.",
      "Harris, Baxter, Scheuermann & Lastra, \"Simulation of Cloud Dynamics on Graphics "
      "Hardware\", "
      "Graphics Hardware 2003; saturation after Bolton, Mon. Wea. Rev. 108, 1980",
      {"One density at all heights: layers deeper than a few kilometres are wrong.",
       "No rain, no ice, no radiation, no drag of the ground.",
       "Otherwise the limits of smoke, whose steps these are."},
      "docs/grids.md", make_clouds);
}

}  // namespace rtsim
