#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "shapes/animated_shape.h"
#include "shapes/velocity_within.h"
#include "sources/emit.h"
#include "sources/nozzle.h"
#include "stage/inflow.h"
#include "stage/stage.h"

namespace rtsim {

// Where particles leave the shape of an emitter, in the shape's own frame: before its motion. The
// shape stands, or follows the frames of an animation. Then its places are found anew in each step
// in which particles leave, where it is at the start of the step, and go with its inside from
// there.
class Outlet {
 public:
  // Throws Error{bad_input} for a shape that nothing could leave.
  Outlet(const EmitParams&, double spacing, int dim);

  // To a step: a function of its times alone.
  void follow(const Step&);

  // None where a shape that deforms is too small for any.
  const std::vector<Vec3d>& places();
  const Cut& cut() const { return cut_; }                         // of layers, at least its plane
  const VelocityWithin* within() const { return within_.get(); }  // null: the shape stands
  // Where and how fast rows will begin, whenever it is.
  Inflow inflow() const;
  std::string warning() const { return frames_ ? frames_->warning() : ""; }

 private:
  void find_places();
  void check_frames();
  Inflow inflow_of_frames() const;

  EmitParams p_;
  double spacing_;
  int dim_;
  std::unique_ptr<const AnimatedShape> frames_;  // none: it stands
  std::unique_ptr<Shape> shape_;
  std::unique_ptr<const VelocityWithin> within_;
  SurfaceInMotion surface_;  // that shape_ and within_ are made from
  Cut cut_;
  std::optional<std::vector<Vec3d>> places_;  // none: not asked for since the shape moved
};

// A vector of the shape's own frame as it is at a pose.
inline Vec3d turned(const Pose& pose, const Vec3d& v) {
  return {{dot(pose.row[0], v), dot(pose.row[1], v), dot(pose.row[2], v)}};
}

}  // namespace rtsim
