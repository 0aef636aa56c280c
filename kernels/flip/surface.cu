#include "flip/surface.h"

#include <bit>
#include <cstring>
#include <optional>

#include "exec/parallel.h"
#include "mac/for_rows.h"

namespace rtsim::flip {

namespace {

// Eight bytes, and those of them that are 1 where all are 0 or 1.
std::uint64_t word(const std::uint8_t* p) {
  static_assert(lane_count == sizeof(std::uint64_t));
  std::uint64_t w;
  std::memcpy(&w, p, sizeof w);
  return w;
}
unsigned bits(std::uint64_t bytes) { return unsigned((bytes * 0x0102040810204080) >> 56); }

// kernel(i, j, k) on the CPU for the cells of a line that `some` has the bits of, of eight from i
// on, and for the last ones that are less than eight.
template <class Some, class Kernel>
void for_some(Index n, Index j, Index k, const Some& some, const Kernel& kernel) {
  Index i = 0;
  for (; i + lane_count <= n; i += lane_count)
    for (unsigned left = some(i); left != 0; left &= left - 1)
      kernel(i + std::countr_zero(left), j, k);
  for (; i < n; ++i) kernel(i, j, k);
}
template <class Some, class Kernel>
void for_some_cells(const Exec& ex, const mac::Domain& d, const Some& some, const Kernel& kernel) {
  const Index n = d.cells[0], ny = d.cells[1];
  parallel_chunks(ex, "flip.surface", ny * d.cells[2], 1 + 8192 / n, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l)
      for_some(
          n, l % ny, l / ny, [&](Index i) { return some(l, i); }, kernel);
  });
}

// On the CPU kernel(i, j, k) for cells that the values beside them may change, which most are not:
// where no wall touches them or those beside, cells keep what they have, by a scale, eight at once.
// Where one does it is for cells near particles; the others have `full` where they are deep
// (flip/band.h), where no surface is near, else `far_off`.
template <int D, class Kernel>
struct NearCells {
  mac::Domain domain;
  Particles<D> particles;
  Kernel kernel;
  Real* out;
  Real scale;

  void operator()(Index line) const {
    const Index n = domain.cells[0], j = line % domain.cells[1], k = line / domain.cells[1];
    const Real* const clearance = kernel.level.clearance[0];
    const Beside beside(*this, j, k);
    std::optional<Filled> filled;
    const auto alone = [&](Index i, bool beside_wall) {
      const Index c = line * n + i;
      if (!beside_wall) return void(out[c] = kernel(i, j, k));
      if (!filled) filled = filled_near<D>(domain, particles.first, mac::centres, box_reach, j, k);
      const bool reach = i >= filled->low - box_reach && i <= filled->high + box_reach;
      out[c] = particles.deep && particles.deep[c] ? scale * full
               : reach                             ? kernel(i, j, k)
                                                   : scale * far_off;
    };
    alone(0, clearance);
    Index i = 1;
    for (; i + lane_count < n; i += lane_count) {
      const bool near = clearance && near_walls(clearance + line * (n + 1) + i);
      const unsigned touch = near ? those_at_walls(i, j, k) : 0;
      (Lanes<Real>(scale) * Lanes<Real>::load(beside.own + i)).store(out + line * n + i);
      for (unsigned left = touch | changes(beside, i); left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        alone(i + lane, touch >> lane & 1);
      }
    }
    for (; i < n; ++i) alone(i, clearance);
  }

 private:
  // The line of cells, and those beside it.
  struct Beside {
    const Real *own, *of[4];
    bool inner[4] = {};

    Beside(const NearCells& c, Index j, Index k) {
      const Index at[3] = {0, j, k};
      own = c.kernel.level.value + c.domain.row(mac::centres, 0, j, k);
      for (const Real*& o : of) o = own;
      for (int a = 1; a < D; ++a)
        for (int side = 0; side < 2; ++side) {
          Index face;
          const Index b = c.kernel.level.beside(at, a, side, face);
          if (b >= 0)
            of[2 * a - 2 + side] = c.kernel.level.value + b, inner[2 * a - 2 + side] = true;
        }
    }
  };
  // By the faces before and behind eight cells: distances of walls are known up to two cells, and
  // where the corners of those faces are as far the cells beside these lie outside of walls, too.
  bool near_walls(const Real* clearance) const {
    const Lanes<Real> nearest = min(Lanes<Real>::load(clearance), Lanes<Real>::load(clearance + 1));
    return less(nearest, Lanes<Real>(2 * domain.spacing)) != 0;
  }
  // Those of eight that have a closed face, or their middle or that of one beside in a wall.
  unsigned those_at_walls(Index i, Index j, Index k) const {
    using Eight = Lanes<Real>;
    const auto& level = kernel.level;
    const Index at[3] = {i, j, k}, c = domain.row(mac::centres, i, j, k);
    std::uint64_t in_wall =
        word(level.in_wall + c - 1) | word(level.in_wall + c) | word(level.in_wall + c + 1);
    Eight open(Real(1));
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        Index face;
        const Index b = level.beside(at, a, side, face);
        if (b < 0) continue;
        if (a > 0) in_wall |= word(level.in_wall + b);
        open = min(open, Eight::load(level.open[a] + face));
      }
    constexpr unsigned all = (1u << lane_count) - 1;
    return bits(in_wall) | (all & ~less(Eight(Real(0)), open));
  }
  unsigned changes(const Beside& beside, Index i) const {
    using Eight = Lanes<Real>;
    Eight most = max(Eight::load(beside.own + i - 1), Eight::load(beside.own + i + 1));
    for (int b = 0; b < 4; ++b)
      if (beside.inner[b]) most = max(most, Eight::load(beside.of[b] + i));
    return kernel.changes(less(Eight::load(beside.own + i), Eight(Real(0))),
                          less(most, Eight(Real(0))));
  }
};
template <class Kernel>
struct Cell {
  mac::Domain domain;
  Kernel kernel;
  Real* out;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    out[domain.row(mac::centres, i, j, k)] = kernel(i, j, k);
  }
};

// Where there are no particles the distance to the nearest box [cells], else `full`.
template <int D>
struct ToBoxes {
  mac::Domain domain;
  Particles<D> particles;
  Real half;

  RTSIM_HD Real operator()(Index i, Index j, Index k) const {
    const Index c = domain.row(mac::centres, i, j, k), at[3] = {i, j, k};
    if (particles.fill(c)) return full;
    Real nearest = far_off * far_off;
    for_runs<D>(domain, particles.first, mac::centres, box_reach, at,
                [&](Index begin, Index end, const Real* x) {
                  for (Index p = begin; p < end; ++p) {
                    Real off[D];
                    for (int a = 0; a < D; ++a) off[a] = particles.x[a][p] - x[a];
                    nearest = least(nearest, square_to_box<D>(off, half));
                  }
                });
    return std::sqrt(nearest);
  }
};

// The values of cells, where those inside of walls are as beside the wall.
template <int D>
struct Level {
  mac::Domain domain;
  const Real* open[3];
  const Real* clearance[3];     // null: no walls
  const std::uint8_t* in_wall;  // of cells
  const Real* value;

  // The cell beside one and the face between; or -1 outside.
  RTSIM_HD Index beside(const Index (&at)[3], int axis, int side, Index& face) const {
    Index q[3] = {at[0], at[1], at[2]};
    const Index n = domain.cells[axis];
    Index f[3] = {at[0], at[1], at[2]};
    f[axis] += side;
    face = domain.row(axis, f[0], f[1], f[2]);
    q[axis] += side ? 1 : -1;
    if (q[axis] < 0 || q[axis] >= n) {
      if (!domain.periodic(axis)) return -1;
      q[axis] += q[axis] < 0 ? n : -n;
    }
    return domain.row(mac::centres, q[0], q[1], q[2]);
  }
  RTSIM_HD void place(Index c, Index (&at)[3]) const {
    at[0] = c % domain.cells[0], at[1] = c / domain.cells[0] % domain.cells[1];
    at[2] = c / domain.cells[0] / domain.cells[1];
  }
  // How far the centre lies outside of walls [m].
  RTSIM_HD Real clear(const Index (&at)[3]) const {
    Real sum = 0;
    for (int a = 0; a < D; ++a)
      for (Index side = 0; side < 2; ++side) {
        Index f[3] = {at[0], at[1], at[2]};
        f[a] += side;
        sum += clearance[a][domain.row(a, f[0], f[1], f[2])];
      }
    return sum / Real(2 * D);
  }
  RTSIM_HD bool inside_wall(Index c) const { return clearance[0] && in_wall[c]; }
  // Of a cell inside of a wall: from cell to cell through open faces away from the wall, in corners
  // up to one for each axis, until outside of it.
  RTSIM_HD Real operator()(Index c) const {
    if (!inside_wall(c)) return value[c];
    Index at[3];
    place(c, at);
    Real off = clear(at);
    for (int hop = 0; hop < D && off <= 0; ++hop) {
      Index best = c;
      for (int a = 0; a < D; ++a)
        for (int side = 0; side < 2; ++side) {
          Index face, q[3];
          const Index b = beside(at, a, side, face);
          if (b < 0 || !(open[a][face] > 0)) continue;
          place(b, q);
          const Real there = clear(q);
          if (there > off) off = there, best = b;
        }
      if (best == c) break;
      c = best;
      place(c, at);
    }
    return value[c];
  }
};

template <int D>
Level<D> level_of(const mac::Domain& d, const mac::Walls& walls, Span<const std::uint8_t> in_wall,
                  Span<const Real> of) {
  Level<D> l{d, {}, {}, in_wall.data, of.data};
  for (int a = 0; a < D; ++a) {
    l.open[a] = walls.open[a].data;
    l.clearance[a] = walls.clearance[a].size > 0 ? walls.clearance[a].data : nullptr;
  }
  return l;
}

template <int D>
struct FindInWall {
  Level<D> level;
  std::uint8_t* in_wall;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const bool far = level.clearance[0][level.domain.row(0, i, j, k)] >= 2 * level.domain.spacing;
    in_wall[level.domain.row(mac::centres, i, j, k)] = !far && level.clear({i, j, k}) <= 0;
  }
};

template <int D>
struct InWalls {
  Level<D> level;
  const Index* first;

  RTSIM_HD Real operator()(Index i, Index j, Index k) const {
    const Index c = level.domain.row(mac::centres, i, j, k);
    const Real h = level.domain.spacing;
    if (!level.clearance[0] || level.clearance[0][level.domain.row(0, i, j, k)] >= h)
      return level.value[c];
    const Real beside = level(c);
    const bool wet = level.inside_wall(c) && first[c] < first[c + 1];
    return wet && beside >= 0 && beside < h ? beside - h : beside;
  }
};

template <int D>
struct FillGaps {
  Level<D> level;

  // By bits of cells that are below the surface, and whose greatest neighbour is.
  static unsigned changes(unsigned below, unsigned all_below) { return all_below & ~below; }
  RTSIM_HD Real operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = level.domain.row(mac::centres, i, j, k);
    const Real own = level(c);
    if (own < 0) return own;
    bool beside_some = false;
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        Index face;
        const Index b = level.beside(at, a, side, face);
        const bool wall = b < 0 ? level.domain.closed(a, side) : level.inside_wall(b);
        if (!wall && (b < 0 || level.value[b] >= 0)) return own;
        beside_some = beside_some || !wall;
      }
    return beside_some ? full : own;
  }
};

// A distance that grows inwards from cells >= 0 with a slope of 1: the phi with
//   sum over axes (a_k - phi)^2 = 1,   a_k: the greater of the two cells beside this one [cells].
template <int D>
struct GoOn {
  Level<D> level;
  Real scale;

  static unsigned changes(unsigned below, unsigned all_below) { return below & ~all_below; }
  RTSIM_HD Real operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = level.domain.row(mac::centres, i, j, k);
    const Real own = level(c);
    if (own >= 0) return scale * own;
    Real from[D];
    int count = 0;
    for (int a = 0; a < D; ++a) {
      Real most = -1;
      for (int side = 0; side < 2; ++side) {
        Index face;
        const Index b = level.beside(at, a, side, face);
        const Real v = b < 0 || !(level.open[a][face] > 0) ? Real(-1) : level(b);
        most = v > most ? v : most;
      }
      if (!(most >= 0)) continue;
      int at_place = count++;
      for (; at_place > 0 && from[at_place - 1] < most; --at_place)
        from[at_place] = from[at_place - 1];
      from[at_place] = most;
    }
    return scale * (count > 0 ? solve(from, count) : own);
  }
  // From the greatest on, as long as the next is above what those before it give.
  RTSIM_HD static Real solve(const Real (&from)[D], int count) {
    Real phi = from[0] - 1, sum = from[0], squares = from[0] * from[0];
    for (int n = 2; n <= count && from[n - 1] > phi; ++n) {
      sum += from[n - 1], squares += from[n - 1] * from[n - 1];
      const Real root = sum * sum - Real(n) * (squares - 1);
      if (root > 0) phi = (sum - std::sqrt(root)) / Real(n);
    }
    return phi > -1 ? phi : Real(-1);
  }
};

}  // namespace

// Which cells have their middle in a wall.
template <int D>
static void find_in_wall(const Exec& ex, const mac::Domain& d, const Level<D>& level,
                         Span<std::uint8_t> in_wall) {
  const FindInWall<D> kernel{level, in_wall.data};
  if (!ex.cpu_shaped()) return mac::for_rows(ex, "flip.surface", d, mac::centres, kernel);
  const auto near = [&](Index line, Index i) {
    const Index c = line * d.cells[0] + i;
    std::memset(in_wall.data + c, 0, lane_count);
    return less(Lanes<Real>::load(level.clearance[0] + c + line), Lanes<Real>(2 * d.spacing));
  };
  for_some_cells(ex, d, near, kernel);
}

template <int D>
void surface(const Exec& ex, const mac::Domain& d, const mac::Walls& walls, const Particles<D>& p,
             Real half, Span<Real> scratch, Span<std::uint8_t> in_wall, Span<Real> distance) {
  const auto level = [&](Span<Real> of) { return level_of<D>(d, walls, in_wall, of); };
  if (walls.clearance[0].size > 0) find_in_wall<D>(ex, d, level(distance), in_wall);

  const auto for_cells = [&](const auto& kernel, Span<Real> out, Real scale) {
    using Kernel = std::decay_t<decltype(kernel)>;
    if (!ex.cpu_shaped())
      return mac::for_rows(ex, "flip.surface", d, mac::centres, Cell<Kernel>{d, kernel, out.data});
    const NearCells<D, Kernel> line{d, p, kernel, out.data, scale};
    parallel_chunks(ex, "flip.surface", d.cells[1] * d.cells[2], 1 + 8192 / d.cells[0],
                    [&](Index begin, Index end) {
                      for (Index l = begin; l < end; ++l) line(l);
                    });
  };
  if (ex.cpu_shaped())
    distance_lines<D>(ex, d, p, half, distance);
  else
    mac::for_rows(ex, "flip.surface", d, mac::centres,
                  Cell<ToBoxes<D>>{d, ToBoxes<D>{d, p, half}, distance.data});
  for_cells(FillGaps<D>{level(distance)}, scratch, 1);
  for_cells(GoOn<D>{level(scratch), 1}, distance, 1);
  ex.copy(scratch.data, distance.data, std::size_t(distance.size) * sizeof(Real));
  for_cells(GoOn<D>{level(scratch), d.spacing}, distance, d.spacing);
}

template <int D>
void surface_in_walls(const Exec& ex, const mac::Domain& d, const mac::Walls& walls,
                      const Particles<D>& p, Span<const std::uint8_t> in_wall, Span<Real> scratch,
                      Span<Real> distance) {
  ex.copy(scratch.data, distance.data, std::size_t(distance.size) * sizeof(Real));
  const InWalls<D> kernel{level_of<D>(d, walls, in_wall, scratch), p.first};
  const Cell<InWalls<D>> cell{d, kernel, distance.data};
  if (!ex.cpu_shaped() || !kernel.level.clearance[0])
    return mac::for_rows(ex, "flip.surface", d, mac::centres, cell);
  // The others keep what they have.
  const auto some = [&](Index line, Index i) {
    return bits(word(in_wall.data + line * d.cells[0] + i));
  };
  for_some_cells(ex, d, some, cell);
}
template void surface_in_walls<2>(const Exec&, const mac::Domain&, const mac::Walls&,
                                  const Particles<2>&, Span<const std::uint8_t>, Span<Real>,
                                  Span<Real>);
template void surface_in_walls<3>(const Exec&, const mac::Domain&, const mac::Walls&,
                                  const Particles<3>&, Span<const std::uint8_t>, Span<Real>,
                                  Span<Real>);

template void surface<2>(const Exec&, const mac::Domain&, const mac::Walls&, const Particles<2>&,
                         Real, Span<Real>, Span<std::uint8_t>, Span<Real>);
template void surface<3>(const Exec&, const mac::Domain&, const mac::Walls&, const Particles<3>&,
                         Real, Span<Real>, Span<std::uint8_t>, Span<Real>);

}  // namespace rtsim::flip
