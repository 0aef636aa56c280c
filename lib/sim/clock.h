#pragma once

namespace rtsim {

// Steps and frames as whole numbers; every time is a product, never a running sum.
struct Clock {
  double dt = 1e-3;  // [s]
  long steps_per_frame = 10;
  long frames = 10;  // after frame 0

  long steps() const { return frames * steps_per_frame; }
  double time(long step) const { return double(step) * dt; }
  bool frame_due(long steps_done) const { return steps_done % steps_per_frame == 0; }
  long frame(long steps_done) const { return steps_done / steps_per_frame; }
};

}  // namespace rtsim
