#include "rigid/motion/body_samples.h"

#include "exec/parallel.h"

namespace rtsim::rigid {

namespace {

template <int D>
struct PlaceSample {
  Bodies<D> bodies;
  Span<const Index> owner;
  Span<const Vec<D>> local;
  Span<Vec<D>> position, velocity;

  RTSIM_HD void operator()(Index i) const {
    const Index b = owner[i];
    const Vec<D> arm = turned(bodies.orientation[b], local[i]);
    position[i] = bodies.position[b] + arm;
    velocity[i] = bodies.velocity[b] + turning(bodies.angular_velocity[b], arm);
  }
};

}  // namespace

template <int D>
void place_samples(const Exec& ex, const Bodies<D>& bodies, Span<const Index> owner,
                   Span<const Vec<D>> local, Span<Vec<D>> position, Span<Vec<D>> velocity) {
  parallel_for(ex, "rigid.place_samples", owner.size,
               PlaceSample<D>{bodies, owner, local, position, velocity});
}

#define RTSIM_INSTANTIATE(D)                                                       \
  template void place_samples<D>(const Exec&, const Bodies<D>&, Span<const Index>, \
                                 Span<const Vec<D>>, Span<Vec<D>>, Span<Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
