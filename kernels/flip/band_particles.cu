#include <cmath>

#include "exec/parallel.h"
#include "exec/sort.h"
#include "flip/band_trace.h"

namespace rtsim::flip {

namespace {

constexpr const char* label = "flip.band";

template <int D>
struct FindSeeds {
  Move<D> law;
  Sites<D> sites;
  const std::uint8_t* origin;
  DeepCells<D> was;
  const Index* cells;
  std::uint64_t* seeds;

  RTSIM_HD void operator()(Index q) const {
    const Index c = cells[q];
    seeds[q] = origin[c] ? seeds_of<D, Real>(law, sites, was, c) : 0;
  }
};

template <int D>
struct SeedAll {
  mac::Domain domain;
  Sites<D> sites;
  const Index* cells;
  std::uint64_t* seeds;

  RTSIM_HD void operator()(Index q) const {
    const PlaceOfSite<D> place(sites, domain, cells[q]);
    Real x[D];
    seeds[q] = 0;
    for (Index s = 0; s < sites.count(); ++s)
      if (place(s, x)) seeds[q] |= std::uint64_t(1) << s;
  }
};

RTSIM_HD inline Index bits_of(std::uint64_t bits) {
  Index n = 0;
  for (; bits; bits &= bits - 1) ++n;
  return n;
}

// Cells of a line, and those of them that count.
struct Listed {
  mac::Domain domain;
  const std::uint8_t *wanted, *deep;  // deep: null, or cells that are not in the list
  const Index* first;                 // null, or cells with particles are, too

  RTSIM_HD bool operator()(Index c) const {
    return (wanted[c] || (first && first[c] < first[c + 1])) && !(deep && deep[c]);
  }
};
struct CountListed {
  Listed listed;
  Index* count;
  RTSIM_HD void operator()(Index line) const {
    const Index n = listed.domain.cells[0];
    Index all = 0;
    for (Index i = 0; i < n; ++i) all += listed(line * n + i);
    count[line] = all;
  }
};
struct WriteListed {
  Listed listed;
  const Index* before;
  Index* cells;
  RTSIM_HD void operator()(Index line) const {
    const Index n = listed.domain.cells[0];
    Index q = before[line];
    for (Index c = line * n; c < (line + 1) * n; ++c)
      if (listed(c)) cells[q++] = c;
  }
};

struct InBand {
  const Index *cells, *first;
  const std::uint64_t* seeds;
  RTSIM_HD std::int64_t operator()(Index q) const {
    return first[cells[q] + 1] - first[cells[q]] + bits_of(seeds[q]);
  }
};

// The particles of a cell of the band, and how they may change.
struct InCell {
  Crowd crowd;

  RTSIM_HD bool counts(Index q) const { return !crowd.edge[crowd.cells[q]]; }
  RTSIM_HD Index there(Index q) const {
    return crowd.first[crowd.cells[q] + 1] - crowd.first[crowd.cells[q]];
  }
  RTSIM_HD Index all(Index q) const { return there(q) + bits_of(crowd.seeds[q]); }
};

struct EvenOut {
  InCell in;
  Index* change;

  RTSIM_HD std::int64_t operator()(Index q) const {
    const Index all = in.counts(q) ? in.all(q) : in.crowd.least;
    return change[q] = all < in.crowd.least  ? in.crowd.least - all
                       : all > in.crowd.most ? fewer(q, in.crowd.most - all)
                                             : 0;
  }
  // Seeds stay.
  RTSIM_HD Index fewer(Index q, Index change) const {
    const Index none = -in.there(q);
    return change < none ? none : change;
  }
};

struct FindRoom {
  InCell in;
  bool fewer;
  const Index* change;
  Index* room;

  RTSIM_HD std::int64_t operator()(Index q) const {
    room[q] = 0;
    if (!in.counts(q)) return 0;
    const Index after = in.all(q) + change[q], left = in.there(q) + (change[q] < 0 ? change[q] : 0),
                lose = after - in.crowd.least < left ? after - in.crowd.least : left,
                more = fewer ? lose : in.crowd.most - after;
    // What gets some does not lose any.
    room[q] = more > 0 && !(fewer && change[q] > 0) ? more : 0;
    return room[q];
  }
};

struct Pay {
  std::int64_t owed, all, start;
  const Index *room, *before;
  Index* change;

  RTSIM_HD void operator()(Index q) const {
    const std::int64_t some = owed < 0 ? -owed : owed, from = start + before[q];
    const auto share = Index((from + room[q]) * some / all - from * some / all);
    change[q] += owed < 0 ? -share : share;
  }
};

struct CountSeeds {
  const std::uint64_t* seeds;
  const Index* change;
  Index* count;
  RTSIM_HD void operator()(Index q) const {
    count[q] = bits_of(seeds[q]) + (change[q] > 0 ? change[q] : 0);
  }
};

constexpr std::uint32_t further = 1;  // keys of draws behind that of sites

template <int D>
struct Sow {
  Place<D> place;
  Sites<D> sites;
  const Index* cells;
  const std::uint64_t* seeds;
  const Index *change, *offset;
  Vec<D>* position;

  RTSIM_HD void operator()(Index q) const {
    if (!seeds[q] && change[q] <= 0) return;
    const PlaceOfSite<D> site(sites, place.domain, cells[q]);
    Index row = offset[q];
    const auto put = [&](const Real(&x)[D]) {
      for (int a = 0; a < D; ++a) position[row][a] = place.metres(a, x[a]);
      ++row;
    };
    Real x[D];
    for (Index s = 0; s < 64; ++s)
      if (seeds[q] >> s & 1) site(s, x), put(x);
    for (Index s = 0; s < change[q]; ++s) {
      const Random4 r = philox(sites.seed, sites.key + further + std::uint32_t(s), sites.substep,
                               std::uint32_t(cells[q]));
      for (int a = 0; a < D; ++a) x[a] = Real(site.at[a]) + Real(uniform(r.c[a]));
      put(x);
    }
  }
};

template <int D>
struct GiveVelocity {
  Place<D> place;
  Move<D> law;
  State<D> state;
  RTSIM_HD void operator()(Index i) const { velocity_of_new<D, Real>(place, law, state, i); }
};

struct Number {
  std::uint32_t first;
  std::uint32_t* id;
  RTSIM_HD void operator()(Index i) const { id[i] = first + std::uint32_t(i); }
};

// In a cell those that go begin at one that turns from substep to substep.
struct Doom {
  std::uint64_t substep;
  const Index *cells, *order, *first, *change;
  std::uint32_t* doomed;

  RTSIM_HD void operator()(Index q) const {
    const Index begin = first[cells[q]], n = first[cells[q] + 1] - begin;
    for (Index e = 0; e < n; ++e) {
      const auto turned = Index((std::uint64_t(e) + substep) % std::uint64_t(n));
      doomed[order[begin + e]] = turned < -change[q];
    }
  }
};
struct Fill {
  std::uint32_t* doomed;
  RTSIM_HD void operator()(Index i) const { doomed[i] = 1; }
};

}  // namespace

template <int D>
Sites<D> Sites<D>::of(double particles_a_side) {
  const auto along = Index(std::ceil(particles_a_side - 1e-6));
  return {along, Real(std::pow(particles_a_side / along, D)), 0, 0, 0, {}, {}};
}
template <int D>
void Sites<D>::begin(std::uint64_t of_seed, std::uint32_t of_key, std::uint64_t of_substep) {
  seed = of_seed, key = of_key, substep = of_substep;
  double g = 1;
  for (int k = 0; k < 60; ++k) g = std::pow(1 + g, 1.0 / (D + 2));
  for (int a = 0; a <= D; ++a) {
    step[a] = std::pow(g, -(a + 1));
    const double turned = step[a] * double(substep) * double(count());
    turn[a] = turned - std::floor(turned);
  }
}

Index list_cells(const Exec& ex, const mac::Domain& d, Bytes wanted, Bytes deep,
                 Span<const Index> first, Span<Index> lines, Buffer<Index>& cells) {
  const Listed listed{d, wanted.data, deep.size > 0 ? deep.data : nullptr,
                      first.size > 0 ? first.data : nullptr};
  const Index n = d.cells[1] * d.cells[2];
  const Span<Index> count(lines.data, n);
  parallel_for(ex, label, n, CountListed{listed, count.data});
  const Index all = exclusive_scan(ex, label, count, count);
  cells.resize(std::size_t(all));
  parallel_for(ex, label, n, WriteListed{listed, count.data, cells.data()});
  return all;
}

template <int D>
void find_seeds(const Exec& ex, const Move<D>& law, const Sites<D>& sites, Cells cells,
                Bytes origin, Bytes was_deep, Span<std::uint64_t> seeds) {
  const DeepCells<D> was{law.domain, was_deep.data, nullptr};
  if (ex.cpu_shaped()) return seed_cells<D>(ex, law, sites, cells, origin.data, was, seeds.data);
  parallel_for(ex, "flip.seeds", cells.size,
               FindSeeds<D>{law, sites, origin.data, was, cells.data, seeds.data});
}

template <int D>
void seed_all(const Exec& ex, const Place<D>& place, const Sites<D>& sites, Cells cells,
              Span<std::uint64_t> seeds) {
  parallel_for(ex, "flip.seeds", cells.size,
               SeedAll<D>{place.domain, sites, cells.data, seeds.data});
}

std::int64_t count_in(const Exec& ex, Cells cells, Span<const Index> first,
                      Span<const std::uint64_t> seeds) {
  return reduce(ex, label, cells.size, std::int64_t(0), InBand{cells.data, first.data, seeds.data},
                Plus{});
}

Crowd Crowd::limited(double tile, Cells cells, Span<const Index> first,
                     Span<const std::uint64_t> seeds, Bytes edge) {
  return {Index(std::ceil(tile / 2)), Index(std::floor(2 * tile)), cells, first, seeds, edge};
}

std::int64_t even_out(const Exec& ex, const Crowd& crowd, Span<Index> change) {
  return reduce(ex, label, crowd.cells.size, std::int64_t(0), EvenOut{{crowd}, change.data},
                Plus{});
}

std::int64_t find_room(const Exec& ex, const Crowd& crowd, bool fewer, Span<const Index> change,
                       Span<Index> room) {
  return reduce(ex, label, crowd.cells.size, std::int64_t(0),
                FindRoom{{crowd}, fewer, change.data, room.data}, Plus{});
}

void pay(const Exec& ex, std::int64_t owed, std::int64_t all, std::int64_t start,
         Span<const Index> room, Span<const Index> before, Span<Index> change) {
  parallel_for(ex, label, room.size,
               Pay{owed, all, start % all, room.data, before.data, change.data});
}

void count_seeds(const Exec& ex, Span<const std::uint64_t> seeds, Span<const Index> change,
                 Span<Index> count) {
  parallel_for(ex, label, count.size, CountSeeds{seeds.data, change.data, count.data});
}

template <int D>
void sow(const Exec& ex, const Place<D>& place, const Sites<D>& sites, Cells cells,
         Span<const std::uint64_t> seeds, Span<const Index> change, Span<const Index> offset,
         Span<Vec<D>> position) {
  parallel_for(
      ex, "flip.seeds", cells.size,
      Sow<D>{place, sites, cells.data, seeds.data, change.data, offset.data, position.data});
}

template <int D>
void give_velocity(const Exec& ex, const Place<D>& place, const Move<D>& law, const State<D>& s) {
  if (ex.cpu_shaped()) return give_eights<D>(ex, place, law, s);
  parallel_for(ex, "flip.seeds", s.position.size, GiveVelocity<D>{place, law, s});
}

void number(const Exec& ex, std::uint32_t first, Span<std::uint32_t> id) {
  parallel_for(ex, "flip.seeds", id.size, Number{first, id.data});
}

void doom(const Exec& ex, std::uint64_t substep, Cells cells, Span<const Index> order,
          Span<const Index> first, Span<const Index> change, Span<std::uint32_t> doomed) {
  parallel_for(ex, label, doomed.size, Fill{doomed.data});
  parallel_for(ex, label, cells.size,
               Doom{substep, cells.data, order.data, first.data, change.data, doomed.data});
}

#define RTSIM_INSTANTIATE(D)                                                                     \
  template struct Sites<D>;                                                                      \
  template void find_seeds<D>(const Exec&, const Move<D>&, const Sites<D>&, Cells, Bytes, Bytes, \
                              Span<std::uint64_t>);                                              \
  template void seed_all<D>(const Exec&, const Place<D>&, const Sites<D>&, Cells,                \
                            Span<std::uint64_t>);                                                \
  template void sow<D>(const Exec&, const Place<D>&, const Sites<D>&, Cells,                     \
                       Span<const std::uint64_t>, Span<const Index>, Span<const Index>,          \
                       Span<Vec<D>>);                                                            \
  template void give_velocity<D>(const Exec&, const Place<D>&, const Move<D>&, const State<D>&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::flip
