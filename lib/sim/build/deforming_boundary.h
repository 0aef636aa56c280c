#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "boundary/place_bound.h"
#include "exec/buffer.h"
#include "shapes/animated_shape.h"
#include "world/world.h"

namespace rtsim {

// The samples of a boundary for a fluid.
struct SampledFor {
  std::string table;
  double spacing;  // [m] of the fluid
  int layers;
};

// Keeps the corners, the triangles and the samples of a boundary that deforms where they are.
class DeformingBoundary {
 public:
  DeformingBoundary(World&, std::string boundary, MotionSpec, std::shared_ptr<const AnimatedShape>,
                    std::vector<SampledFor>);

  // At the end of a step of dt.
  void put(World&, double time, double dt);

 private:
  struct Samples {
    SampledFor made;
    std::uint64_t revision = 0;
    Buffer<boundary::Bound> bound;
  };
  void lay_out(World&, std::size_t surface);
  void sample_anew(World&, Samples&, std::size_t surface);
  void bind(World&, Samples&, std::size_t surface);

  std::string boundary_;
  MotionSpec motion_;
  std::shared_ptr<const AnimatedShape> shape_;
  std::optional<std::size_t> surface_;  // that is carried
  std::uint64_t revision_ = 0;          // of the corners
  std::deque<Samples> samples_;
};

}  // namespace rtsim
