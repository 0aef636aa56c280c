#pragma once
#include <optional>
#include <string>

namespace rtsim {

// Frames first, first + step, ... before `end`, as Python's slices.
struct FrameRange {
  long first = 0;
  std::optional<long> end;  // none: to the last
  long step = 1;

  bool holds_all() const { return first == 0 && !end && step == 1; }
  bool holds(long frame) const {
    return frame >= first && (!end || frame < *end) && (frame - first) % step == 0;
  }
};

// "12", "a:b", "a:b:c", each number but the step may be left out. Throws Error{usage}.
FrameRange parse_frame_range(const std::string& text);

}  // namespace rtsim
