#include "exec/parallel.h"
#include "flip/band.h"
#include "flip/cell_share.h"
#include "mac/for_rows.h"

namespace rtsim::flip {

namespace {

constexpr Real rounding = Real(1e-4);  // [cells] of volume: what is level stays level

// What a cell has of the surface [cells^(D-1)]: 1 in all along a line that goes through it,
// wherever that is, since the distance has a slope of 1.
RTSIM_HD Real area_in(Real distance, Real spacing) {
  const Real off = distance / spacing, part = 1 - (off < 0 ? -off : off);
  return part > 0 ? part : Real(0);
}

struct BesideSurface {
  mac::Domain domain;
  const std::uint8_t* layer;
  const Real* surface;
  std::uint8_t* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index c = domain.row(mac::centres, i, j, k);
    out[c] = layer[c] == 0 && area_in(surface[c], domain.spacing) > 0;
  }
};

// Walls, too, into which boxes of particles reach, are looked at.
struct AndWalls {
  const std::uint8_t* layer;
  std::uint8_t* near;

  RTSIM_HD void operator()(Index c) const { near[c] |= layer[c] != 0; }
};

// By how much particles fill a cell beyond what of it lies below the surface [cells], and what it
// has of the surface. Cells that walls cut say nothing: how full they can be is not known that
// well.
template <int D>
struct Excess {
  Below<D> below;
  Room<D> room;
  const std::uint8_t* near;
  const Real* fill;
  Real *volume, *area;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = below.domain.row(mac::centres, i, j, k);
    if (!near[c]) return;
    const bool known = below.layer[c] == 0 && room(at).least == 1;
    volume[c] = known ? filled_in(below, fill, at) - below(i, j, k) : Real(0);
    area[c] = known ? area_in(below.surface[c], below.domain.spacing) : Real(0);
  }
};

template <int D>
struct Shift {
  Below<D> below;
  const Real *volume, *area;
  Real most;  // [m]
  Real* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index c = below.domain.row(mac::centres, i, j, k);
    const Real h = below.domain.spacing, own = below.surface[c];
    out[c] = own;
    if (below.layer[c] != 0 || !(area_in(own, h) > 0)) return;
    Real v = 0, a = 0;
    add_around({i, j, k}, c, v, a);
    if (!(a > 0)) return;
    const Real size = v < 0 ? -v : v, shift = h * (size / a - rounding);
    if (shift > 0) out[c] -= (v < 0 ? -1 : 1) * (shift < most ? shift : most);
  }
  RTSIM_HD void add_around(const Index (&cell)[3], Index own, Real& v, Real& a) const {
    const mac::Domain& d = below.domain;
    const bool inner = below.inner(cell);
    for (Index z = D == 3 ? -1 : 0; z <= (D == 3 ? 1 : 0); ++z)
      for (Index y = -1; y <= 1; ++y)
        for (Index x = -1; x <= 1; ++x) {
          const Index r = inner ? own + x + d.cells[0] * (y + d.cells[1] * z)
                                : below.row({cell[0] + x, cell[1] + y, cell[2] + z});
          if (r >= 0) v += volume[r], a += area[r];
        }
  }
};

}  // namespace

template <int D>
void move_to_volume(const Exec& ex, const mac::Domain& d, const mac::Walls& walls,
                    const Solid& solid, Span<const std::uint8_t> layer, const Particles<D>& p,
                    Real half, const VolumeScratch& scratch, Span<Real> distance) {
  const Below<D> below{d, layer.data, distance.data};
  const auto [near, other, fills, volume, area] = scratch;
  const Span<std::uint8_t> beside = D == 2 ? near : other;  // spread() ends where it began, or not
  mac::for_rows(ex, "flip.surface_volume", d, mac::centres,
                BesideSurface{d, layer.data, distance.data, beside.data});
  spread(ex, d, 1, beside, other, near);
  parallel_for(ex, "flip.surface_volume", distance.size, AndWalls{layer.data, near.data});
  fill<D>(ex, d, p, half, near, fills);
  mac::for_rows(
      ex, "flip.surface_volume", d, mac::centres,
      Excess<D>{below, room_of<D>(d, walls, solid), near.data, fills.data, volume.data, area.data});
  mac::for_rows(ex, "flip.surface_volume", d, mac::centres,
                Shift<D>{below, volume.data, area.data, half * d.spacing, fills.data});
  ex.copy(distance.data, fills.data, std::size_t(distance.size) * sizeof(Real));
}

template void move_to_volume<2>(const Exec&, const mac::Domain&, const mac::Walls&, const Solid&,
                                Span<const std::uint8_t>, const Particles<2>&, Real,
                                const VolumeScratch&, Span<Real>);
template void move_to_volume<3>(const Exec&, const mac::Domain&, const mac::Walls&, const Solid&,
                                Span<const std::uint8_t>, const Particles<3>&, Real,
                                const VolumeScratch&, Span<Real>);

}  // namespace rtsim::flip
