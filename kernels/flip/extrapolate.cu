#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "exec/parallel.h"
#include "flip/beside_liquid.h"
#include "lanes/lanes.h"
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

// Whether any face of a line is known, and lines of faces beside lines.
inline bool any_known(const std::uint8_t* line, Index n) {
  unsigned any = 0;
  for (Index i = 0; i < n; ++i) any |= line[i];
  return any != 0;
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

// Eight faces of a line at once.
constexpr Index word = 8;
inline std::uint64_t word_at(const std::uint8_t* p) {
  std::uint64_t w;
  std::memcpy(&w, p, word);
  return w;
}
inline bool some_unknown(std::uint64_t w) {  // a byte that is 0
  constexpr std::uint64_t ones = 0x0101010101010101;
  return ((w - ones) & ~w & (ones << 7)) != 0;
}

// Some of the faces of a line.
struct FacesOfLine {
  Index begin = 0, end = 0;

  bool some() const { return begin < end; }
  void add(const FacesOfLine& o) {
    if (!o.some()) return;
    begin = some() ? std::min(begin, o.begin) : o.begin, end = std::max(end, o.end);
  }
  void add(Index i) { add({i, i + 1}); }
};

struct Extrapolate {
  mac::Domain domain;
  int axis;
  Known as;
  const std::uint8_t* known;
  std::uint8_t* next;
  Real* u;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, r = domain.row(axis, i, j, k);
    next[r] = known[r];
    if (known[r]) return;
    Real sum = 0;
    int count = 0;
    for (int a = 0; a < domain.dims; ++a)
      for (Index step = -1; step <= 1; step += 2) {
        const Index b = beside(domain, axis, at, a, step);
        if (b >= 0 && known[b]) sum += u[b], ++count;
      }
    if (count > 0) u[r] = sum / Real(count), next[r] = as;
  }

  // The same of faces `look` of a line on the CPU, in the same order of sums; returns those that
  // became known. `next` has what was known a layer ago, and `stale` are those that it lacks. Words
  // that are known, or far from what is known, are passed over. A line that is not there has no
  // known faces.
  FacesOfLine line(Index j, Index k, FacesOfLine stale, FacesOfLine look,
                   const std::uint8_t* none) const {
    const Index n = domain.count(axis, 0), at[3] = {0, j, k}, first = domain.row(axis, 0, j, k);
    const std::uint8_t* own = known + first;
    if (stale.some()) std::copy(own + stale.begin, own + stale.end, next + first + stale.begin);
    const std::uint8_t* m[4] = {none, none, none, none};
    const Real* v[4] = {u, u, u, u};
    for (int a = 1; a < domain.dims; ++a)
      for (Index up = 0; up < 2; ++up)
        if (const Index b = beside(domain, axis, at, a, up ? 1 : -1); b >= 0)
          m[2 * a - 2 + up] = known + b, v[2 * a - 2 + up] = u + b;
    FacesOfLine found;
    const auto face = [&](Index i) {
      if (own[i]) return;
      Real sum = 0;
      int count = 0;
      const auto take = [&](std::uint8_t is, const Real* from) {
        if (is) sum += *from, ++count;
      };
      take(own[i - 1], u + first + i - 1), take(own[i + 1], u + first + i + 1);
      for (int b = 0; b < 4; ++b) take(m[b][i], v[b] + i);
      if (count > 0) u[first + i] = sum / Real(count), next[first + i] = as, found.add(i);
    };
    const auto end = [&](Index i) {
      if (own[i] || i < look.begin || i >= look.end) return;
      (*this)(i, j, k);
      if (next[first + i]) found.add(i);
    };
    end(0);
    const Index last = std::min(look.end, n - 1);
    Index i = std::max(look.begin, Index(1));
    for (; i + word <= last; i += word) {
      if (!some_unknown(word_at(own + i))) continue;
      std::uint64_t any = word_at(own + i - 1) | word_at(own + i + 1);
      for (const std::uint8_t* beside_line : m) any |= word_at(beside_line + i);
      for (Index e = 0; e < word && any != 0; ++e) face(i + e);
    }
    for (; i < last; ++i) face(i);
    if (n > 1) end(n - 1);
    return found;
  }
};

// On the CPU a layer looks at the faces beside those that became known with the one before.
class ExtrapolateLines {
 public:
  ExtrapolateLines(const mac::Domain& d, int axis)
      : domain_(d),
        axis_(axis),
        n_(d.count(axis, 0)),
        lines_(d.count(axis, 1) * d.count(axis, 2)),
        none_(std::size_t(n_), unknown),
        last_(std::size_t(lines_), FacesOfLine{0, n_}),
        found_(last_.size()) {}

  void layer(const Exec& ex, const Extrapolate& law) {
    parallel_chunks(ex, "flip.extrapolate", lines_, 1 + 8192 / n_, [&](Index begin, Index end) {
      const Extrapolate own = law;
      const Index ny = domain_.count(axis_, 1);
      for (Index l = begin; l < end; ++l) {
        const Index j = l % ny, k = l / ny;
        const FacesOfLine stale = last_[std::size_t(l)], look = beside_last(j, k);
        found_[std::size_t(l)] =
            look.some() ? own.line(j, k, stale, look, none_.data()) : FacesOfLine();
      }
    });
    last_.swap(found_);
  }

 private:
  FacesOfLine beside_last(Index j, Index k) const {
    const Index at[3] = {0, j, k};
    FacesOfLine look = last_[std::size_t(domain_.row(axis_, 0, j, k) / n_)];
    if (look.some()) {
      const bool round = domain_.periodic(0) && (look.begin == 0 || look.end == n_);
      look.begin = round ? 0 : std::max(look.begin - 1, Index(0));
      look.end = round ? n_ : std::min(look.end + 1, n_);
    }
    for (int a = 1; a < domain_.dims; ++a)
      for (Index step = -1; step <= 1; step += 2)
        if (const Index b = beside(domain_, axis_, at, a, step); b >= 0)
          look.add(last_[std::size_t(b / n_)]);
    return look;
  }

  const mac::Domain domain_;
  const int axis_;
  const Index n_, lines_;
  const std::vector<std::uint8_t> none_;
  std::vector<FacesOfLine> last_, found_;
};

struct PushBeyond {
  mac::Domain domain;
  int axis;
  const Real *open, *surface, *before;
  const std::uint8_t* known;
  std::uint8_t* next;
  Real* u;

  RTSIM_HD bool pushed(Index r) const {
    if (!(open[r] > 0)) return false;
    const Index nx = domain.count(axis, 0), ny = domain.count(axis, 1);
    const Index i = r % nx, j = r / nx % ny, k = r / nx / ny;
    return beside_liquid(domain, axis, surface, i, j, k);
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
  // A line of faces along x on the CPU: most are open.
  void line(Index first, Index n, Index j, Index k) const {
    const Real *open = walls.open[axis].data + first, *from = u.u[axis].data + first;
    Index i = 0;
    for (; i + lane_count <= n; i += lane_count) {
      Lanes<Real>::load(from + i).store(out + first + i);
      for (unsigned closed =
               ((1u << lane_count) - 1) & ~less(Lanes<Real>(Real(0)), Lanes<Real>::load(open + i));
           closed != 0; closed &= closed - 1)
        (*this)(i + std::countr_zero(closed), j, k);
    }
    for (; i < n; ++i) (*this)(i, j, k);
  }
};

}  // namespace

void extrapolate(const Exec& ex, const mac::Domain& d, int axis, Known as, int layers,
                 Buffer<std::uint8_t>& known, Buffer<std::uint8_t>& next, Span<Real> u) {
  std::optional<ExtrapolateLines> lines;
  if (ex.cpu_shaped()) lines.emplace(d, axis);
  for (int k = 0; k < layers; ++k) {
    const Extrapolate law{d, axis, as, known.data(), next.data(), u.data};
    if (lines)
      lines->layer(ex, law);
    else
      mac::for_rows(ex, "flip.extrapolate", d, axis, law);
    known.swap(next);
  }
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
  const Slide law{d, axis, walls, u, out.data};
  if (!ex.cpu_shaped()) return mac::for_rows(ex, "flip.slide", d, axis, law);
  const Index nx = d.count(axis, 0), ny = d.count(axis, 1);
  parallel_chunks(ex, "flip.slide", ny * d.count(axis, 2), 1 + 8192 / nx,
                  [&](Index begin, Index end) {
                    for (Index l = begin; l < end; ++l) law.line(l * nx, nx, l % ny, l / ny);
                  });
}

}  // namespace rtsim::flip
