#include "flip/fill.h"

#include "exec/parallel.h"
#include "flip/beside_liquid.h"
#include "flip/cell_share.h"
#include "mac/for_rows.h"
#include "mac/reduce_rows.h"

namespace rtsim::flip {

namespace {

template <int D>
struct Fill {
  mac::Domain domain;
  Particles<D> particles;
  Boxes<D> boxes;
  const std::uint8_t* only;  // null: all
  Real* fill;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index cell[3] = {i, j, k}, c = domain.row(mac::centres, i, j, k);
    fill[c] = 0;
    if (only && !only[c]) return;
    Real sum = 0;
    for_runs<D>(domain, particles.first, mac::centres, 1, cell,
                [&](Index begin, Index end, const Real* at) {
                  for (Index p = begin; p < end; ++p) {
                    Real off[D];
                    for (int a = 0; a < D; ++a) off[a] = boxes.off(a, particles.x[a][p], at[a]);
                    sum += boxes.volume(off);
                  }
                });
    fill[c] = sum;
  }
};

template <int D>
struct Part {
  Below<D> below;
  Room<D> room;

  RTSIM_HD double operator()(Index i, Index j, Index k) const {
    const Real part = below(i, j, k);
    return part > 0 ? double(part * room({i, j, k}).likely) : 0;
  }
};

template <int D>
struct ShareBelow {
  Below<D> below;
  Real* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    out[below.domain.row(mac::centres, i, j, k)] = below(i, j, k);
  }
};

template <int D>
struct Crowding {
  Below<D> below;
  Room<D> room;
  const Real* fill;
  Real* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = below.domain.row(mac::centres, i, j, k);
    out[c] = 0;
    if (!(below.surface[c] < 0) || below.layer[c] != 0) return;
    const Real part = below(i, j, k), is = filled_in(below, fill, at);
    const auto share = room(at);
    const Real most = part * share.most, least = part * share.least;
    out[c] = is > most ? most - is : is < least ? least - is : Real(0);
  }
};

struct LiquidFaces {
  mac::Domain domain;
  int axis;
  const Real* surface;
  std::uint8_t* known;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const bool some = beside_liquid(domain, axis, surface, i, j, k);
    known[domain.row(axis, i, j, k)] = some ? reached : unknown;
  }
};

}  // namespace

template <int D>
void fill(const Exec& ex, const mac::Domain& d, const Particles<D>& p, Real half,
          Span<const std::uint8_t> only, Span<Real> fill) {
  if (ex.cpu_shaped()) return fill_lines<D>(ex, d, p, half, only, fill);
  mac::for_rows(
      ex, "flip.fill", d, mac::centres,
      Fill<D>{d, p, Boxes<D>::of(d, half), only.size > 0 ? only.data : nullptr, fill.data});
}

template <int D>
void crowding(const Exec& ex, const mac::Domain& d, const mac::Walls& walls, const Solid& solid,
              Span<const std::uint8_t> layer, Span<const Real> surface, Span<const Real> fill,
              Span<Real> out) {
  mac::for_rows(
      ex, "flip.crowding", d, mac::centres,
      Crowding<D>{{d, layer.data, surface.data}, room_of<D>(d, walls, solid), fill.data, out.data});
}

template <int D>
void share_below(const Exec& ex, const mac::Domain& d, Span<const std::uint8_t> layer,
                 Span<const Real> surface, Span<Real> out) {
  mac::for_rows(ex, "flip.share_below", d, mac::centres,
                ShareBelow<D>{{d, layer.data, surface.data}, out.data});
}

template <int D>
double volume(const Exec& ex, const mac::Domain& d, const mac::Walls& walls, const Solid& solid,
              Span<const std::uint8_t> layer, Span<const Real> surface) {
  const Part<D> law{{d, layer.data, surface.data}, room_of<D>(d, walls, solid)};
  return std::pow(double(d.spacing), D) *
         mac::reduce_rows(ex, "flip.volume", d, mac::centres, 0.0, law, Plus{});
}

void liquid_faces(const Exec& ex, const mac::Domain& d, int axis, Span<const Real> surface,
                  Span<std::uint8_t> known) {
  mac::for_rows(ex, "flip.liquid_faces", d, axis, LiquidFaces{d, axis, surface.data, known.data});
}

#define RTSIM_INSTANTIATE(D)                                                                  \
  template void fill<D>(const Exec&, const mac::Domain&, const Particles<D>&, Real,           \
                        Span<const std::uint8_t>, Span<Real>);                                \
  template void crowding<D>(const Exec&, const mac::Domain&, const mac::Walls&, const Solid&, \
                            Span<const std::uint8_t>, Span<const Real>, Span<const Real>,     \
                            Span<Real>);                                                      \
  template void share_below<D>(const Exec&, const mac::Domain&, Span<const std::uint8_t>,     \
                               Span<const Real>, Span<Real>);                                 \
  template double volume<D>(const Exec&, const mac::Domain&, const mac::Walls&, const Solid&, \
                            Span<const std::uint8_t>, Span<const Real>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::flip
