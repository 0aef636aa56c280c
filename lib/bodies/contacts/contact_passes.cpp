#include "bodies/contacts/contact_passes.h"

#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

// What a pass changes is little where bodies bear many times their own mass: a bowl of bodies of
// all sizes overlaps by 20 mm with one pass, by 8 with two. Piles of like boxes rest by one.
int for_load(int dim, double load) { return dim == 3 && load > 0.25 ? 2 : 1; }

// [s] three times what it takes a contact to give way to its load.
double settling(const rigid::Stiffness& s) {
  return 3 * std::max(2 * double(s.damping), 1.0) / double(s.omega);
}

}  // namespace

ContactPasses::ContactPasses(World& world, const std::string& stage) : table_(stage + ".settling") {
  Table& t = world.add_table(table_, 1);
  t.add<double>({"left", "s"});
}

// What is put down touching has no impulses of a step before, and what stands just so falls while
// it finds them: five plates at 0.96 of their greatest overhang take more than 100 passes. As many
// as large piles can pay, but 16: friction at the foot of a cube takes a fifth of the slip away a
// pass, half of 1 / 2.5, since the cube also turns until its pressures stop that, so they leave 3 %
// of it. Then contacts give, loads change, and what has no pressure for a moment slides: an eighth
// as many passes keep it (pyramids of 4900 boxes drift by 0.60 mm instead of 1.3).
void ContactPasses::begin(World& world, double dt, const rigid::Stiffness& stiffness, bool fresh,
                          Index contacts, double load) {
  const auto left = world.table(table_).template column<double>("left");
  double now = 0;
  world.exec.download(&now, left.data, sizeof now);
  if (fresh && contacts > 0) now = settling(stiffness);
  const Index paid = 2000000 / std::max(contacts, Index(1));
  each_ = for_load(world.dim, load);
  if (now > 0) each_ = int(std::clamp(paid / 8, Index(each_), Index(16)));
  first_ = fresh ? int(std::clamp(paid, Index(16), Index(400))) : each_;
  now = std::max(now - dt, 0.0);
  world.exec.upload(left.data, &now, sizeof now);
}

}  // namespace rtsim
