#include "emit/emit.h"

#include "exec/parallel.h"

namespace rtsim::emit {

namespace {

template <int D>
struct Guide {
  region::HalfSpaces region;
  Stream stream;
  Span<const Vec<D>> position;
  Span<Vec<D>> velocity;

  RTSIM_HD void operator()(Index i) const {
    if (!region.inside(position[i])) return;
    Vec<3> x;
    for (int a = 0; a < D; ++a) x[a] = position[i][a];
    const Vec<3> v = stream.velocity + cross(stream.angular_velocity, x - stream.centre);
    for (int a = 0; a < D; ++a) velocity[i][a] = v[a];
  }
};

}  // namespace

template <int D>
void guide(const Exec& ex, const region::HalfSpaces& region, const Stream& stream,
           Span<const Vec<D>> position, Span<Vec<D>> velocity) {
  parallel_for(ex, "emit.guide", position.size, Guide<D>{region, stream, position, velocity});
}

template void guide<2>(const Exec&, const region::HalfSpaces&, const Stream&, Span<const Vec<2>>,
                       Span<Vec<2>>);
template void guide<3>(const Exec&, const region::HalfSpaces&, const Stream&, Span<const Vec<3>>,
                       Span<Vec<3>>);

}  // namespace rtsim::emit
