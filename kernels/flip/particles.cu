#include "exec/parallel.h"
#include "flip/flip.h"
#include "lanes/row4.h"

namespace rtsim::flip {

namespace {

template <int D>
struct CellKey {
  Place<D> place;
  const Vec<D>* position;
  std::uint32_t* keys;

  RTSIM_HD void operator()(Index i) const {
    Index at[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) {
      const Real t = place.cells(a, position[i][a]), last = Real(place.domain.cells[a] - 1);
      at[a] = Index(t > 0 ? (t < last ? t : last) : 0);  // also for NaN and infinities
    }
    keys[i] = std::uint32_t(place.domain.row(mac::centres, at[0], at[1], at[2]));
  }
};

template <int D>
struct Pack {
  Place<D> place;
  const Vec<D>* position;
  const Index* order;
  Index rows, pitch;
  Real* places;

  RTSIM_HD void operator()(Index k) const {
    for (int a = 0; a < D; ++a)  // 0: what lanes read behind the last
      places[Offset(a) * pitch + k] = k < rows ? place.cells(a, position[order[k]][a]) : Real(0);
  }
};

template <int D>
struct OfParticle {
  const Vec<D>*position, *velocity;
  Vec<D> gravity;

  RTSIM_HD Sums operator()(Index i) const {
    double x[3] = {0, 0, 0}, u[3] = {0, 0, 0};
    Sums s;
    for (int a = 0; a < D; ++a) {
      x[a] = double(position[i][a]), u[a] = double(velocity[i][a]);
      s.kinetic += 0.5 * u[a] * u[a];
      s.potential -= double(gravity[a]) * x[a];
      s.momentum[a] = u[a];
    }
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      s.angular_momentum[a] = x[b] * u[c] - x[c] * u[b];
    }
    s.front = x[0];
    return s;
  }
};

constexpr Real largest = std::numeric_limits<Real>::max(),
               beyond = std::numeric_limits<Real>::infinity();

template <int D>
struct Speed {
  const Vec<D>* velocity;

  RTSIM_HD Real operator()(Index i) const {
    const Real v = norm(velocity[i]);
    return v <= largest ? v : beyond;
  }
};

}  // namespace

template <int D>
void cell_keys(const Exec& ex, const Place<D>& place, Span<const Vec<D>> position,
               Span<std::uint32_t> keys) {
  parallel_for(ex, "flip.keys", position.size, CellKey<D>{place, position.data, keys.data});
}

template <int D>
Particles<D> pack(const Exec& ex, const Place<D>& place, const State<D>& state,
                  Span<const Index> order, Span<const Index> first, Index pitch, Real* places) {
  const Index rows = state.position.size;
  parallel_for(ex, "flip.pack", rows + lane_count,
               Pack<D>{place, state.position.data, order.data, rows, pitch, places});
  Particles<D> p;
  p.rows = rows, p.first = first.data;
  for (int a = 0; a < D; ++a) p.x[a] = places + Offset(a) * pitch;
  p.row = order.data, p.velocity = state.velocity.data, p.gradient = state.affine.data;
  return p;
}

template <int D>
Sums sums(const Exec& ex, Span<const Vec<D>> position, Span<const Vec<D>> velocity,
          Vec<D> gravity) {
  return reduce(ex, "flip.sums", position.size, Sums{},
                OfParticle<D>{position.data, velocity.data, gravity}, AddSums{});
}

template <int D>
Real greatest_speed(const Exec& ex, Span<const Vec<D>> velocity) {
  return reduce(ex, "flip.speed", velocity.size, Real(0), Speed<D>{velocity.data}, Max{});
}

#define RTSIM_INSTANTIATE(D)                                                                      \
  template void cell_keys<D>(const Exec&, const Place<D>&, Span<const Vec<D>>,                    \
                             Span<std::uint32_t>);                                                \
  template Particles<D> pack<D>(const Exec&, const Place<D>&, const State<D>&, Span<const Index>, \
                                Span<const Index>, Index, Real*);                                 \
  template Sums sums<D>(const Exec&, Span<const Vec<D>>, Span<const Vec<D>>, Vec<D>);             \
  template Real greatest_speed<D>(const Exec&, Span<const Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::flip
