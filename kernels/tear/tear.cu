#include "tear/tear.h"

#include "exec/parallel.h"

namespace rtsim::tear {

namespace {

struct StrainOf {
  Span<const VecT<std::int32_t, 2>> ends;
  Span<const Real> length;
  Span<const std::uint32_t> torn;
  Span<const Vec<3>> x;
  Span<Real> strain;
  RTSIM_HD void operator()(Index e) const {
    strain[e] = torn[e] ? Real(-1) : norm(x[ends[e][1]] - x[ends[e][0]]) / length[e] - 1;
  }
};

struct Tear {
  Real limit;
  Star star;
  Span<const Real> strain;
  Span<std::uint32_t> torn;

  RTSIM_HD Index operator()(Index e) const {
    if (!(strain[e] > limit) || outdone(e, star.ends[e][0]) || outdone(e, star.ends[e][1]))
      return 0;
    torn[e] = 1;
    return 1;
  }
  RTSIM_HD bool outdone(Index e, Index point) const {
    for (Index s = star.first[point]; s < star.first[point + 1]; ++s) {
      const Index o = star.slots[s] / 2;
      if (strain[o] > strain[e] || (strain[o] == strain[e] && o < e)) return true;
    }
    return false;
  }
};

struct Torn {
  Span<const std::uint32_t> torn;
  RTSIM_HD Index operator()(Index e) const { return torn[e] ? 1 : 0; }
};

}  // namespace

void strains(const Exec& ex, Span<const VecT<std::int32_t, 2>> ends, Span<const Real> length,
             Span<const std::uint32_t> torn, Span<const Vec<3>> position, Span<Real> strain) {
  parallel_for(ex, "tear.strains", ends.size, StrainOf{ends, length, torn, position, strain});
}

Index tear(const Exec& ex, Real limit, const Star& star, Span<const Real> strain,
           Span<std::uint32_t> torn) {
  return reduce(ex, "tear.tear", torn.size, Index(0), Tear{limit, star, strain, torn}, Plus{});
}

Index count(const Exec& ex, Span<const std::uint32_t> torn) {
  return reduce(ex, "tear.count", torn.size, Index(0), Torn{torn}, Plus{});
}

}  // namespace rtsim::tear
