#pragma once
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "pbd/pressure.h"
#include "world/world.h"

namespace rtsim {

// A closed surface that keeps `pressure` times its volume at rest.
class Balloon {
 public:
  Balloon(World&, const std::string& mesh, double pressure, const std::vector<Vec3d>& rest);

  void forget_multipliers() { lambda_ = 0; }
  void project(World&, const pbd::Softness&, Span<Row4> place, const pbd::Told&);
  double volume(World&, Span<const Vec<3>> position) const;  // [m^3]

 private:
  pbd::Surface surface(World&) const;

  std::string mesh_;
  Buffer<Index> first_, slots_;  // where points stand in triangles
  Buffer<Vec<3>> gradient_;
  double rest_ = 0;  // [m^3]
  double lambda_ = 0;
};

}  // namespace rtsim
