#include "sim/build/build.h"
#include "sim/records/diagnostics.h"
#include "sim/records/ledger.h"

namespace rtsim {

namespace {

// Runs `work` on every stage; what diverges names the stage.
template <class Work>
void for_stages(Simulation& sim, const Work& work) {
  for (PipelineStage& p : sim.pipeline) {
    try {
      work(*p.stage);
    } catch (const Diverged& e) {
      throw Diverged("stage '" + p.name + "': " + e.what());
    }
  }
}

}  // namespace

void advance(Simulation& sim, const Step& step) {
  for_stages(sim, [&](Stage& stage) { stage.advance(*sim.world, step); });
  for_stages(sim, [&](Stage& stage) {
    if (stage.stale(*sim.world)) stage.refresh(*sim.world, step.end());
  });
}

void refresh(Simulation& sim, double time) {
  for_stages(sim, [&](Stage& stage) { stage.refresh(*sim.world, time); });
}

void before_frame(Simulation& sim) {
  for_stages(sim, [&](Stage& stage) { stage.before_frame(*sim.world); });
}

void show(Simulation& sim, std::string_view table) {
  for_stages(sim, [&](Stage& stage) { stage.show(table); });
}

std::vector<Measurement> measure(Simulation& sim) {
  std::vector<Measurement> all;
  for (PipelineStage& p : sim.pipeline) {
    std::vector<Measurement> own;
    p.stage->measure(*sim.world, own);
    for (Measurement& m : own) all.push_back({p.name + "." + m.name, m.value, m.unit});
  }
  all = with_totals(std::move(all));
  const Energies e = energies_of(*sim.world, all);
  if (!e.known) return all;
  all.push_back({"total.energy", e.total(), "J"});
  all.push_back({"total.lost_energy", Ledger::lost(*sim.world, e.total(), e.work), "J"});
  return all;
}

}  // namespace rtsim
