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

}  // namespace

template <int D>
void mark(const Exec& ex, const region::HalfSpaces& region, bool outside,
          Span<const Vec<D>> position, Span<std::uint32_t> doomed) {
  parallel_for(ex, "remove.mark", position.size, Mark<D>{region, outside, position, doomed});
}

template void mark<2>(const Exec&, const region::HalfSpaces&, bool, Span<const Vec<2>>,
                      Span<std::uint32_t>);
template void mark<3>(const Exec&, const region::HalfSpaces&, bool, Span<const Vec<3>>,
                      Span<std::uint32_t>);

}  // namespace rtsim::removal
