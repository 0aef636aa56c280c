#include "clouds/clouds.h"

#include "mac/for_rows.h"

namespace rtsim::clouds {

using mac::Domain;

namespace {

struct Condense {
  Domain domain;
  Ambient ambient;
  Air air;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index r = domain.row(mac::centres, i, j, k);
    const Real pi = ambient.exner[j];
    const Parcel<Real> p = clouds::condense<Real>(
        {pi * air.temperature[r], air.vapour[r], air.cloud[r]}, ambient.pressure[j]);
    if (p.cloud == 0 && air.cloud[r] == 0) return;  // as it was, to the last bit
    air.temperature[r] = p.temperature / pi, air.vapour[r] = p.vapour, air.cloud[r] = p.cloud;
  }
};

struct FindLift {
  Domain domain;
  Ambient ambient;
  Air air;
  Real* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index r = domain.row(mac::centres, i, j, k);
    out[r] = lift(air.temperature[r], air.vapour[r], air.cloud[r], ambient.temperature[j],
                  ambient.vapour[j]);
  }
};

struct LayerOf {
  Domain domain;
  const Real* cloud;
  Real least;

  RTSIM_HD Extent operator()(Index r) const {
    if (!(cloud[r] > least)) return {};
    const Index j = r / domain.cells[0] % domain.cells[1];
    return {j, j};
  }
};

struct Widest {
  RTSIM_HD Extent operator()(const Extent& a, const Extent& b) const {
    if (a.low < 0) return b;
    if (b.low < 0) return a;
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

}  // namespace

void condense(const Exec& ex, const Domain& d, const Ambient& ambient, const Air& air) {
  mac::for_rows(ex, "clouds.condense", d, mac::centres, Condense{d, ambient, air});
}

void find_lift(const Exec& ex, const Domain& d, const Ambient& ambient, const Air& air,
               Span<Real> out) {
  mac::for_rows(ex, "clouds.lift", d, mac::centres, FindLift{d, ambient, air, out.data});
}

Extent extent(const Exec& ex, const Domain& d, Span<const Real> cloud, Real least) {
  return reduce(ex, "clouds.extent", cloud.size, Extent{}, LayerOf{d, cloud.data, least}, Widest{});
}

}  // namespace rtsim::clouds
