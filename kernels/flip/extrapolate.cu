#include <algorithm>
#include <vector>

#include "exec/parallel.h"
#include "flip/flip.h"
#include "mac/for_rows.h"

namespace rtsim::flip {

namespace {

// The row beside one of a lattice along an axis; or -1 outside.
RTSIM_HD inline Index beside(const mac::Domain& d, int lattice, const Index (&at)[3], int axis,
                             Index step) {
  Index q[3] = {at[0], at[1], at[2]};
  const Index n = d.count(lattice, axis);
  q[axis] += step;
  if (q[axis] < 0 || q[axis] >= n) {
    if (!d.periodic(axis)) return -1;
    q[axis] += q[axis] < 0 ? d.cells[axis] : -d.cells[axis];
  }
  return d.row(lattice, q[0], q[1], q[2]);
}

// Whether any face of a line is known, and lines of faces beside lines; and whether all are.
inline bool any_known(const std::uint8_t* line, Index n) {
  unsigned any = 0;
  for (Index i = 0; i < n; ++i) any |= line[i];
  return any != 0;
}
inline bool all_known(const std::uint8_t* line, Index n) {
  unsigned unknowns = 0;
  for (Index i = 0; i < n; ++i) unknowns |= unsigned(line[i] == unknown);
  return unknowns == 0;
}
bool any_known_near(const mac::Domain& d, int axis, const std::uint8_t* known, Index j, Index k) {
  const Index n = d.count(axis, 0), at[3] = {0, j, k};
  bool any = any_known(known + d.row(axis, 0, j, k), n);
  for (int a = 1; a < d.dims && !any; ++a)
    for (Index step = -1; step <= 1; step += 2) {
      const Index b = beside(d, axis, at, a, step);
      any = any || (b >= 0 && any_known(known + b, n));
    }
  return any;
}

// Lines far from all known faces stay unknown: on the CPU they are not looked at one by one.
template <class Kernel>
void for_faces(const Exec& ex, const char* label, const Kernel& kernel) {
  const mac::Domain& d = kernel.domain;
  const int axis = kernel.axis;
  if (!ex.cpu_shaped()) return mac::for_rows(ex, label, d, axis, kernel);
  const Index n = d.count(axis, 0), ny = d.count(axis, 1), lines = ny * d.count(axis, 2);
  parallel_chunks(ex, label, lines, 1 + 8192 / n, [&](Index begin, Index end) {
    const Kernel own = kernel;
    for (Index l = begin; l < end; ++l) {
      const Index j = l % ny, k = l / ny;
      if (any_known_near(d, axis, own.known, j, k))
        for (Index i = 0; i < n; ++i) own(i, j, k);
      else
        std::fill(own.next + l * n, own.next + (l + 1) * n, std::uint8_t(unknown));
    }
  });
}

struct Extrapolate {
  mac::Domain domain;
  int axis;
  Known as;
  const std::uint8_t* known;
  std::uint8_t* next;
  const Real* u;
  Real* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, r = domain.row(axis, i, j, k);
    next[r] = known[r], out[r] = u[r];
    if (known[r]) return;
    Real sum = 0;
    int count = 0;
    for (int a = 0; a < domain.dims; ++a)
      for (Index step = -1; step <= 1; step += 2) {
        const Index b = beside(domain, axis, at, a, step);
        if (b >= 0 && known[b]) sum += u[b], ++count;
      }
    if (count > 0) out[r] = sum / Real(count), next[r] = as;
  }

  // The same of a line on the CPU, in the same order of sums, for the compiler to take eight at a
  // time. A line that is not there has no known faces.
  void line(Index j, Index k, const std::uint8_t* none, const Real* zeros) const {
    const Index n = domain.count(axis, 0), at[3] = {0, j, k}, first = domain.row(axis, 0, j, k);
    if (all_known(known + first, n) || !any_known_near(domain, axis, known, j, k)) {
      std::copy(known + first, known + first + n, next + first);
      std::copy(u + first, u + first + n, out + first);
      return;
    }
    const std::uint8_t* m[5] = {known + first, none, none, none, none};
    const Real* v[5] = {u + first, zeros, zeros, zeros, zeros};
    for (int a = 1; a < domain.dims; ++a)
      for (Index up = 0; up < 2; ++up) {
        const Index b = beside(domain, axis, at, a, up ? 1 : -1);
        if (b >= 0) m[2 * a - 1 + up] = known + b, v[2 * a - 1 + up] = u + b;
      }
    (*this)(0, j, k), (*this)(n - 1, j, k);
    const std::uint8_t *m0 = m[0], *m1 = m[1], *m2 = m[2], *m3 = m[3], *m4 = m[4];
    const int given = as;
    const Real *v0 = v[0], *v1 = v[1], *v2 = v[2], *v3 = v[3], *v4 = v[4];
    std::uint8_t* const to_known = next + first;
    Real* const to = out + first;
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#pragma GCC ivdep
#endif
    for (Index i = 1; i < n - 1; ++i) {
      const int a = m0[i - 1] != 0, b = m0[i + 1] != 0, c = m1[i] != 0, d = m2[i] != 0,
                e = m3[i] != 0, f = m4[i] != 0, own = m0[i] != 0;
      const int count = a + b + c + d + e + f, some = count > 0;
      const Real sum = Real(a) * v0[i - 1] + Real(b) * v0[i + 1] + Real(c) * v1[i] +
                       Real(d) * v2[i] + Real(e) * v3[i] + Real(f) * v4[i];
      const Real mean = sum / Real(count + 1 - some);
      const int take = some & (1 - own);
      to[i] = take != 0 ? mean : v0[i];
      to_known[i] = std::uint8_t(m0[i] + take * given);
    }
  }
};

struct PushBeyond {
  mac::Domain domain;
  int axis;
  const Real *open, *surface, *before;
  const std::uint8_t* known;
  std::uint8_t* next;
  Real* u;

  RTSIM_HD bool liquid(Index i, Index j, Index k) const {
    Index at[3] = {i, j, k};
    const Index n = domain.cells[axis];
    if (at[axis] < 0 || at[axis] >= n) {
      if (!domain.periodic(axis)) return false;
      at[axis] += at[axis] < 0 ? n : -n;
    }
    return surface[domain.row(mac::centres, at[0], at[1], at[2])] < 0;
  }
  RTSIM_HD bool pushed(Index r) const {
    if (!(open[r] > 0)) return false;
    const Index nx = domain.count(axis, 0), ny = domain.count(axis, 1);
    const Index i = r % nx, j = r / nx % ny, k = r / nx / ny;
    return liquid(i, j, k) || liquid(i - (axis == 0), j - (axis == 1), k - (axis == 2));
  }
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, r = domain.row(axis, i, j, k);
    next[r] = unknown;
    if (!(open[r] > 0) || known[r] == unknown) return;
    if (pushed(r)) {
      next[r] = reached;
      return;
    }
    if (known[r] != reached) return;
    next[r] = reached;
    Real sum = 0;
    int count = 0;
    for (int a = 0; a < domain.dims; ++a)
      for (Index step = -1; step <= 1; step += 2) {
        const Index b = beside(domain, axis, at, a, step);
        if (b >= 0 && known[b] != unknown && pushed(b)) sum += u[b] - before[b], ++count;
      }
    if (count > 0) u[r] += sum / Real(count);
  }
};

// u_a - n_a n (u - u_wall), n the slope of the clearance.
struct Slide {
  mac::Domain domain;
  int axis;
  mac::Walls walls;
  mac::Velocity u;
  Real* out;

  RTSIM_HD bool on_side(const Index (&at)[3]) const {
    return !domain.periodic(axis) && (at[axis] == 0 || at[axis] == domain.cells[axis]);
  }
  RTSIM_HD Real slope(const Index (&at)[3], int a) const {
    const Real* c = walls.clearance[axis].data;
    const Index r = domain.row(axis, at[0], at[1], at[2]);
    const Index low = beside(domain, axis, at, a, -1), high = beside(domain, axis, at, a, 1);
    return (high < 0 ? c[r] : c[high]) - (low < 0 ? c[r] : c[low]);
  }
  // Component b beside a face: the mean of the four of its cells.
  RTSIM_HD Real mean(const Real* v, const Index (&at)[3], int b) const {
    if (b == axis) return v[domain.row(axis, at[0], at[1], at[2])];
    Real sum = 0;
    for (Index back = 0; back < 2; ++back)
      for (Index up = 0; up < 2; ++up) {
        Index q[3] = {at[0], at[1], at[2]};
        const Index n = domain.cells[axis];
        q[axis] -= back, q[b] += up;
        if (q[axis] < 0) q[axis] = domain.periodic(axis) ? n - 1 : 0;
        if (q[axis] >= n) q[axis] = domain.periodic(axis) ? 0 : n - 1;
        sum += v[domain.row(b, q[0], q[1], q[2])];
      }
    return Real(0.25) * sum;
  }
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, r = domain.row(axis, i, j, k);
    out[r] = u.u[axis][r];
    if (walls.open[axis][r] > 0) return;
    if (on_side(at) || walls.clearance[axis].size == 0) {
      out[r] = walls.velocity[axis][r];
      return;
    }
    Real n[3] = {0, 0, 0}, square = 0, through = 0;
    for (int a = 0; a < domain.dims; ++a) n[a] = slope(at, a), square += n[a] * n[a];
    if (!(square > 0)) {
      out[r] = walls.velocity[axis][r];
      return;
    }
    for (int a = 0; a < domain.dims; ++a)
      through += n[a] * (mean(u.u[a].data, at, a) - mean(walls.velocity[a].data, at, a));
    out[r] -= n[axis] * through / square;
  }
};

}  // namespace

void extrapolate(const Exec& ex, const mac::Domain& d, int axis, Known as,
                 Span<const std::uint8_t> known, Span<std::uint8_t> next, Span<const Real> u,
                 Span<Real> out) {
  const Extrapolate law{d, axis, as, known.data, next.data, u.data, out.data};
  if (!ex.cpu_shaped()) return mac::for_rows(ex, "flip.extrapolate", d, axis, law);
  const Index n = d.count(axis, 0), ny = d.count(axis, 1), lines = ny * d.count(axis, 2);
  const std::vector<std::uint8_t> none(std::size_t(n), unknown);
  const std::vector<Real> zeros(std::size_t(n), Real(0));
  parallel_chunks(ex, "flip.extrapolate", lines, 1 + 8192 / n, [&](Index begin, Index end) {
    const Extrapolate own = law;
    for (Index l = begin; l < end; ++l) own.line(l % ny, l / ny, none.data(), zeros.data());
  });
}

void push_beyond(const Exec& ex, const mac::Domain& d, int axis, Span<const Real> open,
                 Span<const Real> surface, Span<const Real> before, Span<const std::uint8_t> known,
                 Span<std::uint8_t> next, Span<Real> u) {
  for_faces(
      ex, "flip.push_beyond",
      PushBeyond{d, axis, open.data, surface.data, before.data, known.data, next.data, u.data});
}

void slide(const Exec& ex, const mac::Domain& d, int axis, const mac::Walls& walls,
           const mac::Velocity& u, Span<Real> out) {
  mac::for_rows(ex, "flip.slide", d, axis, Slide{d, axis, walls, u, out.data});
}

}  // namespace rtsim::flip
