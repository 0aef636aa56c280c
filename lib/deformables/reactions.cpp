#include "deformables/reactions.h"

namespace rtsim {

Reactions::Reactions(World& world, const std::string& mesh)
    : ex_(world.exec), kept_(world.exec), sum_(world.exec) {
  Table& t = world.table(mesh);
  if (!t.has("holders")) return;
  mesh_ = mesh;
  t.add<Vec<3>>({"reaction", "N s"}), t.add<Vec<3>>({"load", "N s"});
  sum_.resize(std::size_t(t.rows()));
}

void Reactions::begin() {
  if (wanted()) sum_.zero();
}

void Reactions::add(const attach::HeldPoints& p, Span<const Row4> push, double scale,
                    const attach::Loads& loads) {
  if (!wanted()) return;
  attach::react(ex_, p, Real(scale), push, loads, sum_.span());
  if (p.velocity.size > 0) work_ = attach::work(ex_, p, Real(scale), push, loads);
}

void Reactions::keep(Span<const Row4> push, double scale) {
  if (!wanted()) return;
  kept_.resize(sum_.size()), scale_ = scale;
  ex_.copy(kept_.data(), push.data, kept_.size() * sizeof(Row4));
}
void Reactions::add_kept(const attach::HeldPoints& p, const attach::Loads& loads) {
  add(p, kept_.span(), scale_, loads);
}

void Reactions::end(World& world) {
  if (!wanted()) return;
  Table& t = world.table(mesh_);
  attach::conclude(ex_, {t.column<const Real>("mass"), t.column<const Real>("inverse_mass")},
                   sum_.span(), t.column<Vec<3>>("load"), t.column<Vec<3>>("reaction"));
}

}  // namespace rtsim
