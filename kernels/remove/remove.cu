#include "remove/remove.h"

#include "exec/parallel.h"

namespace rtsim::removal {

namespace {

template <int D>
struct Mark {
  region::HalfSpaces region;
  bool outside;
  Span<const Vec<D>> position;
  Span<std::uint32_t> doomed;

  RTSIM_HD void operator()(Index i) const {
    doomed[i] = outside ? region.beyond(position[i]) : region.inside(position[i]);
  }
};

template <int D>
struct LeavingRow {
  Span<const std::uint32_t> doomed;
  Span<const Vec<D>> position, velocity;

  RTSIM_HD Leaving operator()(Index i) const {
    Leaving l;
    if (doomed[i] == 0) return l;
    const Vec3d x = widen(position[i]), v = widen(velocity[i]);
    l.kinetic = 0.5 * dot(v, v);
    for (int k = 0; k < 3; ++k) l.place[k] = x[k];
    return l;
  }
};
struct AddLeaving {
  RTSIM_HD Leaving operator()(Leaving a, const Leaving& b) const {
    a.kinetic += b.kinetic;
    for (int k = 0; k < 3; ++k) a.place[k] += b.place[k];
    return a;
  }
};

}  // namespace

template <int D>
void mark(const Exec& ex, const region::HalfSpaces& region, bool outside,
          Span<const Vec<D>> position, Span<std::uint32_t> doomed) {
  parallel_for(ex, "remove.mark", position.size, Mark<D>{region, outside, position, doomed});
}

template <int D>
Leaving leaving(const Exec& ex, Span<const std::uint32_t> doomed, Span<const Vec<D>> position,
                Span<const Vec<D>> velocity) {
  return reduce(ex, "remove.leaving", doomed.size, Leaving{},
                LeavingRow<D>{doomed, position, velocity}, AddLeaving{});
}

template Leaving leaving<2>(const Exec&, Span<const std::uint32_t>, Span<const Vec<2>>,
                            Span<const Vec<2>>);
template Leaving leaving<3>(const Exec&, Span<const std::uint32_t>, Span<const Vec<3>>,
                            Span<const Vec<3>>);
template void mark<2>(const Exec&, const region::HalfSpaces&, bool, Span<const Vec<2>>,
                      Span<std::uint32_t>);
template void mark<3>(const Exec&, const region::HalfSpaces&, bool, Span<const Vec<3>>,
                      Span<std::uint32_t>);

}  // namespace rtsim::removal
