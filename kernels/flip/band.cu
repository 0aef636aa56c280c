#include "flip/band.h"

#include <algorithm>
#include <vector>

#include "exec/parallel.h"
#include "exec/sort.h"
#include "flip/band_trace.h"
#include "mac/for_rows.h"

namespace rtsim::flip {

namespace {

struct Spread {
  mac::Domain domain;
  int axis;
  Index radius;
  const std::uint8_t* in;
  std::uint8_t* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index n = domain.cells[axis];
    std::uint8_t any = 0;
    for (Index s = -radius; s <= radius; ++s) {
      Index at[3] = {i, j, k};
      at[axis] += s;
      if (at[axis] < 0 || at[axis] >= n) {
        if (!domain.periodic(axis)) continue;
        at[axis] += at[axis] < 0 ? n : -n;
      }
      any |= in[domain.row(mac::centres, at[0], at[1], at[2])];
    }
    out[domain.row(mac::centres, i, j, k)] = any;
  }
};

// The same on the CPU for lines along the axis, those side by side along x at once: windows of
// twice the length are made of two, until two of the last make the one that is wanted.
class SpreadLines {
 public:
  explicit SpreadLines(const Spread& law) : law_(law) {
    n_ = law.domain.cells[law.axis];
    width_ = law.axis == 0 ? 1 : law.domain.cells[0];
    rows_.resize(std::size_t(n_ + 2 * law.radius) * std::size_t(width_));
  }
  static Index tasks(const Spread& law) {
    const mac::Domain& d = law.domain;
    return law.axis == 0 ? d.cells[1] * d.cells[2] : law.axis == 1 ? d.cells[2] : d.cells[1];
  }
  void operator()(Index task) {
    const Index all = n_ + 2 * law_.radius, window = 2 * law_.radius + 1;
    load(task);
    Index length = 1;
    for (; 2 * length <= window; length *= 2)
      join(row(0), row(length), (all - length) * width_, row(0));
    const Index last = window - length;
    if (law_.axis == 0) return join(row(0), row(last), n_, law_.out + place(task, 0));
    for (Index i = 0; i < n_; ++i) join(row(i), row(i + last), width_, law_.out + place(task, i));
  }

 private:
  std::uint8_t* row(Index r) { return rows_.data() + r * width_; }
  Index place(Index task, Index i) const {
    const mac::Domain& d = law_.domain;
    if (law_.axis == 0) return task * d.cells[0] + i;
    return law_.axis == 1 ? d.row(mac::centres, 0, i, task) : d.row(mac::centres, 0, task, i);
  }
  // The line with as many cells beyond both ends as the radius: of the other end, or none.
  void load(Index task) {
    const Index r = law_.radius;
    if (law_.axis == 0)
      std::copy_n(law_.in + place(task, 0), n_, row(r));
    else
      for (Index i = 0; i < n_; ++i) std::copy_n(law_.in + place(task, i), width_, row(r + i));
    if (law_.domain.periodic(law_.axis)) {
      std::copy(row(n_), row(n_ + r), row(0));
      std::copy(row(r), row(2 * r), row(n_ + r));
    } else {
      std::fill(row(0), row(r), std::uint8_t(0));
      std::fill(row(n_ + r), row(n_ + 2 * r), std::uint8_t(0));
    }
  }
  // `to` may be `a`, with `b` ahead of it: what is written is not read any more.
  static void join(const std::uint8_t* a, const std::uint8_t* b, Index n, std::uint8_t* to) {
#if !defined(__clang__) && !defined(__CUDACC__)
#pragma GCC ivdep
#endif
    for (Index i = 0; i < n; ++i) to[i] = a[i] | b[i];
  }

  const Spread law_;
  Index n_, width_;
  std::vector<std::uint8_t> rows_;
};

void spread_along(const Exec& ex, const Spread& law) {
  if (!ex.cpu_shaped()) return mac::for_rows(ex, "flip.spread", law.domain, mac::centres, law);
  const Index tasks = SpreadLines::tasks(law), each = law.axis == 0 ? 64 : 4;
  parallel_chunks(ex, "flip.spread", tasks, each, [&](Index begin, Index end) {
    SpreadLines lines(law);
    for (Index t = begin; t < end; ++t) lines(t);
  });
}

struct Shallow {
  mac::Domain domain;
  const Real* open[3];
  const Index* first;
  const std::uint8_t* origin;
  std::uint8_t* out;

  RTSIM_HD bool liquid(Index c) const { return first[c] < first[c + 1] || origin[c] == 2; }
  // Between cells of liquid, or walls, on all sides.
  RTSIM_HD bool gap(const Index (&at)[3]) const {
    for (int a = 0; a < domain.dims; ++a)
      for (Index s = -1; s <= 1; s += 2) {
        Index q[3] = {at[0], at[1], at[2]};
        const Index n = domain.cells[a];
        q[a] += s;
        if (q[a] < 0 || q[a] >= n) {
          if (!domain.periodic(a)) continue;
          q[a] += q[a] < 0 ? n : -n;
        }
        if (!liquid(domain.row(mac::centres, q[0], q[1], q[2]))) return false;
      }
    return true;
  }
  RTSIM_HD bool cut(const Index (&at)[3]) const {
    for (int a = 0; a < domain.dims; ++a)
      for (Index side = 0; side < 2; ++side) {
        Index f[3] = {at[0], at[1], at[2]};
        f[a] += side;
        const bool end = f[a] == (side ? domain.cells[a] : 0) && !domain.periodic(a);
        if (end ? !domain.closed(a, int(side)) : open[a][domain.row(a, f[0], f[1], f[2])] < 1)
          return true;
      }
    return false;
  }
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = domain.row(mac::centres, i, j, k);
    out[c] = (!liquid(c) && !gap(at)) || cut(at);
  }
};

template <int D>
struct AddRegion {
  Place<D> place;
  region::HalfSpaces region;
  bool outside;
  std::uint8_t* shallow;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k};
    Vec<D> x;
    for (int a = 0; a < D; ++a) x[a] = place.metres(a, Real(at[a]) + Real(0.5));
    if (outside ? region.beyond(x) : region.inside(x))
      shallow[place.domain.row(mac::centres, i, j, k)] = 1;
  }
};

struct FindDeep {
  const std::uint8_t* near_shallow;
  std::uint8_t* deep;
  RTSIM_HD Index operator()(Index c) const { return deep[c] = !near_shallow[c]; }
};

struct Strangers {
  const std::uint8_t* deep;
  const Index* first;
  std::uint8_t* out;
  RTSIM_HD Index operator()(Index c) const { return out[c] = deep[c] && first[c] < first[c + 1]; }
};

struct Wake {
  std::uint8_t *deep, *woken;
  RTSIM_HD Index operator()(Index c) const {
    woken[c] = woken[c] && deep[c];
    deep[c] = deep[c] && !woken[c];
    return woken[c];
  }
};

template <int D>
struct InDeep {
  Place<D> place;
  const Vec<D>* position;
  const std::uint8_t* deep;
  RTSIM_HD Index operator()(Index i) const {
    Index at[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) {
      const Real t = place.cells(a, position[i][a]), last = Real(place.domain.cells[a] - 1);
      at[a] = Index(t > 0 ? (t < last ? t : last) : 0);
    }
    return deep[place.domain.row(mac::centres, at[0], at[1], at[2])];
  }
};

// Of velocities that no particle near brings.
struct TakeCarried {
  mac::Domain domain;
  int axis;
  const std::uint8_t* around;
  const Real* carried;
  Real* u;
  std::uint8_t* known;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    if (!carries(domain, axis, around, i, j, k)) return;
    const Index r = domain.row(axis, i, j, k);
    u[r] = carried[r], known[r] = reached;
  }
};

template <int D>
struct CarryOne {
  Move<D> law;
  int axis;
  const std::uint8_t* around;
  Real* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, r = law.domain.row(axis, i, j, k);
    out[r] = 0;
    if (!carries(law.domain, axis, around, i, j, k)) return;
    Real x[D];
    Origin<D, Real>{law}.of_row(axis, at, x);
    out[r] = cubic<D, Real>(law, axis, x);
  }
};

template <int D>
struct FindOrigin {
  Move<D> law;
  const std::uint8_t* reach;
  DeepCells<D> was;
  std::uint8_t* origin;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = law.domain.row(mac::centres, i, j, k);
    origin[c] = 0;
    if (!reach[c]) return;
    Real x[D];
    Origin<D, Real>{law}.of_row(mac::centres, at, x);
    origin[c] = was.origin(x);
  }
};

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

// Along an axis as particles have it at the quarters between two faces.
template <int D>
struct OfDeep {
  Place<D> place;
  const std::uint8_t* deep;
  const Real* u[3];
  Vec<D> gravity;

  RTSIM_HD Sums operator()(Index c) const {
    const mac::Domain& d = place.domain;
    Sums s;
    if (!deep[c]) return s;
    const Index at[3] = {c % d.cells[0], c / d.cells[0] % d.cells[1], c / d.cells[0] / d.cells[1]};
    double x[3] = {0, 0, 0}, v[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) {
      Index up[3] = {at[0], at[1], at[2]};
      ++up[a];
      const double low = double(u[a][d.row(a, at[0], at[1], at[2])]),
                   high = double(u[a][d.row(a, up[0], up[1], up[2])]);
      x[a] = double(place.metres(a, Real(at[a]) + Real(0.5)));
      v[a] = 0.5 * (low + high);
      s.kinetic += (5 * low * low + 6 * low * high + 5 * high * high) / 32;
      s.potential -= double(gravity[a]) * x[a];
      s.momentum[a] = v[a];
    }
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, e = (a + 2) % 3;
      s.angular_momentum[a] = x[b] * v[e] - x[e] * v[b];
    }
    return s;
  }
};

struct LeaveOut {
  const std::uint8_t* cells;
  Real* b;
  RTSIM_HD void operator()(Index c) const { b[c] = cells[c] ? Real(0) : b[c]; }
};

constexpr const char* label = "flip.band";

}  // namespace

void spread(const Exec& ex, const mac::Domain& d, Index radius, Bytes in,
            Span<std::uint8_t> scratch, Span<std::uint8_t> out) {
  const auto along = [&](int a) {
    return d.periodic(a) ? std::min(radius, d.cells[a] / 2) : std::min(radius, d.cells[a] - 1);
  };
  const std::uint8_t* from = in.data;
  for (int a = 0; a < d.dims; ++a) {
    std::uint8_t* const to = (d.dims - a) % 2 ? out.data : scratch.data;
    spread_along(ex, Spread{d, a, along(a), from, to});
    from = to;
  }
}

void shallow(const Exec& ex, const mac::Domain& d, const mac::Walls& w, Span<const Index> first,
             Bytes origin, Span<std::uint8_t> out) {
  mac::for_rows(
      ex, label, d, mac::centres,
      Shallow{
          d, {w.open[0].data, w.open[1].data, w.open[2].data}, first.data, origin.data, out.data});
}

template <int D>
void add_region(const Exec& ex, const Place<D>& place, const region::HalfSpaces& region,
                bool outside, Span<std::uint8_t> shallow) {
  region::HalfSpaces wider = region;
  const Real half = Real(0.5) * std::sqrt(Real(D)) * place.domain.spacing;
  for (int k = 0; k < wider.count; ++k)
    wider.offset[k] += (outside ? -half : half) * norm(wider.normal[k]);
  mac::for_rows(ex, label, place.domain, mac::centres,
                AddRegion<D>{place, wider, outside, shallow.data});
}

Index find_deep(const Exec& ex, Bytes near_shallow, Span<std::uint8_t> deep) {
  return reduce(ex, label, deep.size, Index(0), FindDeep{near_shallow.data, deep.data}, Plus{});
}

Index strangers(const Exec& ex, Bytes deep, Span<const Index> first, Span<std::uint8_t> out) {
  return reduce(ex, label, out.size, Index(0), Strangers{deep.data, first.data, out.data}, Plus{});
}

Index wake(const Exec& ex, Span<std::uint8_t> deep, Span<std::uint8_t> woken) {
  return reduce(ex, label, deep.size, Index(0), Wake{deep.data, woken.data}, Plus{});
}

template <int D>
Index count_deep(const Exec& ex, const Place<D>& place, Span<const Vec<D>> position, Bytes deep) {
  return reduce(ex, label, position.size, Index(0), InDeep<D>{place, position.data, deep.data},
                Plus{});
}

template <int D>
void carry(const Exec& ex, const Move<D>& law, int axis, Bytes around, Span<Real> out) {
  if (ex.cpu_shaped()) return carry_lines<D>(ex, law, axis, around.data, out.data);
  mac::for_rows(ex, "flip.carry", law.domain, axis, CarryOne<D>{law, axis, around.data, out.data});
}

void take_carried(const Exec& ex, const mac::Domain& d, int axis, Bytes around,
                  Span<const Real> carried, Span<Real> u, Span<std::uint8_t> known) {
  mac::for_rows(ex, label, d, axis,
                TakeCarried{d, axis, around.data, carried.data, u.data, known.data});
}

template <int D>
void find_origin(const Exec& ex, const Move<D>& law, Bytes reach, Bytes deep, Bytes around,
                 Span<std::uint8_t> origin) {
  const DeepCells<D> was{law.domain, deep.data, around.data};
  if (ex.cpu_shaped()) return origin_lines<D>(ex, law, reach.data, was, origin.data);
  mac::for_rows(ex, "flip.origin", law.domain, mac::centres,
                FindOrigin<D>{law, reach.data, was, origin.data});
}

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

template <int D>
Sums sums_of_deep(const Exec& ex, const Place<D>& place, Bytes deep, const mac::Velocity& carried,
                  Vec<D> gravity) {
  return reduce(
      ex, "flip.sums", deep.size, Sums{},
      OfDeep<D>{
          place, deep.data, {carried.u[0].data, carried.u[1].data, carried.u[2].data}, gravity},
      AddSums{});
}

void leave_out(const Exec& ex, Bytes cells, Span<Real> b) {
  parallel_for(ex, label, b.size, LeaveOut{cells.data, b.data});
}

#define RTSIM_INSTANTIATE(D)                                                                     \
  template void add_region<D>(const Exec&, const Place<D>&, const region::HalfSpaces&, bool,     \
                              Span<std::uint8_t>);                                               \
  template Index count_deep<D>(const Exec&, const Place<D>&, Span<const Vec<D>>, Bytes);         \
  template void carry<D>(const Exec&, const Move<D>&, int, Bytes, Span<Real>);                   \
  template void find_origin<D>(const Exec&, const Move<D>&, Bytes, Bytes, Bytes,                 \
                               Span<std::uint8_t>);                                              \
  template struct Sites<D>;                                                                      \
  template void find_seeds<D>(const Exec&, const Move<D>&, const Sites<D>&, Cells, Bytes, Bytes, \
                              Span<std::uint64_t>);                                              \
  template void seed_all<D>(const Exec&, const Place<D>&, const Sites<D>&, Cells,                \
                            Span<std::uint64_t>);                                                \
  template void sow<D>(const Exec&, const Place<D>&, const Sites<D>&, Cells,                     \
                       Span<const std::uint64_t>, Span<const Index>, Span<const Index>,          \
                       Span<Vec<D>>);                                                            \
  template void give_velocity<D>(const Exec&, const Place<D>&, const Move<D>&, const State<D>&); \
  template Sums sums_of_deep<D>(const Exec&, const Place<D>&, Bytes, const mac::Velocity&, Vec<D>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::flip
