#include "deformables/halving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rtsim {

Halving::Halving(World& world, const std::string& stage, Energy energy)
    : state_(stage + ".state"), energy_(energy), position_(world.exec), velocity_(world.exec) {
  Table& state = world.add_table(state_, 1);
  state.add<std::int32_t>({"halvings", ""});
  if (energy == Energy::swings) state.add<double>({"risen", "J"});
}

void Halving::advance(World& world, int substeps, Span<Vec<3>> position, Span<Vec<3>> velocity,
                      const Take& take) {
  const std::size_t bytes = std::size_t(position.size) * sizeof(Vec<3>);
  position_.resize(std::size_t(position.size)), velocity_.resize(std::size_t(velocity.size));
  world.exec.copy(position_.data(), position.data, bytes);
  world.exec.copy(velocity_.data(), velocity.data, bytes);
  Table& state = world.table(state_);
  std::int32_t halvings = state.download<std::int32_t>("halvings")[0];
  if (energy_ == Energy::swings) risen_ = state.download<double>("risen")[0];
  Came came = take(substeps << halvings, halvings == most);
  while (came == Came::to_too_much && halvings < most) {
    world.exec.copy(position.data, position_.data(), bytes);
    world.exec.copy(velocity.data, velocity_.data(), bytes);
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
