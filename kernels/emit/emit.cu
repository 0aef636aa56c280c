#include "emit/emit.h"

#include "exec/parallel.h"

namespace rtsim::emit {

namespace {

template <int D, class S>
struct Guide {
  region::HalfSpaces region;
  S stream;
  Span<const Vec<D>> position;
  Span<Vec<D>> velocity;

  RTSIM_HD double operator()(Index i) const {
    if (!region.inside(position[i])) return 0;
    Vec<3> x;
    for (int a = 0; a < D; ++a) x[a] = position[i][a];
    const Vec<3> v = stream.at(x);
    double twice = 0;
    for (int a = 0; a < D; ++a) {
      const double before = double(velocity[i][a]), after = double(v[a]);
      twice += (after - before) * (after + before);
      velocity[i][a] = v[a];
    }
    return 0.5 * twice;
  }
};

}  // namespace

template <int D, class S>
double guide(const Exec& ex, const region::HalfSpaces& region, const S& stream,
             Span<const Vec<D>> position, Span<Vec<D>> velocity) {
  return reduce(ex, "emit.guide", position.size, 0.0,
                Guide<D, S>{region, stream, position, velocity}, Plus{});
}

template double guide<2>(const Exec&, const region::HalfSpaces&, const Stream&, Span<const Vec<2>>,
                         Span<Vec<2>>);
template double guide<3>(const Exec&, const region::HalfSpaces&, const Stream&, Span<const Vec<3>>,
                         Span<Vec<3>>);
template double guide<3>(const Exec&, const region::HalfSpaces&, const LinearStream&,
                         Span<const Vec<3>>, Span<Vec<3>>);

}  // namespace rtsim::emit
