#pragma once
#include "rigid/shapes/clip.h"

namespace rtsim::rigid {

// The surface of a body or boundary that is one ball, capsule or cylinder: what rolls. A cylinder
// is round where it touches with its side.
template <int D>
struct RoundSurface {
  Vec<D> axis{};    // of a cylinder, in the body's frame
  Real radius = 0;  // [m]; 0 of all else

  static RoundSurface of(const Part<D>& p) {
    if (p.kind == PartKind::sphere || p.kind == PartKind::capsule) return {{}, p.radius};
    if (p.kind == PartKind::cylinder) return {p.axes[0], p.radius};
    return {};
  }
  // Where it touches along a unit normal.
  RTSIM_HD Real radius_along(const BodyPose<D>& pose, const Vec<D>& normal) const {
    if constexpr (D == 3)
      if (!lies(turned(pose.axes, axis), normal)) return 0;
    return radius;
  }
};

}  // namespace rtsim::rigid
