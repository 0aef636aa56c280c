#include "source/source.h"

#include <cmath>

#include "mac/for_rows.h"

namespace rtsim::source {

using mac::Domain;

namespace {

struct Share {
  Domain domain;
  int lattice;
  Place place;

  RTSIM_HD Real distance(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k};
    if (lattice == mac::centres) return place.distance[domain.row(mac::centres, i, j, k)];
    const Index n = domain.cells[lattice], m = at[lattice];
    Index low[3] = {i, j, k}, high[3] = {i, j, k};  // the cells beside a face
    const bool wraps = domain.periodic(lattice);
    low[lattice] = m > 0 ? m - 1 : (wraps ? n - 1 : 0);
    high[lattice] = m < n ? m : (wraps ? 0 : n - 1);
    return Real(0.5) * (place.distance[domain.row(mac::centres, low[0], low[1], low[2])] +
                        place.distance[domain.row(mac::centres, high[0], high[1], high[2])]);
  }

  RTSIM_HD Real at(Index i, Index j, Index k) const {
    if (place.distance) {
      const Real s = Real(0.5) - distance(i, j, k) / domain.spacing;
      return s > 0 ? (s < 1 ? s : Real(1)) : Real(0);
    }
    const Index at[3] = {i, j, k};
    Real q = 0;
    for (int a = 0; a < domain.dims; ++a) {
      const Real x = Real(at[a]) + (a == lattice ? Real(0) : Real(0.5)) - place.centre[a];
      q += (x * place.inverse_radius) * (x * place.inverse_radius);
    }
    return std::exp(-q);
  }
};

struct Apply {
  Share share;
  Amount amount;
  Real* x;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Real s = share.at(i, j, k);
    if (s == 0) return;
    Real& v = x[share.domain.row(share.lattice, i, j, k)];
    const Real value = amount.value + (amount.slope[0] * Real(i) + amount.slope[1] * Real(j) +
                                       amount.slope[2] * Real(k));
    v += amount.rate ? s * (amount.dt * value) : s * (value - v);
  }
};

struct ShareOfRow {
  Share share;
  RTSIM_HD double operator()(Index r) const {
    const Domain& d = share.domain;
    return double(
        share.at(r % d.cells[0], r / d.cells[0] % d.cells[1], r / d.cells[0] / d.cells[1]));
  }
};

}  // namespace

void apply(const Exec& ex, const Domain& d, int lattice, const Place& place, const Amount& amount,
           Span<Real> x) {
  mac::for_rows(ex, "source.apply", d, lattice, Apply{{d, lattice, place}, amount, x.data});
}

double share_of_cells(const Exec& ex, const Domain& d, const Place& place) {
  return reduce(ex, "source.share", d.rows(mac::centres), 0.0, ShareOfRow{{d, mac::centres, place}},
                Plus{});
}

}  // namespace rtsim::source
