#include "deformables/halving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rtsim {

Halving::Halving(World& world, const std::string& stage, Energy energy)
    : state_(stage + ".state"), energy_(energy) {
  Table& state = world.add_table(state_, 1);
  state.add<std::int32_t>({"halvings", ""});
  if (energy == Energy::swings) state.add<double>({"risen", "J"});
}

void Halving::advance(World& world, int substeps, const std::vector<Span<Vec<3>>>& points,
                      const Take& take) {
  while (start_.size() < points.size()) start_.emplace_back(world.exec);
  for (std::size_t k = 0; k < points.size(); ++k) {
    start_[k].resize(std::size_t(points[k].size));
    world.exec.copy(start_[k].data(), points[k].data, start_[k].size() * sizeof(Vec<3>));
  }
  Table& state = world.table(state_);
  std::int32_t halvings = state.download<std::int32_t>("halvings")[0];
  if (energy_ == Energy::swings) risen_ = state.download<double>("risen")[0];
  Came came = take(substeps << halvings, halvings == most);
  while (came == Came::to_too_much && halvings < most) {
    for (std::size_t k = 0; k < points.size(); ++k)
      world.exec.copy(points[k].data, start_[k].data(), start_[k].size() * sizeof(Vec<3>));
    ++halvings;
    came = take(substeps << halvings, halvings == most);
  }
  if (halvings > 0 && came == Came::to_little) --halvings;
  world.exec.upload(state.column<std::int32_t>("halvings").data, &halvings, sizeof halvings);
  if (energy_ == Energy::falls) return;
  if (made_energy_) made_ = 0;  // as much as it is, it is what is swung about from now on
  world.exec.upload(state.column<double>("risen").data, &made_, sizeof made_);
}

std::string Halving::warning(const std::string& mesh, int substeps) {
  return fmt::format(
      "'{}' got energy that nobody fed, for it moves too far within {} substeps: take shorter "
      "steps",
      mesh, substeps);
}

void Halving::look(const EnergySum& before, const EnergySum& after, double fed) {
  const double made = after.all() - before.all() - fed;
  const auto motion = [](const EnergySum& e) { return e.kinetic + e.elastic; };
  const double there = std::max(motion(before), motion(after));
  double most = unseen_ + 2 * std::sqrt(rounding_ * there) + rounding_;
  if (energy_ == Energy::swings) {
    most += 1e-2 * there;
    made_ = std::max(0.0, made_ + made);
  } else {
    most += 1e-3 * motion(before);
    if (made > 0) made_ += made;
  }
  made_energy_ = made_energy_ || made_ > most;
}

}  // namespace rtsim
