#pragma once
#include <string>
#include <vector>

#include "shallow_water/bodies.h"
#include "world/world.h"

namespace rtsim {

// Boundaries that stand or move in the water, as shallow_water sees them: its column `bed` is the
// ground of the start, raised by what of them lies between it and the surface of the start.
class WaterBodies {
 public:
  WaterBodies(World&, const std::string& water, const std::vector<std::string>& boundaries);

  bool empty() const { return maps_.empty(); }
  bool moving() const { return moving_; }
  // After the boundaries moved: writes the column `bed`.
  void update(World&);
  // How much water they push aside [m^3].
  double displaced() const;

 private:
  struct Map {
    std::string boundary;
    GridShape grid;
    Buffer<Real> distance;
  };
  shallow_water::Body place(const Map&, World&) const;

  Exec ex_;
  std::string water_;
  GridShape columns_;
  std::vector<Map> maps_;
  bool moving_ = false;
  Buffer<Real> ground_, still_, raised_;
};

}  // namespace rtsim
