#include "flip/surface.h"

#include "exec/parallel.h"
#include "mac/for_rows.h"

namespace rtsim::flip {

namespace {

// On the CPU kernel(i, j, k) for cells near particles, and for the others what it gives: `full` in
// cells that are deep (flip/band.h), where no surface is near, and `far_off` in others, by a scale.
template <int D, class Kernel>
struct NearCells {
  mac::Domain domain;
  Particles<D> particles;
  Kernel kernel;
  Real* out;
  Real scale;

  void operator()(Index line) const {
    if (!kernel.level.clearance[0]) return away_from_walls(line);
    const Index n = domain.cells[0], j = line % domain.cells[1], k = line / domain.cells[1];
    const Filled near = filled_near<D>(domain, particles.first, mac::centres, box_reach, j, k);
    for (Index i = 0; i < n; ++i) {
      const Index c = line * n + i;
      const bool reach = i >= near.low - box_reach && i <= near.high + box_reach;
      out[c] = particles.deep && particles.deep[c] ? scale * full
               : reach                             ? kernel(i, j, k)
                                                   : scale * far_off;
    }
  }

 private:
  // Where there are no walls most cells, eight at once, keep what they have: the kernel is for
  // those that the values beside them may change.
  void away_from_walls(Index line) const {
    using Eight = Lanes<Real>;
    const Index n = domain.cells[0], j = line % domain.cells[1], k = line / domain.cells[1];
    const Index at[3] = {0, j, k}, first = line * n;
    const Real *own = kernel.level.value + first, *beside[4] = {own, own, own, own};
    bool inner[4] = {};
    for (int a = 1; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        Index face;
        const Index b = kernel.level.beside(at, a, side, face);
        if (b >= 0)
          beside[2 * a - 2 + side] = kernel.level.value + b, inner[2 * a - 2 + side] = true;
      }
    out[first] = kernel(0, j, k);
    Index i = 1;
    for (; i + lane_count < n; i += lane_count) {
      const Eight is = Eight::load(own + i);
      Eight most = max(Eight::load(own + i - 1), Eight::load(own + i + 1));
      for (int b = 0; b < 4; ++b)
        if (inner[b]) most = max(most, Eight::load(beside[b] + i));
      if (kernel.changes(less(is, Eight(Real(0))), less(most, Eight(Real(0))))) {
        for (Index e = i; e < i + lane_count; ++e) out[first + e] = kernel(e, j, k);
      } else {
        (Eight(scale) * is).store(out + first + i);
      }
    }
    for (; i < n; ++i) out[first + i] = kernel(i, j, k);
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
  const Real* clearance[3];  // null: no walls
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
  RTSIM_HD bool in_wall(Index c) const {
    if (!clearance[0]) return false;
    Index at[3];
    place(c, at);
    return clear(at) <= 0;
  }
  // Of a cell inside of a wall: from cell to cell through open faces away from the wall, in corners
  // up to one for each axis, until outside of it.
  RTSIM_HD Real operator()(Index c) const {
    if (!clearance[0]) return value[c];
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
Level<D> level_of(const mac::Domain& d, const mac::Walls& walls, Span<const Real> of) {
  Level<D> l{d, {}, {}, of.data};
  for (int a = 0; a < D; ++a) {
    l.open[a] = walls.open[a].data;
    l.clearance[a] = walls.clearance[a].size > 0 ? walls.clearance[a].data : nullptr;
  }
  return l;
}

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
    const bool wet = level.in_wall(c) && first[c] < first[c + 1];
    return wet && beside >= 0 && beside < h ? beside - h : beside;
  }
};

template <int D>
struct FillGaps {
  Level<D> level;

  // By bits of cells that are below the surface, and whose greatest neighbour is.
  static bool changes(unsigned below, unsigned all_below) { return (all_below & ~below) != 0; }
  RTSIM_HD Real operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = level.domain.row(mac::centres, i, j, k);
    const Real own = level(c);
    if (own < 0) return own;
    bool beside_some = false;
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        Index face;
        const Index b = level.beside(at, a, side, face);
        const bool wall = b < 0 ? level.domain.closed(a, side) : level.in_wall(b);
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

  static bool changes(unsigned below, unsigned all_below) { return (below & ~all_below) != 0; }
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

template <int D>
void surface(const Exec& ex, const mac::Domain& d, const mac::Walls& walls, const Particles<D>& p,
             Real half, Span<Real> scratch, Span<Real> distance) {
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
  const auto level = [&](Span<Real> of) { return level_of<D>(d, walls, of); };
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
                      const Particles<D>& p, Span<Real> scratch, Span<Real> distance) {
  ex.copy(scratch.data, distance.data, std::size_t(distance.size) * sizeof(Real));
  const InWalls<D> kernel{level_of<D>(d, walls, scratch), p.first};
  mac::for_rows(ex, "flip.surface", d, mac::centres, Cell<InWalls<D>>{d, kernel, distance.data});
}
template void surface_in_walls<2>(const Exec&, const mac::Domain&, const mac::Walls&,
                                  const Particles<2>&, Span<Real>, Span<Real>);
template void surface_in_walls<3>(const Exec&, const mac::Domain&, const mac::Walls&,
                                  const Particles<3>&, Span<Real>, Span<Real>);

template void surface<2>(const Exec&, const mac::Domain&, const mac::Walls&, const Particles<2>&,
                         Real, Span<Real>, Span<Real>);
template void surface<3>(const Exec&, const mac::Domain&, const mac::Walls&, const Particles<3>&,
                         Real, Span<Real>, Span<Real>);

}  // namespace rtsim::flip
