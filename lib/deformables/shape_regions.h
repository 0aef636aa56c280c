#pragma once
#include <optional>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "param/describe.h"
#include "pbd/shape_match.h"
#include "world/world.h"

namespace rtsim {

enum class ShapeMode { rigid, linear, quadratic };

struct ShapeMatchingParams {
  ShapeMode mode = ShapeMode::rigid;
  double stiffness = 1;
  double beta = 0.5;
  std::optional<double> region;  // [m]; none: the whole mesh
};

void describe(Describe&, ShapeMatchingParams&);

// A mesh that is drawn to its shape at the start, whole or in regions that overlap. Scratch: all of
// it follows from the start.
class ShapeMatching {
 public:
  ShapeMatching(const ShapeMatchingParams&, World&, const std::string& mesh,
                const std::vector<Vec3d>& rest);

  // By a share of the way to the goals.
  void project(World&, double share, Span<Row4> place);

 private:
  std::vector<std::vector<Index>> regions_of(const std::vector<Vec3d>& rest) const;
  int terms() const;

  ShapeMatchingParams p_;
  Buffer<Index> first_, point_, first_slot_, slots_;
  Buffer<double> size_, mean_, inverse_;
  Buffer<Vec<3>> rest_, goals_;
  Buffer<Real> mass_;
  Buffer<std::uint8_t> rigid_;
};

}  // namespace rtsim
