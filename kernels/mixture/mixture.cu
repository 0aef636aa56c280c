#include "mixture/mixture.h"

#include "exec/parallel.h"

namespace rtsim::mixture {

namespace {

struct Claim {
  Span<const Index> place;
  Span<Index> row;
  Span<std::uint32_t> doomed;
  RTSIM_HD void operator()(Index r) const {
    const Index at = place[r] - 1;
    if (at >= 0) row[at] = r, doomed[at] = 0;
  }
};

struct MarkNew {
  Span<const Index> place;
  Span<Index> is_new;
  RTSIM_HD void operator()(Index r) const { is_new[r] = place[r] == 0; }
};

template <int D>
struct Add {
  Real phase;
  Index first;
  Span<const Index> place, at;
  Span<const Vec<D>> position;
  Rows<D> to;
  RTSIM_HD void operator()(Index r) const {
    if (place[r] != 0) return;
    const Index i = first + at[r];
    to.phase[i] = phase, to.row[i] = r, to.position[i] = position[r];
  }
};

template <int D>
struct Take {
  Phase<D> from;
  Rows<D> to;
  RTSIM_HD void operator()(Index i) const {
    if (to.phase[i] == from.index) to.velocity[i] = from.velocity[to.row[i]];
  }
};

template <int D>
struct Give {
  Rows<D> from;
  Span<const Real> density, pressure;
  Phase<D> to;
  RTSIM_HD void operator()(Index i) const {
    if (from.phase[i] != to.index) return;
    const Index r = from.row[i];
    to.position[r] = from.position[i], to.velocity[r] = from.velocity[i];
    to.density[r] = to.relative_density * density[i], to.pressure[r] = pressure[i];
    to.place[r] = i + 1;
  }
};

struct Weigh {
  sph::Phases phases;
  Span<const Real> phase;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index i) const {
    const Real s = phases.density[sph::Phases::of(phase[i])];
    Row4& r = rows[i];
    r.x *= s, r.y *= s, r.z *= s, r.w *= s;
  }
};

}  // namespace

void claim(const Exec& ex, Span<const Index> place, Span<Index> row, Span<std::uint32_t> doomed) {
  parallel_for(ex, "mixture.claim", place.size, Claim{place, row, doomed});
}

void mark_new(const Exec& ex, Span<const Index> place, Span<Index> is_new) {
  parallel_for(ex, "mixture.mark_new", place.size, MarkNew{place, is_new});
}

template <int D>
void add(const Exec& ex, Real phase, Index first, Span<const Index> place, Span<const Index> at,
         Span<const Vec<D>> position, const Rows<D>& to) {
  parallel_for(ex, "mixture.add", place.size, Add<D>{phase, first, place, at, position, to});
}

template <int D>
void take(const Exec& ex, const Phase<D>& from, const Rows<D>& to) {
  parallel_for(ex, "mixture.take", to.phase.size, Take<D>{from, to});
}

template <int D>
void give(const Exec& ex, const Rows<D>& from, Span<const Real> density, Span<const Real> pressure,
          const Phase<D>& to) {
  parallel_for(ex, "mixture.give", from.phase.size, Give<D>{from, density, pressure, to});
}

void weigh(const Exec& ex, const sph::Phases& phases, Span<const Real> phase, Span<Row4> rows) {
  parallel_for(ex, "mixture.weigh", phase.size, Weigh{phases, phase, rows});
}

#define RTSIM_INSTANTIATE(D)                                                             \
  template void add<D>(const Exec&, Real, Index, Span<const Index>, Span<const Index>,   \
                       Span<const Vec<D>>, const Rows<D>&);                              \
  template void take<D>(const Exec&, const Phase<D>&, const Rows<D>&);                   \
  template void give<D>(const Exec&, const Rows<D>&, Span<const Real>, Span<const Real>, \
                        const Phase<D>&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::mixture
