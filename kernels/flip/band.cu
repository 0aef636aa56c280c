#include "flip/band.h"

#include <algorithm>
#include <vector>

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

#define RTSIM_INSTANTIATE(D)                                                                 \
  template void add_region<D>(const Exec&, const Place<D>&, const region::HalfSpaces&, bool, \
                              Span<std::uint8_t>);                                           \
  template Index count_deep<D>(const Exec&, const Place<D>&, Span<const Vec<D>>, Bytes);     \
  template void carry<D>(const Exec&, const Move<D>&, int, Bytes, Span<Real>);               \
  template void find_origin<D>(const Exec&, const Move<D>&, Bytes, Bytes, Bytes,             \
                               Span<std::uint8_t>);                                          \
  template Sums sums_of_deep<D>(const Exec&, const Place<D>&, Bytes, const mac::Velocity&, Vec<D>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::flip
