#include "solvers/shallow_water/shallow_water_traced.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shallow_water/traced.h"
#include "solvers/shallow_water/shallow_water_stage.h"

namespace rtsim {

namespace {

using shallow_water::Columns;
using shallow_water::EdgeType;
using shallow_water::Faces;

class TracedWater final : public WaterStage {
 public:
  TracedWater(const ShallowWaterParams& p, World& world)
      : WaterStage(p, world),
        depth_(world.exec, std::size_t(flow_.cells())),
        u_(world.exec, std::size_t((flow_.nx + 1) * flow_.nz)),
        v_(world.exec, std::size_t(flow_.nx * (flow_.nz + 1))) {
    lattice_.nx = flow_.nx, lattice_.nz = flow_.nz;
    lattice_.g = flow_.g, lattice_.spacing = flow_.spacing, lattice_.dry = flow_.dry;
    for (int e = 0; e < 4; ++e) lattice_.absorbing[e] = p.edges[e].type == EdgeType::absorbing;
    Table& t = table(world);
    t.add<Real>({"discharge_x", "m^2/s", Role::derived});
    t.add<Real>({"discharge_z", "m^2/s", Role::derived});
    world.add_table(p.water.name + ".faces_x", Index(u_.size())).add<Real>({"velocity", "m/s"});
    world.add_table(p.water.name + ".faces_z", Index(v_.size())).add<Real>({"velocity", "m/s"});
  }

  void advance(World& world, const Step& step) override {
    if (move_bodies(world)) look(world);
    substeps_ = p_.substeps.value_or(needed(step.dt));
    for (int k = 0; k < substeps_; ++k) {
      const Faces from = faces(world);
      shallow_water::traced_step(world.exec, lattice_, step.dt / substeps_, from,
                                 {from.bed, depth_.data(), u_.data(), v_.data()});
      keep(world, p_.water.name, "depth", depth_);
      keep(world, p_.water.name + ".faces_x", "velocity", u_);
      keep(world, p_.water.name + ".faces_z", "velocity", v_);
    }
    look(world);
  }

  std::vector<ColumnUse> uses() const override {
    const std::string& w = p_.water.name;
    return {{w, "bed", p_.boundary.names.empty() ? Access::read : Access::write},
            {w, "depth", Access::write},
            {w + ".faces_x", "velocity", Access::write},
            {w + ".faces_z", "velocity", Access::write}};
  }

 private:
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

  // Gravity waves on the staggered grid: sqrt(2) c dt < dx; |u| + |v| + 2 c is above that.
  double greatest_courant() const override { return 0.5; }

  void look(World& world) override {
    Table& t = table(world);
    shallow_water::discharges(world.exec, lattice_, faces(world), t.column<Real>("discharge_x"),
                              t.column<Real>("discharge_z"));
    const shallow_water::Watch met = shallow_water::look(world.exec, flow_, columns(world));
    if (!std::isfinite(met.sum))
      throw Diverged(
          fmt::format("on '{}': the water of row {} is not finite; use smaller steps, or "
                      "leave out \"substeps\"",
                      p_.water.name, shallow_water::first_lost(world.exec, flow_, columns(world))));
    speed_ = met.speed;
  }

  shallow_water::Staggered lattice_;
  Buffer<Real> depth_, u_, v_;
};

}  // namespace

std::unique_ptr<Stage> make_traced_water(const ShallowWaterParams& p, World& world) {
  return std::make_unique<TracedWater>(p, world);
}

}  // namespace rtsim
