#include "forces/wind.h"

#include <algorithm>

#include "meshes/adjacency.h"
#include "meshes/loads_of_held.h"
#include "stage/fed.h"
#include "wind/wind.h"

namespace rtsim {

void describe(Describe& d, WindKey& k) {
  d.required("time", k.time, "s", at_least(0), "When it blows so.");
  d.vector("velocity", k.velocity, "m/s", "Of the air.");
}

void describe(Describe& d, WindParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  d.role("mesh", p.mesh, kinds, "The mesh whose triangles feel it.");
  d.vector("velocity", p.velocity, "m/s", "Of the air, everywhere; still air resists too.");
  d.list("schedule", p.schedule,
         "In place of the velocity: what it is at these times, changing evenly between them.");
  d("viscous", p.viscous, "kg/(m^2*s)", at_least(0),
    "Of a viscous fluid: force for each area and speed, along normals alone.");
  d("drag", p.drag, "", at_least(0), "Coefficient c_d of a triangle face on: 1.2 of a flat plate.");
  d("lift", p.lift, "", at_least(0), "Coefficient c_l, of the slope of lift against the angle.");
  d("density", p.density, "kg/m^3", at_least(0), "Of the air, for drag and lift.");
  d("gust_speed", p.gust_speed, "m/s", at_least(0),
    "Greatest gust along each axis. Gusts are drawn from the scene's seed and travel with the "
    "wind.");
  d("gust_length", p.gust_length, "m", above(0), "How far apart gusts differ.");
  d("start", p.start, "s", any(), "Blows in steps that begin at this time or later.");
  d("end", p.end, "s", any(), "Blows in steps that begin before this time. Default: for ever.");
  if (d.given("velocity") && norm(p.velocity) != 0 && !p.schedule.empty())
    d.fault("velocity", "is what \"schedule\" says; give one of them");
  for (std::size_t i = 1; i < p.schedule.size(); ++i)
    if (!(p.schedule[i - 1].time < p.schedule[i].time))
      d.fault("schedule", "times must rise from one to the next");
}

MeanWind mean_wind(const WindParams& p, double time) {
  if (p.schedule.empty()) return {p.velocity, time * p.velocity};
  // As before the first time, so after the last.
  std::vector<WindKey> keys = p.schedule;
  keys.insert(keys.begin(), {std::min(0.0, keys.front().time - 1), keys.front().velocity});
  Vec3d travelled;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    const WindKey &a = keys[i], &b = keys[i + 1];
    const double part = std::min(1.0, (time - a.time) / (b.time - a.time));
    const Vec3d now = a.velocity + part * (b.velocity - a.velocity);
    const double since = std::max(0.0, a.time), until = a.time + part * (b.time - a.time);
    travelled = travelled + (0.5 * (until - since)) * (a.velocity + now);
    if (time <= b.time) return {now, travelled};
  }
  const WindKey& last = keys.back();
  return {last.velocity, travelled + (time - last.time) * last.velocity};
}

namespace {

class Wind final : public Stage {
 public:
  Wind(const WindParams& p, World& world, const std::string& name)
      : p_(p), fed_(world, name), first_(world.exec), slots_(world.exec), shares_(world.exec) {
    const auto triangles = corners_of<3>(world, triangle_table(p.mesh.name));
    if (triangles.empty())
      throw Error(ExitCode::bad_input, "'" + p.mesh.name +
                                           "' has no triangles for the wind to meet; take a "
                                           "\"force_field\" for chains");
    const Incidence around = incidence_of(std::size_t(world.table(p.mesh.name).rows()), triangles);
    first_.upload(around.first);
    slots_.upload(around.slots);
    shares_.resize(triangles.size());
  }

  void advance(World& world, const Step& step) override {
    // Times are index * dt: half a rounding must not shift the window by a step.
    const double time = step.time + 1e-6 * step.dt;
    if (time < p_.start || (p_.end && time >= *p_.end)) return;
    Table& t = world.table(p_.mesh.name);
    const auto v = t.column<Vec<3>>("velocity");
    Table& triangles = world.table(triangle_table(p_.mesh.name));
    wind::loads(world.exec, air(world, step.time),
                triangles.column<const wind::Triangle>("corners"), torn_of(triangles),
                t.column<const Vec<3>>("position"), v, shares_.span());
    fed_.add(world,
             wind::push(world.exec, {first_.span(), slots_.span()}, shares_.span(), Real(step.dt),
                        t.column<const Real>("mass"), t.column<const Real>("inverse_mass"), v,
                        loads_of_held(world, p_.mesh.name)));
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    fed_.measure(world, p_.mesh.name, out);
  }

  std::vector<ColumnUse> uses() const override {
    return {{p_.mesh.name, "position", Access::read}, {p_.mesh.name, "velocity", Access::add}};
  }

 private:
  wind::Air air(World& world, double time) const {
    const MeanWind mean = mean_wind(p_, time);
    const double half = 0.5 * p_.density;
    return {.coefficients = {Real(p_.viscous), Real(half * p_.drag), Real(half * p_.lift)},
            .velocity = narrow<3>(mean.velocity),
            .gust = Real(p_.gust_speed),
            .inv_length = Real(1 / p_.gust_length),
            .travelled = narrow<3>((1 / p_.gust_length) * mean.travelled),
            .seed = world.seed};
  }

  WindParams p_;
  Fed fed_;
  Buffer<Index> first_, slots_;
  Buffer<wind::Share> shares_;
};

std::unique_ptr<Stage> make_wind(const WindParams& p, World& world, const std::string& name) {
  return std::make_unique<Wind>(p, world, name);
}

}  // namespace

StageType wind_type() {
  return stage_type(
      "wind",
      "Wind on the triangles of a mesh: drag, lift, gusts, and the resistance of still air.",
      "Keckeisen et al., \"Modelling Effects of Wind Fields in Cloth Animations\", WSCG 2004; "
      "gusts by frozen turbulence, Taylor 1938",
      {"The air does not feel the mesh: nothing shelters anything.",
       "Acts once a step: at its end, terminal velocities are g dt too large.",
       "Coefficients are those of single triangles, not of whole bodies."},
      "docs/cloth_and_soft_bodies.md", make_wind);
}

}  // namespace rtsim
