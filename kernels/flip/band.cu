#include "flip/band.h"

#include <algorithm>

#include "exec/parallel.h"
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

  // The same of a line on the CPU, shift by shift.
  static void add(const std::uint8_t* __restrict from, Index begin, Index end,
                  std::uint8_t* __restrict to) {
    for (Index i = begin; i < end; ++i) to[i] |= from[i];
  }
  void line(Index j, Index k) const {
    const Index nx = domain.cells[0], n = domain.cells[axis];
    std::uint8_t* to = out + domain.row(mac::centres, 0, j, k);
    std::fill(to, to + nx, std::uint8_t(0));
    for (Index s = -radius; s <= radius; ++s) {
      Index at[3] = {0, j, k};
      if (axis == 0) {
        const std::uint8_t* from = in + domain.row(mac::centres, 0, j, k) + s;
        add(from, std::max(Index(0), -s), std::min(n, n - s), to);
        if (!domain.periodic(0)) continue;
        add(from + n, 0, std::max(Index(0), -s), to), add(from - n, std::min(n, n - s), n, to);
        continue;
      }
      at[axis] += s;
      if (at[axis] < 0 || at[axis] >= n) {
        if (!domain.periodic(axis)) continue;
        at[axis] += at[axis] < 0 ? n : -n;
      }
      add(in + domain.row(mac::centres, 0, at[1], at[2]), 0, nx, to);
    }
  }
};

void spread_along(const Exec& ex, const Spread& law) {
  const mac::Domain& d = law.domain;
  if (!ex.cpu_shaped()) return mac::for_rows(ex, "flip.spread", d, mac::centres, law);
  const Index ny = d.cells[1];
  parallel_chunks(ex, "flip.spread", ny * d.cells[2], 1 + 8192 / d.cells[0],
                  [&](Index begin, Index end) {
                    for (Index l = begin; l < end; ++l) law.line(l % ny, l / ny);
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
    for (int a = 0; a < D; ++a) x[a] = Real(at[a]) + (a == axis ? Real(0) : Real(0.5));
    Origin<D, Real>{law}(x);
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
    for (int a = 0; a < D; ++a) x[a] = Real(at[a]) + Real(0.5);
    Origin<D, Real>{law}(x);
    origin[c] = was.origin(x);
  }
};

template <int D>
struct FindSeeds {
  Move<D> law;
  Sites<D> sites;
  const std::uint8_t* origin;
  DeepCells<D> was;
  const std::uint8_t* deep;
  std::uint64_t* seeds;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = law.domain.row(mac::centres, i, j, k);
    seeds[c] = origin[c] && !deep[c] ? seeds_of<D, Real>(law, sites, was, c, at) : 0;
  }
};

template <int D>
struct SeedAll {
  mac::Domain domain;
  Sites<D> sites;
  const std::uint8_t* woken;
  std::uint64_t* seeds;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = domain.row(mac::centres, i, j, k);
    seeds[c] = 0;
    if (!woken[c]) return;
    const PlaceOfSite<D> place(sites, c, at);
    Real x[D];
    for (Index s = 0; s < sites.count(); ++s)
      if (place(s, x)) seeds[c] |= std::uint64_t(1) << s;
  }
};

RTSIM_HD inline Index bits_of(std::uint64_t bits) {
  Index n = 0;
  for (; bits; bits &= bits - 1) ++n;
  return n;
}

struct Surplus {
  const std::uint8_t* deep;
  const Index* first;
  const std::uint64_t* seeds;
  RTSIM_HD std::int64_t operator()(Index c) const {
    return (deep[c] ? first[c + 1] - first[c] : 0) - bits_of(seeds[c]);
  }
};

// The particles of a cell of the band, and how they may change.
struct InCell {
  Crowd crowd;

  RTSIM_HD bool counts(Index c) const { return !crowd.edge[c] && !crowd.deep[c]; }
  RTSIM_HD Index there(Index c) const { return crowd.first[c + 1] - crowd.first[c]; }
  RTSIM_HD Index all(Index c) const { return there(c) + bits_of(crowd.seeds[c]); }
};

struct EvenOut {
  InCell in;
  Index* change;

  RTSIM_HD std::int64_t operator()(Index c) const {
    const Index all = in.counts(c) ? in.all(c) : in.crowd.least;
    change[c] = all < in.crowd.least  ? in.crowd.least - all
                : all > in.crowd.most ? greatest_change(c, all)
                                      : 0;
    return change[c];
  }
  // Seeds stay.
  RTSIM_HD Index greatest_change(Index c, Index all) const {
    const Index more = in.crowd.most - all, none = -in.there(c);
    return more < none ? none : more;
  }
};

struct FindRoom {
  InCell in;
  bool fewer;
  const Index* change;
  Index* room;

  RTSIM_HD std::int64_t operator()(Index c) const {
    room[c] = 0;
    if (!in.counts(c)) return 0;
    const Index after = in.all(c) + change[c], left = in.there(c) + (change[c] < 0 ? change[c] : 0),
                lose = after - in.crowd.least < left ? after - in.crowd.least : left,
                more = fewer ? lose : in.crowd.most - after;
    // What gets some does not lose any.
    room[c] = more > 0 && !(fewer && change[c] > 0) ? more : 0;
    return room[c];
  }
};

struct Pay {
  std::int64_t owed, all, start;
  const Index *room, *before;
  Index* change;

  RTSIM_HD void operator()(Index c) const {
    const std::int64_t some = owed < 0 ? -owed : owed, from = start + before[c];
    const auto share = Index((from + room[c]) * some / all - from * some / all);
    change[c] += owed < 0 ? -share : share;
  }
};

struct CountSeeds {
  const std::uint64_t* seeds;
  const Index* change;
  Index* count;
  RTSIM_HD void operator()(Index c) const {
    count[c] = bits_of(seeds[c]) + (change[c] > 0 ? change[c] : 0);
  }
};

constexpr std::uint32_t further = 1;  // keys of draws behind that of sites

template <int D>
struct Sow {
  Place<D> place;
  Sites<D> sites;
  const std::uint64_t* seeds;
  const Index *change, *offset;
  Vec<D>* position;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = place.domain.row(mac::centres, i, j, k);
    if (!seeds[c] && change[c] <= 0) return;
    const PlaceOfSite<D> site(sites, c, at);
    Index row = offset[c];
    const auto put = [&](const Real(&x)[D]) {
      for (int a = 0; a < D; ++a) position[row][a] = place.metres(a, x[a]);
      ++row;
    };
    Real x[D];
    for (Index s = 0; seeds[c] >> s && s < 64; ++s)
      if (seeds[c] >> s & 1) site(s, x), put(x);
    for (Index s = 0; s < change[c]; ++s) {
      const Random4 r = philox(sites.seed, sites.key + further + std::uint32_t(s), sites.substep,
                               std::uint32_t(c));
      for (int a = 0; a < D; ++a) x[a] = Real(at[a]) + Real(uniform(r.c[a]));
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
  const std::uint32_t* keys;
  const Index *order, *first;
  const std::uint8_t* deep;
  const Index* change;
  std::uint32_t* doomed;

  RTSIM_HD void operator()(Index k) const {
    const Index row = order[k], c = Index(keys[row]), n = first[c + 1] - first[c];
    const auto turned = Index((std::uint64_t(k - first[c]) + substep) % std::uint64_t(n));
    doomed[row] = deep[c] || turned < -change[c];
  }
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

std::int64_t surplus(const Exec& ex, Bytes deep, Span<const Index> first,
                     Span<const std::uint64_t> seeds) {
  return reduce(ex, label, deep.size, std::int64_t(0), Surplus{deep.data, first.data, seeds.data},
                Plus{});
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

template <int D>
void find_seeds(const Exec& ex, const Move<D>& law, const Sites<D>& sites, Bytes origin,
                Bytes was_deep, Bytes deep, Span<std::uint64_t> seeds) {
  const DeepCells<D> was{law.domain, was_deep.data, nullptr};
  if (ex.cpu_shaped())
    return seed_cells<D>(ex, law, sites, origin.data, was, deep.data, seeds.data);
  mac::for_rows(ex, "flip.seeds", law.domain, mac::centres,
                FindSeeds<D>{law, sites, origin.data, was, deep.data, seeds.data});
}

template <int D>
void seed_all(const Exec& ex, const Place<D>& place, const Sites<D>& sites, Bytes woken,
              Span<std::uint64_t> seeds) {
  mac::for_rows(ex, label, place.domain, mac::centres,
                SeedAll<D>{place.domain, sites, woken.data, seeds.data});
}

Crowd Crowd::limited(double tile, Span<const Index> first, Span<const std::uint64_t> seeds,
                     Bytes edge, Bytes deep) {
  return {Index(std::ceil(tile / 2)), Index(std::floor(2 * tile)), first, seeds, edge, deep};
}

std::int64_t even_out(const Exec& ex, const Crowd& crowd, Span<Index> change) {
  return reduce(ex, label, change.size, std::int64_t(0), EvenOut{{crowd}, change.data}, Plus{});
}

std::int64_t find_room(const Exec& ex, const Crowd& crowd, bool fewer, Span<const Index> change,
                       Span<Index> room) {
  return reduce(ex, label, room.size, std::int64_t(0),
                FindRoom{{crowd}, fewer, change.data, room.data}, Plus{});
}

void pay(const Exec& ex, std::int64_t owed, std::int64_t all, std::int64_t start,
         Span<const Index> room, Span<const Index> before, Span<Index> change) {
  parallel_for(ex, label, change.size,
               Pay{owed, all, start % all, room.data, before.data, change.data});
}

void count_seeds(const Exec& ex, Span<const std::uint64_t> seeds, Span<const Index> change,
                 Span<Index> count) {
  parallel_for(ex, label, count.size, CountSeeds{seeds.data, change.data, count.data});
}

template <int D>
void sow(const Exec& ex, const Place<D>& place, const Sites<D>& sites,
         Span<const std::uint64_t> seeds, Span<const Index> change, Span<const Index> offset,
         Span<Vec<D>> position) {
  mac::for_rows(ex, "flip.seeds", place.domain, mac::centres,
                Sow<D>{place, sites, seeds.data, change.data, offset.data, position.data});
}

template <int D>
void give_velocity(const Exec& ex, const Place<D>& place, const Move<D>& law, const State<D>& s) {
  if (ex.cpu_shaped()) return give_eights<D>(ex, place, law, s);
  parallel_for(ex, "flip.seeds", s.position.size, GiveVelocity<D>{place, law, s});
}

void number(const Exec& ex, std::uint32_t first, Span<std::uint32_t> id) {
  parallel_for(ex, "flip.seeds", id.size, Number{first, id.data});
}

void doom(const Exec& ex, std::uint64_t substep, Span<const std::uint32_t> keys,
          Span<const Index> order, Span<const Index> first, Bytes deep, Span<const Index> change,
          Span<std::uint32_t> doomed) {
  parallel_for(
      ex, label, doomed.size,
      Doom{substep, keys.data, order.data, first.data, deep.data, change.data, doomed.data});
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
  template void find_seeds<D>(const Exec&, const Move<D>&, const Sites<D>&, Bytes, Bytes, Bytes, \
                              Span<std::uint64_t>);                                              \
  template void seed_all<D>(const Exec&, const Place<D>&, const Sites<D>&, Bytes,                \
                            Span<std::uint64_t>);                                                \
  template void sow<D>(const Exec&, const Place<D>&, const Sites<D>&, Span<const std::uint64_t>, \
                       Span<const Index>, Span<const Index>, Span<Vec<D>>);                      \
  template void give_velocity<D>(const Exec&, const Place<D>&, const Move<D>&, const State<D>&); \
  template Sums sums_of_deep<D>(const Exec&, const Place<D>&, Bytes, const mac::Velocity&, Vec<D>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::flip
