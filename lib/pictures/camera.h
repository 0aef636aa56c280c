#pragma once
#include <string>

#include "pictures/raster.h"

namespace rtsim {

// What is to be seen.
struct View {
  Vec3d low{{1e300, 1e300, 1e300}}, high{{-1e300, -1e300, -1e300}};  // [m]

  void add(const Vec3d& x);
  bool empty() const { return low[0] > high[0]; }
};

// From where it is seen: "front" along -z, "side" along -x, "top" along -y, "corner" down from the
// front, right and above.
struct CameraSpec {
  std::string from = "corner";
  double zoom = 1;  // 1: all fits
};

// A pinhole far enough away for all to fit; of plane scenes, and straight from a side, one at
// infinity.
class Camera {
 public:
  // Throws Error{usage} for an unknown side.
  Camera(const CameraSpec&, const View&, int dim, int width, int height);

  // Where on the screen [pixels, y down], and how far along the line of sight [m].
  Vec3f project(const Vec3f& x) const {
    const Vec3f r = x - centre_;
    const float away = distance_ - dot(r, towards_);
    const float s = perspective_ ? scale_ / away : scale_;
    return {{half_width_ + s * dot(r, right_), half_height_ - s * dot(r, up_), away}};
  }
  // Pixels to a metre so far away.
  float scale(float away) const { return perspective_ ? scale_ / away : scale_; }
  float scale_in_middle() const { return scale(distance_); }
  // A direction in the axes of the screen: right, up, to the viewer.
  Vec3f turned(const Vec3f& n) const { return {{dot(n, right_), dot(n, up_), dot(n, towards_)}}; }
  // The line of sight through a pixel: where it begins, and where it goes, of length 1.
  void ray(float x, float y, Vec3f& from, Vec3f& along) const;
  // How far along a ray of that direction something so far away is.
  float reach(const Vec3f& along, float away) const { return -away / dot(along, towards_); }

 private:
  Vec3f centre_, right_, up_, towards_;
  float distance_ = 0, scale_ = 1, half_width_, half_height_;
  bool perspective_;
};

}  // namespace rtsim
