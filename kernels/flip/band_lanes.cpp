#include "exec/parallel.h"
#include "flip/band_trace.h"

namespace rtsim::flip {

namespace {

using Eight = Lanes<Real>;

// kernel(T, place, row) for the places of a line of a lattice that are wanted, eight at once, the
// last eight again where they are fewer: `wanted(i)` says which.
template <int D, class Wanted, class Kernel>
void for_eights(const mac::Domain& d, int lattice, Index j, Index k, const Wanted& wanted,
                const Kernel& kernel) {
  const Index n = d.count(lattice, 0), at[3] = {0, j, k};
  const auto off = [&](int a) { return a == lattice ? Real(0) : Real(0.5); };
  for (Index i = 0; i < n; i += lane_count) {
    const Index begin = i + lane_count <= n || n < lane_count ? i : n - lane_count,
                end = begin + lane_count < n ? begin + lane_count : n;
    bool any = false;
    for (Index e = begin; e < end && !any; ++e) any = wanted(e);
    if (!any) continue;
    Eight x[D];
    x[0] = Rows<Eight>::place(begin) + Eight(off(0));
    for (int a = 1; a < D; ++a) x[a] = Eight(Real(at[a]) + off(a));
    kernel(x, begin, end);
  }
}

template <class Line>
void for_lines_of(const Exec& ex, const char* label, const mac::Domain& d, int lattice,
                  const Line& line) {
  const Index ny = d.count(lattice, 1);
  parallel_chunks(ex, label, ny * d.count(lattice, 2), 16, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l) line(l % ny, l / ny);
  });
}

}  // namespace

template <int D>
void carry_lines(const Exec& ex, const Move<D>& law, int axis, const std::uint8_t* around,
                 Real* out) {
  const mac::Domain& d = law.domain;
  for_lines_of(ex, "flip.carry", d, axis, [&](Index j, Index k) {
    Real* const to = out + d.row(axis, 0, j, k);
    for (Index i = 0; i < d.count(axis, 0); ++i) to[i] = 0;
    const auto wanted = [&](Index i) { return carries(d, axis, around, i, j, k); };
    for_eights<D>(d, axis, j, k, wanted, [&](Eight(&x)[D], Index begin, Index end) {
      Real u[lane_count];
      Origin<D, Eight>{law}(x);
      cubic<D, Eight>(law, axis, x).store(u);
      for (Index i = begin; i < end; ++i)
        if (wanted(i)) to[i] = u[i - begin];
    });
  });
}

template <int D>
void origin_lines(const Exec& ex, const Move<D>& law, const std::uint8_t* reach,
                  const DeepCells<D>& was, std::uint8_t* origin) {
  const mac::Domain& d = law.domain;
  for_lines_of(ex, "flip.origin", d, mac::centres, [&](Index j, Index k) {
    const Index first = d.row(mac::centres, 0, j, k);
    for (Index i = 0; i < d.cells[0]; ++i) origin[first + i] = 0;
    for_eights<D>(
        d, mac::centres, j, k, [&](Index i) { return reach[first + i] != 0; },
        [&](Eight(&x)[D], Index begin, Index end) {
          Real from[D][lane_count];
          Origin<D, Eight>{law}(x);
          for (int a = 0; a < D; ++a) x[a].store(from[a]);
          for (Index i = begin; i < end; ++i) {
            Real y[D];
            for (int a = 0; a < D; ++a) y[a] = from[a][i - begin];
            if (reach[first + i]) origin[first + i] = was.origin(y);
          }
        });
  });
}

template <int D>
void seed_cells(const Exec& ex, const Move<D>& law, const Sites<D>& sites,
                const std::uint8_t* origin, const DeepCells<D>& was, const std::uint8_t* deep,
                std::uint64_t* seeds) {
  const mac::Domain& d = law.domain;
  for_lines_of(ex, "flip.seeds", d, mac::centres, [&](Index j, Index k) {
    for (Index i = 0; i < d.cells[0]; ++i) {
      const Index at[3] = {i, j, k}, c = d.row(mac::centres, i, j, k);
      seeds[c] = origin[c] && !deep[c] ? seeds_of<D, Eight>(law, sites, was, c, at) : 0;
    }
  });
}

template <int D>
void give_eights(const Exec& ex, const Place<D>& place, const Move<D>& law, const State<D>& s) {
  const Index eights = (s.position.size + lane_count - 1) / lane_count;
  parallel_chunks(ex, "flip.seeds", eights, 64, [&](Index begin, Index end) {
    for (Index e = begin; e < end; ++e) velocity_of_new<D, Eight>(place, law, s, e * lane_count);
  });
}

#define RTSIM_INSTANTIATE(D)                                                                     \
  template void carry_lines<D>(const Exec&, const Move<D>&, int, const std::uint8_t*, Real*);    \
  template void origin_lines<D>(const Exec&, const Move<D>&, const std::uint8_t*,                \
                                const DeepCells<D>&, std::uint8_t*);                             \
  template void seed_cells<D>(const Exec&, const Move<D>&, const Sites<D>&, const std::uint8_t*, \
                              const DeepCells<D>&, const std::uint8_t*, std::uint64_t*);         \
  template void give_eights<D>(const Exec&, const Place<D>&, const Move<D>&, const State<D>&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::flip
