#include "boundary/place_samples.h"

#include "exec/parallel.h"

namespace rtsim::boundary {

namespace {

template <int D>
struct PlaceSample {
  Pose pose;
  Span<const Vec<D>> local;
  Span<Vec<D>> position, velocity;

  RTSIM_HD void operator()(Index i) const {
    Vec<3> x0, x;
    for (int k = 0; k < D; ++k) x0[k] = local[i][k];
    for (int k = 0; k < 3; ++k) x[k] = dot(pose.rotation[k], x0) + pose.translation[k];
    const Vec<3> v = pose.velocity + cross(pose.angular_velocity, x - pose.centre);
    for (int k = 0; k < D; ++k) position[i][k] = x[k], velocity[i][k] = v[k];
  }
};

}  // namespace

template <int D>
void place_samples(const Exec& ex, const Pose& pose, Span<const Vec<D>> local,
                   Span<Vec<D>> position, Span<Vec<D>> velocity) {
  parallel_for(ex, "boundary.place", local.size, PlaceSample<D>{pose, local, position, velocity});
}

template void place_samples<2>(const Exec&, const Pose&, Span<const Vec<2>>, Span<Vec<2>>,
                               Span<Vec<2>>);
template void place_samples<3>(const Exec&, const Pose&, Span<const Vec<3>>, Span<Vec<3>>,
                               Span<Vec<3>>);

}  // namespace rtsim::boundary
