#pragma once
#include <string>
#include <vector>

#include "world/world.h"

namespace rtsim {

// What a stage brings into a fluid: from where, and how fast. It tells it while stages are made, so
// that those which derive a speed from what is there at the start know of it.
struct Inflow {
  Vec3d low, high;   // [m] where rows begin
  double speed = 0;  // [m/s] the greatest

  static void tell(World& world, const std::string& fluid, const Inflow& inflow) {
    Table& t = world.add_table(table(fluid, of(world, fluid).size()), 1);
    t.add<Vec3d>({"low", "m", Role::scratch}, {inflow.low});
    t.add<Vec3d>({"high", "m", Role::scratch}, {inflow.high});
    t.add<double>({"speed", "m/s", Role::scratch}, {inflow.speed});
  }
  static std::vector<Inflow> of(World& world, const std::string& fluid) {
    std::vector<Inflow> all;
    while (world.has_table(table(fluid, all.size()))) {
      Table& t = world.table(table(fluid, all.size()));
      all.push_back({t.download<Vec3d>("low")[0], t.download<Vec3d>("high")[0],
                     t.download<double>("speed")[0]});
    }
    return all;
  }

 private:
  static std::string table(const std::string& fluid, std::size_t number) {
    return fluid + ".inflow." + std::to_string(number);
  }
};

}  // namespace rtsim
