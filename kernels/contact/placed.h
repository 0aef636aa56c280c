#pragma once
#include "boundary/place_samples.h"

// Places and directions between the world and the frame of a solid.
namespace rtsim::contact {

using boundary::Pose;

RTSIM_HD inline Vec<3> turned(const Pose& p, const Vec<3>& local) {
  return {{dot(p.rotation[0], local), dot(p.rotation[1], local), dot(p.rotation[2], local)}};
}
RTSIM_HD inline Vec<3> placed(const Pose& p, const Vec<3>& local) {
  return turned(p, local) + p.translation;
}
RTSIM_HD inline Vec<3> to_local(const Pose& p, const Vec<3>& x) {
  const Vec<3> d = x - p.translation;
  return d[0] * p.rotation[0] + d[1] * p.rotation[1] + d[2] * p.rotation[2];
}

}  // namespace rtsim::contact
