#include "solvers/shallow_water/shallow_water_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "shallow_water/shallow_water.h"
#include "shallow_water/traced.h"

namespace rtsim {

WaterStage::WaterStage(const ShallowWaterParams& p, World& world)
    : p_(p),
      grid_(*world.object(p.water.name).grid),
      flow_(make_flow(p, world)),
      probes_(world.exec, std::span<const shallow_water::Probe>(make_probes(p, grid_))),
      bodies_(world, p.water.name, p.boundary.names) {
  const bool floats = std::ranges::any_of(p.boundary.names, [&](const std::string& name) {
    return world.object(name).kind == Kind::bodies;
  });
  if (floats && p.scheme == WaterScheme::traced)
    throw Error(
        ExitCode::bad_input,
        "rigid bodies float with the scheme \"finite_volumes\" alone; leave \"scheme\" out");
  if (bodies_.moving() || floats)
    for (const auto& edge : p.edges)
      if (edge.type == shallow_water::EdgeType::periodic)
        throw Error(ExitCode::bad_input,
                    "a body that moves would not come back at the other side of a periodic edge; "
                    "use other edges, or let it stand");
  Table& t = table(world);
  t.add<Vec<3>>({"velocity", "m/s", Role::derived});
  t.add<Real>({"fill", "", Role::derived});
}

bool WaterStage::move_bodies(World& world) {
  if (bodies_.moving()) bodies_.update(world);
  return bodies_.moving();
}

void WaterStage::refresh(World& world, double) {
  bodies_.update(world);
  look(world);
  before_frame(world);
}

void WaterStage::before_frame(World& world) {
  Table& t = table(world);
  shallow_water::velocities(world.exec, flow_, columns(world), t.column<Vec<3>>("velocity"));
  shallow_water::fill_ratio(world.exec, flow_.nx, flow_.nz, Real(p_.wet_depth),
                            t.column<const Real>("bed"), t.column<const Real>("depth"),
                            t.column<Real>("fill"));
}

double WaterStage::stable_dt(World&) const {
  return p_.substeps ? *p_.substeps * stable_substep(greatest_courant())
                     : std::numeric_limits<double>::infinity();
}

void WaterStage::measure(World& world, std::vector<Measurement>& out) const {
  measure_water(world, p_, flow_, columns(world), out);
  out.push_back({p_.water.name + ".substeps", double(substeps_), ""});
  if (!bodies_.empty()) out.push_back({p_.water.name + ".displaced", bodies_.displaced(), "m^3"});
  measure_probes(world, p_, flow_, columns(world), probes_.span(), out);
}

Feed WaterStage::feed(World&) const {
  using shallow_water::EdgeType;
  Feed feed;
  bool closed = p_.rain == 0 && p_.sources.empty();
  for (const WaterEdge& e : p_.edges)
    closed = closed && (e.type == EdgeType::reflecting || e.type == EdgeType::periodic);
  if (!closed) feed.unknown = "water comes and goes with an energy that nobody adds up";
  return feed;
}

shallow_water::Columns WaterStage::columns(World& w) const {
  Table& t = table(w);
  return {t.column<const Real>("bed").data, t.column<Real>("depth").data,
          t.column<Real>("discharge_x").data, t.column<Real>("discharge_z").data};
}

// The CFL condition: h (|u| + |v| + 2 sqrt(g depth)) / spacing <= courant.
double WaterStage::stable_substep(double courant) const {
  return speed_ > 0 ? courant * grid_.spacing / speed_ : std::numeric_limits<double>::infinity();
}

int WaterStage::needed(double left) const {
  const auto courant = [&](double h) {
    return (speed_ + push_ * h + 2 * std::sqrt(double(flow_.g) * rise_ * h)) * h / grid_.spacing;
  };
  double n = std::max(1.0, std::ceil(left / stable_substep(p_.courant) - 1e-9));
  while (n < 1e6 && courant(left / n) > p_.courant * (1 + 1e-9)) n = std::ceil(1.1 * n);
  if (n < 1e6) return int(n);
  throw Diverged(
      fmt::format("on '{}': waves of {:.3g} m/s need {:.3g} substeps in a step; look at the depths "
                  "and velocities of the last frame",
                  p_.water.name, speed_, n));
}

}  // namespace rtsim
