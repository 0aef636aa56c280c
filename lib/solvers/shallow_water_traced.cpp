#include "solvers/shallow_water_traced.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shallow_water/traced.h"
#include "solvers/shallow_water_setup.h"

namespace rtsim {

namespace {

using shallow_water::Columns;
using shallow_water::EdgeType;
using shallow_water::Faces;

class TracedWater final : public Stage {
 public:
  TracedWater(const ShallowWaterParams& p, World& world)
      : p_(p),
        flow_(make_flow(p, world)),
        depth_(world.exec, std::size_t(flow_.cells())),
        u_(world.exec, std::size_t((flow_.nx + 1) * flow_.nz)),
        v_(world.exec, std::size_t(flow_.nx * (flow_.nz + 1))),
        probes_(world.exec, std::span<const shallow_water::Probe>(
                                make_probes(p, *world.object(p.water.name).grid))) {
    grid_.nx = flow_.nx, grid_.nz = flow_.nz;
    grid_.g = flow_.g, grid_.spacing = flow_.spacing, grid_.dry = flow_.dry;
    for (int e = 0; e < 4; ++e) grid_.absorbing[e] = p.edges[e].type == EdgeType::absorbing;
    Table& t = table(world);
    t.add<Real>({"discharge_x", "m^2/s", Role::derived});
    t.add<Real>({"discharge_z", "m^2/s", Role::derived});
    t.add<Vec<3>>({"velocity", "m/s", Role::derived});
    t.add<Real>({"fill", "", Role::derived});
    world.add_table(p.water.name + ".faces_x", Index(u_.size())).add<Real>({"velocity", "m/s"});
    world.add_table(p.water.name + ".faces_z", Index(v_.size())).add<Real>({"velocity", "m/s"});
  }

  void advance(World& world, const Step& step) override {
    substeps_ = p_.substeps.value_or(needed(step.dt));
    for (int k = 0; k < substeps_; ++k) {
      const Faces from = faces(world);
      shallow_water::traced_step(world.exec, grid_, step.dt / substeps_, from,
                                 {from.bed, depth_.data(), u_.data(), v_.data()});
      keep(world, p_.water.name, "depth", depth_);
      keep(world, p_.water.name + ".faces_x", "velocity", u_);
      keep(world, p_.water.name + ".faces_z", "velocity", v_);
    }
    look(world);
  }

  void refresh(World& world, double) override {
    look(world);
    before_frame(world);
  }

  void before_frame(World& world) override {
    Table& t = table(world);
    shallow_water::velocities(world.exec, flow_, columns(world), t.column<Vec<3>>("velocity"));
    shallow_water::fill_ratio(world.exec, flow_.nx, flow_.nz, Real(p_.wet_depth),
                              t.column<const Real>("bed"), t.column<const Real>("depth"),
                              t.column<Real>("fill"));
  }

  double stable_dt(World&) const override {
    return p_.substeps ? *p_.substeps * stable_substep(0.5)
                       : std::numeric_limits<double>::infinity();
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    measure_water(world, p_, flow_, columns(world), out);
    out.push_back({p_.water.name + ".substeps", double(substeps_), ""});
    measure_probes(world, p_, flow_, columns(world), probes_.span(), out);
  }

  std::vector<ColumnUse> uses() const override {
    const std::string& w = p_.water.name;
    return {{w, "bed", Access::read},
            {w, "depth", Access::write},
            {w + ".faces_x", "velocity", Access::write},
            {w + ".faces_z", "velocity", Access::write}};
  }

 private:
  Table& table(World& w) const { return w.table(p_.water.name); }

  Columns columns(World& w) const {
    Table& t = table(w);
    return {t.column<const Real>("bed").data, t.column<Real>("depth").data,
            t.column<Real>("discharge_x").data, t.column<Real>("discharge_z").data};
  }
  Faces faces(World& w) const {
    const std::string& name = p_.water.name;
    return {table(w).column<const Real>("bed").data, table(w).column<Real>("depth").data,
            w.table(name + ".faces_x").column<Real>("velocity").data,
            w.table(name + ".faces_z").column<Real>("velocity").data};
  }

  static void keep(World& w, const std::string& table, const char* column, Buffer<Real>& from) {
    const Span<Real> to = w.table(table).column<Real>(column);
    w.exec.copy(to.data, from.data(), from.size() * sizeof(Real));
  }

  void look(World& world) {
    Table& t = table(world);
    shallow_water::discharges(world.exec, grid_, faces(world), t.column<Real>("discharge_x"),
                              t.column<Real>("discharge_z"));
    const shallow_water::Watch met = shallow_water::look(world.exec, flow_, columns(world));
    if (!std::isfinite(met.sum))
      throw Diverged(
          fmt::format("on '{}': the water of row {} is not finite; use smaller steps, or "
                      "leave out \"substeps\"",
                      p_.water.name, shallow_water::first_lost(world.exec, flow_, columns(world))));
    speed_ = met.speed;
  }

  // Gravity waves on the staggered grid: sqrt(2) c dt < dx; |u| + |v| + 2 c is above that.
  double stable_substep(double courant) const {
    return speed_ > 0 ? courant * double(grid_.spacing) / speed_
                      : std::numeric_limits<double>::infinity();
  }
  int needed(double dt) const {
    const double n = std::ceil(dt / stable_substep(p_.courant) - 1e-9);
    if (n < 1e6) return std::max(1, int(n));
    throw Diverged(fmt::format("on '{}': waves of {:.3g} m/s need {:.3g} substeps in a step",
                               p_.water.name, speed_, n));
  }

  ShallowWaterParams p_;
  shallow_water::Flow flow_;
  shallow_water::Staggered grid_;
  Buffer<Real> depth_, u_, v_;
  Buffer<shallow_water::Probe> probes_;
  double speed_ = 0;  // greatest |u| + |v| + 2 c of the last look [m/s]
  int substeps_ = 0;  // of the last step
};

}  // namespace

std::unique_ptr<Stage> make_traced_water(const ShallowWaterParams& p, World& world) {
  return std::make_unique<TracedWater>(p, world);
}

}  // namespace rtsim
