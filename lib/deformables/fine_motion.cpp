#include "deformables/fine_motion.h"

#include <algorithm>
#include <functional>

namespace rtsim {

namespace {

// Inner points of a regular block of tetrahedra weigh 24 times its corners: those are alike.
constexpr Real alike = 32;

// Of the lightest tenth of what can move: that is of no heavy ones, unless nearly all are.
Real lightest(const std::vector<Real>& inverse_mass) {
  std::vector<Real> w;
  for (const Real each : inverse_mass)
    if (each > 0) w.push_back(each);
  if (w.empty()) return 0;
  const auto tenth = w.begin() + std::ptrdiff_t(w.size() / 10);
  std::nth_element(w.begin(), tenth, w.end(), std::greater<>());
  return *tenth;
}

}  // namespace

FineMotion::FineMotion(World& world, const std::string& mesh)
    : mass_(world.table(mesh).download<Real>("mass")),
      rows_(world.exec),
      place_(world.exec),
      velocity_(world.exec),
      moved_(world.exec) {}

// By a mass of others, which the points have beside their own, or among each other.
bool FineMotion::uneven(const std::vector<Real>& inverse_mass) const {
  const Real least = lightest(inverse_mass) / alike;
  for (std::size_t i = 0; i < inverse_mass.size(); ++i)
    if (const Real w = inverse_mass[i]; w > 0 && (2 * w * mass_[i] < 1 || w < least)) return true;
  return false;
}

void FineMotion::find(const std::vector<Real>& inverse_mass) {
  std::vector<Index> rows;
  if (uneven(inverse_mass))
    for (std::size_t i = 0; i < inverse_mass.size(); ++i)
      if (inverse_mass[i] > 0) rows.push_back(Index(i));
  rows_.upload(rows), place_.resize(rows.size()), velocity_.resize(rows.size());
  moved_.resize(rows.empty() ? 0 : inverse_mass.size());
  moved_.zero();
}

}  // namespace rtsim
