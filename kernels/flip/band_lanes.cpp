#include "exec/parallel.h"
#include "flip/band_trace.h"

namespace rtsim::flip {

namespace {

using Eight = Lanes<Real>;

// The places of a line of a lattice that are wanted, eight at once, the last eight again where they
// are fewer, or one by one where a line is shorter: come_from(begin, end, x) for those from `begin`
// to `end`, with where they come from. `wanted(i)` says which.
template <int D, class Wanted, class ComeFrom>
void for_eights(const Move<D>& law, int lattice, Index j, Index k, const Wanted& wanted,
                const ComeFrom& come_from) {
  const Index n = law.domain.count(lattice, 0);
  const auto some = [&]<class T>(T, Index begin) {
    const Index end = begin + Rows<T>::count, row[3] = {begin, j, k};
    bool any = false;
    for (Index e = begin; e < end && !any; ++e) any = wanted(e);
    if (!any) return;
    T x[D];
    Origin<D, T>{law}.of_row(lattice, row, x);
    come_from(begin, end, x);
  };
  if (n < lane_count)
    for (Index i = 0; i < n; ++i) some(Real(), i);
  else
    for (Index i = 0; i < n; i += lane_count)
      some(Eight(), i + lane_count <= n ? i : n - lane_count);
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
    for_eights<D>(law, axis, j, k, wanted, [&]<class T>(Index begin, Index end, T(&x)[D]) {
      Real u[Rows<T>::count];
      Rows<T>::store(u, cubic<D, T>(law, axis, x));
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
        law, mac::centres, j, k, [&](Index i) { return reach[first + i] != 0; },
        [&]<class T>(Index begin, Index end, T(&x)[D]) {
          Real from[D][Rows<T>::count];
          for (int a = 0; a < D; ++a) Rows<T>::store(from[a], x[a]);
          for (Index i = begin; i < end; ++i) {
            Real y[D];
            for (int a = 0; a < D; ++a) y[a] = from[a][i - begin];
            if (reach[first + i]) origin[first + i] = was.origin(y);
          }
        });
  });
}

template <int D>
void seed_cells(const Exec& ex, const Move<D>& law, const Sites<D>& sites, Cells cells,
                const std::uint8_t* origin, const DeepCells<D>& was, std::uint64_t* seeds) {
  parallel_chunks(ex, "flip.seeds", cells.size, 256, [&](Index begin, Index end) {
    for (Index q = begin; q < end; ++q)
      seeds[q] = origin[cells[q]] ? seeds_of<D, Eight>(law, sites, was, cells[q]) : 0;
  });
}

template <int D>
void give_eights(const Exec& ex, const Place<D>& place, const Move<D>& law, const State<D>& s) {
  const Index eights = (s.position.size + lane_count - 1) / lane_count;
  parallel_chunks(ex, "flip.seeds", eights, 64, [&](Index begin, Index end) {
    for (Index e = begin; e < end; ++e) velocity_of_new<D, Eight>(place, law, s, e * lane_count);
  });
}

#define RTSIM_INSTANTIATE(D)                                                                  \
  template void carry_lines<D>(const Exec&, const Move<D>&, int, const std::uint8_t*, Real*); \
  template void origin_lines<D>(const Exec&, const Move<D>&, const std::uint8_t*,             \
                                const DeepCells<D>&, std::uint8_t*);                          \
  template void seed_cells<D>(const Exec&, const Move<D>&, const Sites<D>&, Cells,            \
                              const std::uint8_t*, const DeepCells<D>&, std::uint64_t*);      \
  template void give_eights<D>(const Exec&, const Place<D>&, const Move<D>&, const State<D>&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::flip
