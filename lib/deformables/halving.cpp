#include "deformables/halving.h"

#include <fmt/format.h>

namespace rtsim {

Halving::Halving(World& world, const std::string& stage)
    : state_(stage + ".state"), position_(world.exec), velocity_(world.exec) {
  world.add_table(state_, 1).add<std::int32_t>({"halvings", ""});
}

void Halving::advance(World& world, int substeps, Span<Vec<3>> position, Span<Vec<3>> velocity,
                      const Take& take) {
  const std::size_t bytes = std::size_t(position.size) * sizeof(Vec<3>);
  position_.resize(std::size_t(position.size)), velocity_.resize(std::size_t(velocity.size));
  world.exec.copy(position_.data(), position.data, bytes);
  world.exec.copy(velocity_.data(), velocity.data, bytes);
  std::int32_t halvings = world.table(state_).download<std::int32_t>("halvings")[0];
  Came came = take(substeps << halvings, halvings == most);
  while (came == Came::to_too_much && halvings < most) {
    world.exec.copy(position.data, position_.data(), bytes);
    world.exec.copy(velocity.data, velocity_.data(), bytes);
    ++halvings;
    came = take(substeps << halvings, halvings == most);
  }
  if (halvings > 0 && came == Came::to_little) --halvings;
  world.exec.upload(world.table(state_).column<std::int32_t>("halvings").data, &halvings,
                    sizeof halvings);
}

std::string Halving::warning(const std::string& mesh, int substeps) {
  return fmt::format(
      "'{}' got energy from what it touches, for it moves too far within {} substeps: take shorter "
      "steps",
      mesh, substeps);
}

void Halving::look(const EnergySum& before, const EnergySum& after, double fed) {
  const double made = after.all() - before.all() - fed;
  if (made > 0) made_ += made;
  made_energy_ = made_energy_ || made_ > unseen_ + 1e-3 * (before.kinetic + before.elastic);
}

}  // namespace rtsim
