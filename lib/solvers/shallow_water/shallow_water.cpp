#include "solvers/shallow_water/shallow_water.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "shallow_water/shallow_water.h"
#include "shallow_water/sources.h"
#include "solvers/shallow_water/floating_bodies.h"
#include "solvers/shallow_water/shallow_water_stage.h"
#include "solvers/shallow_water/shallow_water_traced.h"

namespace rtsim {

namespace {

using shallow_water::Columns;
using shallow_water::EdgeType;
using shallow_water::Watch;

class ShallowWater final : public WaterStage {
 public:
  ShallowWater(const ShallowWaterParams& p, World& world)
      : WaterStage(p, world),
        next_{Buffer<std::byte>(world.exec), Buffer<std::byte>(world.exec),
              Buffer<std::byte>(world.exec)},
        rest_(world.exec),
        discs_(make_discs(p, grid_)) {
    Table& t = table(world);
    const std::vector<Real> filled = t.download<Real>("depth");
    floating_.emplace(world, p.water.name, p.boundary.names, p.density);
    const std::vector<Real> depth = t.download<Real>("depth");
    std::vector<Real> qx, qz;
    for (const Real h : depth)
      qx.push_back(h * Real(p.velocity[0])), qz.push_back(h * Real(p.velocity[2]));
    t.add<Real>({"discharge_x", "m^2/s"}, qx);
    t.add<Real>({"discharge_z", "m^2/s"}, qz);
    keep_rest(filled);
    for (const WaterDisc& d : discs_) rise_ += std::max(0.0, d.rise);
    read_hydrographs(t.download<Real>("bed"));
  }

  void refresh(World& world, double time) override {
    WaterStage::refresh(world, time);
    find_push(world);
    floating_->recall(world);
  }

  void advance(World& world, const Step& step) override {
    if (move_bodies(world)) find_push(world);
    if (!p_.substeps) look(world);
    if (!floating_->empty()) floating_->begin(world, step.dt);
    double left = step.dt;
    for (int k = 0; left > 0; ++k) {
      const int n = p_.substeps ? *p_.substeps - k : needed(left);
      const double h = p_.substeps ? step.dt / *p_.substeps : left / n;
      set_edges(step.time + (step.dt - left) + 0.5 * h);
      substep(world, step.time, h, step.dt);
      left = n > 1 ? left - h : 0;
      substeps_ = k + 1;
    }
    if (!floating_->empty()) floating_->end(world);
  }

  std::vector<ColumnUse> uses() const override {
    const std::string& w = p_.water.name;
    return {{w, "bed", p_.boundary.names.empty() ? Access::read : Access::write},
            {w, "depth", Access::write},
            {w, "discharge_x", Access::write},
            {w, "discharge_z", Access::write}};
  }

 private:
  static constexpr const char* moved_[] = {"depth", "discharge_x", "discharge_z"};

  // The predictor has half a substep of it, and speed_ is that of the substep before.
  void find_push(World& world) {
    push_ = 1.5 * double(flow_.g) * steepest(grid_, table(world).download<Real>("bed"));
  }

  // Hydrographs, and what water they may bring at most.
  void read_hydrographs(const std::vector<Real>& bed) {
    ShallowWaterParams most = p_;
    for (std::size_t e = 0; e < 4; ++e) {
      if (!p_.edges[e].hydrograph) continue;
      hydrograph_[e].emplace(*p_.edges[e].hydrograph);
      if (p_.edges[e].type == EdgeType::inflow && hydrograph_[e]->least() < 0)
        throw Error(ExitCode::bad_input,
                    "an inflow's hydrograph goes below 0; water leaves over an edge of type "
                    "\"level\" or \"outflow\"");
      most.edges[e].discharge = most.edges[e].level.emplace(hydrograph_[e]->greatest());
    }
    edge_speed_ = fastest_at_edges(most, grid_, bed, flow_.g);
    set_edges(0);
  }
  void set_edges(double time) {
    for (std::size_t e = 0; e < 4; ++e) {
      if (!hydrograph_[e]) continue;
      const Real now = Real(hydrograph_[e]->at(time));
      (p_.edges[e].type == EdgeType::inflow ? flow_.edge[e].discharge : flow_.edge[e].level) = now;
    }
  }

  // What the edges and layers that absorb have outside: the water of the start.
  void keep_rest(const std::vector<Real>& depth) {
    for (int e = 0; e < 4; ++e) {
      if (p_.edges[e].type != EdgeType::absorbing) continue;
      rest_.upload(depth);
      const Index last = e < 2 ? flow_.nx - 1 : flow_.nx * (flow_.nz - 1);
      flow_.edge[e].rest = rest_.data() + (e % 2 == 0 ? 0 : last);
      flow_.edge[e].stride = e < 2 ? flow_.nx : 1;
      layers_.width[e] = Index(std::lround(p_.edges[e].layer / grid_.spacing));
      damped_ = damped_ || layers_.width[e] > 0;
    }
  }

  void substep(World& world, double time, double h, double dt) {
    pour(world, time, h);
    Columns from = columns(world);
    if (!floating_->empty()) from.bed = floating_->raise(world, h);
    const std::size_t bytes = std::size_t(flow_.cells()) * sizeof(Real);
    for (auto& b : next_) b.resize(bytes);
    const auto real = [](Buffer<std::byte>& b) { return reinterpret_cast<Real*>(b.data()); };
    const Columns to{from.bed, real(next_[0]), real(next_[1]), real(next_[2])};
    Watch met = shallow_water::step(world.exec, flow_, h, from, to);
    if (!floating_->empty()) floating_->correct(world, flow_, h, from, to);
    for (int k = 0; k < 3; ++k) table(world).column_bytes(moved_[k]).bytes.swap(next_[k]);
    // The finite volumes know nothing of what is under hulls.
    if (!floating_->empty()) met = shallow_water::look(world.exec, flow_, columns(world));
    if (damped_) shallow_water::damp(world.exec, flow_, layers_, h, rest_.span(), columns(world));
    require_sound(world, met, h, dt);
    speed_ = std::max(double(met.speed), edge_speed_);
  }

  void pour(World& world, double time, double h) {
    // Times are index * dt: half a rounding must not shift the window by a step.
    const double now = time + 1e-6 * h;
    for (std::size_t s = 0; s < discs_.size(); ++s)
      if (now >= p_.sources[s].start && (!p_.sources[s].end || now < *p_.sources[s].end))
        shallow_water::pour(world.exec, flow_, discs_[s].disc, Real(h * discs_[s].rise),
                            columns(world));
  }

  double greatest_courant() const override { return 0.4; }

  void look(World& world) override {
    const Watch met = shallow_water::look(world.exec, flow_, columns(world));
    require_sound(world, met, 0, 0);
    speed_ = std::max(double(met.speed), edge_speed_);
  }

  void require_sound(World& world, const Watch& met, double h, double dt) const {
    if (std::isfinite(met.sum) && met.least_depth >= 0) return;
    const Columns at = columns(world);
    const Index c = shallow_water::first_lost(world.exec, flow_, at);
    if (c == flow_.cells() && h == 0) return;
    const double stable = stable_substep(0.4);
    std::string remedy = "in the state the run begins with: check bed, fill and velocity";
    if (h > stable)
      remedy = fmt::format(
          "dt {:.3g} s, the last good state allowed {:.3g} s: try \"substeps\": "
          "{:.0f}, or leave it out",
          dt, dt / h * stable, std::ceil(dt / stable));
    else if (h > 0)
      remedy = fmt::format("in a substep of {:.3g} s, which should be stable: try half of it", h);
    throw Diverged(
        fmt::format("on '{}': the water of row {} has a depth that is negative, or is "
                    "not finite; {}",
                    p_.water.name, c, remedy));
  }

  Buffer<std::byte> next_[3];
  std::optional<FloatingBodies> floating_;
  Buffer<Real> rest_;
  shallow_water::Layers layers_;
  std::vector<WaterDisc> discs_;
  std::optional<Hydrograph> hydrograph_[4];
  double edge_speed_ = 0;  // that water which comes in may have
  bool damped_ = false;
};

std::unique_ptr<Stage> make_shallow_water(const ShallowWaterParams& p, World& world) {
  if (p.scheme == WaterScheme::traced) return make_traced_water(p, world);
  return std::make_unique<ShallowWater>(p, world);
}

}  // namespace

StageType shallow_water_type() {
  return stage_type(
      "shallow_water",
      "Floods, waves and rivers as columns of water over a ground: finite volumes, second order.",
      "van Leer 1984 (MUSCL-Hancock), Harten, Lax & van Leer 1983 (HLL), Audusse et al., \"A fast "
      "and stable well-balanced scheme with hydrostatic reconstruction for shallow water flows\", "
      "SIAM J. Sci. Comput. 25, 2004, with the falls of Chen & Noelle 2017; under bodies after "
      "Casulli & Stelling, Int. J. Numer. Meth. Fluids 73, 2013",
      {"One velocity for a whole column: no breaking crests, dispersion or viscosity.",
       "First order at shocks, crests and shores; absorbing edges reflect oblique waves.",
       "Boundaries push water aside but do not carry it along; rigid bodies float, with couple."},
      "docs/shallow_water.md", make_shallow_water);
}

}  // namespace rtsim
