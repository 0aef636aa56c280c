#include "remove/remove.h"

#include "exec/parallel.h"

namespace rtsim::removal {

namespace {

template <int D>
struct Mark {
  HalfSpaces region;
  bool outside;
  Span<const Vec<D>> position;
  Span<std::uint32_t> doomed;

  RTSIM_HD void operator()(Index i) const {
    bool inside = true, beyond = false;
    for (int k = 0; k < region.count; ++k) {
      Real along = 0;
      for (int a = 0; a < D; ++a) along += region.normal[k][a] * position[i][a];
      inside = inside && along < region.offset[k];
      beyond = beyond || along >= region.offset[k];
    }
    doomed[i] = outside ? beyond : inside;
  }
};

}  // namespace

template <int D>
void mark(const Exec& ex, const HalfSpaces& region, bool outside, Span<const Vec<D>> position,
          Span<std::uint32_t> doomed) {
  parallel_for(ex, "remove.mark", position.size, Mark<D>{region, outside, position, doomed});
}

template void mark<2>(const Exec&, const HalfSpaces&, bool, Span<const Vec<2>>,
                      Span<std::uint32_t>);
template void mark<3>(const Exec&, const HalfSpaces&, bool, Span<const Vec<3>>,
                      Span<std::uint32_t>);

}  // namespace rtsim::removal
