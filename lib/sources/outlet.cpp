#include "sources/outlet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "shapes/motion.h"
#include "shapes/sample.h"

namespace rtsim {

using Pattern = EmitParams::Pattern;

namespace {

constexpr double far = std::numeric_limits<double>::max();
constexpr Inflow nothing{{{far, far, far}}, {{-far, -far, -far}}};

void add(Inflow& all, const Vec3d& x, const Vec3d& v) {
  for (int a = 0; a < 3; ++a)
    all.low[a] = std::min(all.low[a], x[a]), all.high[a] = std::max(all.high[a], x[a]);
  all.speed = std::max(all.speed, norm(v));
}

}  // namespace

Outlet::Outlet(const EmitParams& p, double spacing, int dim)
    : p_(p), spacing_(spacing), dim_(dim), shape_(make_shape(*p.shape, dim)) {
  if (p.deformation) {
    frames_ = make_animated_shape(*p.shape, *p.deformation);
    check_frames();
    return;
  }
  if (p.pattern == Pattern::layers) {
    cut_ = cut_shape(*shape_, p.velocity, spacing, dim);
    places_ = cut_.points;
    return;
  }
  find_places();
  if (places_->empty())
    throw Error(ExitCode::bad_input,
                fmt::format("no lattice point of spacing {} m lies inside its shape", spacing));
}

void Outlet::find_places() {
  if (p_.pattern == Pattern::layers) {
    cut_ = cut_through(*shape_, p_.velocity, spacing_, dim_);
    places_ = cut_.points;
  } else {
    places_ = fill_lattice(*shape_, spacing_, dim_);
  }
}

// Between frames the shape is nowhere wider than in the wider one of them.
void Outlet::check_frames() {
  bool any = false;
  for (const double time : frames_->moments()) {
    shape_ = frames_->shape_at(time);
    if (p_.pattern == Pattern::layers) {
      const Cut plane = plane_of_cut(*shape_, p_.velocity, dim_);
      const double most = 4 * plane.half[0] * plane.half[1] / (spacing_ * spacing_);
      if (most > 1e8)
        throw Error(ExitCode::bad_input,
                    fmt::format("a layer of its frame at {:.6g} s would have {:.2g} particles; use "
                                "a smaller shape or a larger spacing",
                                time, most));
    }
    if (any) continue;
    find_places();
    any = !places_->empty();
  }
  if (!any)
    throw Error(ExitCode::bad_input,
                fmt::format("none of its frames holds a lattice point of spacing {} m{}; use a "
                            "larger shape",
                            spacing_,
                            p_.pattern == Pattern::layers
                                ? " in the cut through its middle, across the velocity"
                                : ""));
}

void Outlet::follow(const Step& step) {
  if (!frames_) return;
  SurfaceInMotion now = frames_->leaving(step.end(), step.dt);
  if (within_ && now == surface_) return;
  surface_ = std::move(now);
  shape_ = frames_->shape_of(surface_);
  within_ = std::make_unique<const VelocityWithin>(surface_.surface, surface_.velocity);
  if (p_.pattern == Pattern::layers) cut_ = plane_of_cut(*shape_, p_.velocity, dim_);
  places_.reset();
}

const std::vector<Vec3d>& Outlet::places() {
  if (!places_) find_places();
  return *places_;
}

Inflow Outlet::inflow() const {
  if (frames_) return inflow_of_frames();
  Inflow all = nothing;
  for (const double time : moments_of(p_.motion)) {
    const Pose pose = pose_at(p_.motion, time);
    for (const Vec3d& local : *places_) {
      const Vec3d x = pose.apply(local);
      add(all, x, turned(pose, p_.velocity) + pose.velocity_at(x));
    }
  }
  return all;
}

// Of the corners, within which the places are.
Inflow Outlet::inflow_of_frames() const {
  std::vector<double> moments = frames_->moments();
  std::ranges::copy(moments_of(p_.motion), std::back_inserter(moments));
  Inflow all = nothing;
  for (const double time : moments) {
    const Pose pose = pose_at(p_.motion, time);
    const SurfaceInMotion s = frames_->leaving(time, 0);
    for (std::size_t i = 0; i < s.velocity.size(); ++i) {
      const Vec3d x = pose.apply(s.surface.vertices[i]);
      add(all, x, turned(pose, p_.velocity) + pose.velocity_at(x) + turned(pose, s.velocity[i]));
    }
  }
  return all;
}

}  // namespace rtsim
