#include <cmath>
#include <cstring>

#include "exec/parallel.h"
#include "exec/sort.h"
#include "lbm/lbm.h"
#include "lbm/obstacle_links.h"

// Where rows of fluid cells begin and end, and which populations cross walls.
namespace rtsim::lbm {

namespace {

enum class Met { nothing, wall, passage };

// A place of the grid, and what lies one step from it along c = sign c_p.
template <int D>
struct Crossing {
  using L = Lattice<D>;
  const Cells& cells;
  const Faces& faces;
  Index at[3];
  int p, sign;

  RTSIM_HD int c(int axis) const { return sign * L::along(p, axis); }
  RTSIM_HD Index leaving_slot(const Index (&x)[3], int pair, bool forth) const {
    return slot(x) + (forth ? cells.layout.offset<D>(pair) : 0);
  }
  RTSIM_HD Index slot(const Index (&x)[3]) const { return cells.layout.slot(x[0], x[1], x[2]); }

  // The face it crosses that has the last word, or -1.
  RTSIM_HD int face() const {
    int best = -1;
    for (int a = 0; a < D; ++a) {
      const Index y = at[a] + c(a);
      const int f = y < 0 ? 2 * a : y >= cells.layout.n[a] ? 2 * a + 1 : -1;
      if (f >= 0 && (best < 0 || precedes(f, best))) best = f;
    }
    return best;
  }
  // A wall that moves goes before one that rests: the lid then takes from a corner cell what it
  // gives to it.
  RTSIM_HD bool precedes(int f, int g) const {
    if (faces.kind[f] != faces.kind[g]) return faces.kind[f] > faces.kind[g];
    return dot(faces.velocity[f], faces.velocity[f]) > dot(faces.velocity[g], faces.velocity[g]);
  }

  RTSIM_HD Index leaving_array() const { return 2 * p + (sign > 0); }
  RTSIM_HD Link back(int wall, Real shift, std::uint8_t kind) const {
    return {leaving_slot(at, p, sign > 0),
            shift,
            0,
            std::uint8_t(leaving_array()),
            std::uint8_t(wall),
            kind};
  }
  RTSIM_HD Real gain(const Vec<3>& u) const {
    Real cu = 0;
    for (int a = 0; a < D; ++a) cu += Real(c(a)) * u[a];
    return -6 * L::weight(p) * cu;
  }
  RTSIM_HD Link moving(int wall, const Vec<3>& u) const {
    const Real shift = gain(u);
    return back(wall, shift, std::uint8_t(shift == 0 ? Link::still : Link::ramped));
  }
  RTSIM_HD Index cell(const Index (&x)[3]) const {
    return x[0] + cells.layout.n[0] * (x[1] + cells.layout.n[1] * x[2]);
  }
  // The wall lies where the signed distance along the link is 0, at a part q of it: on the parabola
  // through the cell behind, this one and x, or on the line through the last two where there is
  // none behind. Of a cell between two walls, whose links would wait for each other, it lies
  // half-way.
  RTSIM_HD Real wall_at(const Index (&x)[3]) const {
    Index behind[3] = {at[0] - c(0), at[1] - c(1), at[2] - c(2)};
    bool inside = true;
    for (int a = 0; a < D; ++a) {
      const Index n = cells.layout.n[a], y = behind[a];
      if (y >= 0 && y < n) continue;
      inside = inside && faces.kind[2 * a] == Faces::periodic;
      behind[a] = y < 0 ? n - 1 : 0;
    }
    if (inside && cells.solid[slot(behind)]) return Real(0.5);
    const Real out = cells.distance[cell(at)], in = cells.distance[cell(x)];
    if (!inside) return out / (out - in);
    const Real before = cells.distance[cell(behind)];
    const Real slope = (in - before) / 2, curve = (in + before) / 2 - out;
    return 2 * out / (std::sqrt(slope * slope - 4 * curve * out) - slope);
  }
  RTSIM_HD Link obstacle(const Index (&x)[3]) const {
    const grid::SolidId which = cells.nearest[cell(x)];
    const Real q = wall_at(x);
    const boundary::Pose& pose = cells.poses[which];
    Vec<3> arm;  // to the wall, on the solid's side of a periodic seam
    for (int a = 0; a < D; ++a)
      arm[a] =
          cells.first[a] + (Real(x[a]) - (1 - q) * Real(c(a))) * cells.step[a] - pose.centre[a];
    Link link = back(6 + which, gain(wall_speed(cells, pose, arm)), Link::obstacle);
    link.bend = (1 - 2 * q) / (1 + 2 * q);
    return link;
  }
  // From a parabola over the face that is 1 at its middle and 0 at its rims.
  RTSIM_HD Link through(int f) const {
    Real part = 1;
    for (int a = 0; a < D && faces.parabolic[f]; ++a) {
      if (a == f / 2) continue;
      const Real s = (Real(at[a]) + Real(0.5) + Real(0.5) * Real(c(a))) / Real(cells.layout.n[a]);
      part *= 4 * s * (1 - s);
    }
    return moving(f, part * faces.velocity[f]);
  }

  // To here from where cell x lets leave along the direction d.
  RTSIM_HD Passage passage(const Index (&x)[3], const int (&d)[3]) const {
    Passage way{leaving_slot(at, p, sign > 0), 0, std::uint8_t(leaving_array() ^ 1), 0};
    for (int k = 0; k < L::pairs; ++k)
      for (int s = -1; s <= 1; s += 2) {
        bool same = true;
        for (int a = 0; a < D; ++a) same = same && d[a] == s * L::along(k, a);
        if (!same) continue;
        way.from = leaving_slot(x, k, s > 0);
        way.from_array = std::uint8_t(2 * k + (s > 0));
      }
    return way;
  }
  // Periodic faces lead to the other side; slip faces mirror, so that what comes in is what left
  // the cell beside.
  RTSIM_HD Met around(int best, Link& link, Passage& way) const {
    Index x[3] = {at[0], at[1], at[2]};
    int d[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) {
      const Index y = at[a] + c(a), n = cells.layout.n[a];
      const bool out = y < 0 || y >= n;
      const bool mirror = out && faces.kind[2 * a + (y >= n)] == Faces::slip;
      d[a] = mirror ? c(a) : -c(a);
      if (!mirror) x[a] = y < 0 ? n - 1 : y >= n ? 0 : y;
    }
    if (cells.solid[slot(x)]) {
      link = faces.kind[best] == Faces::slip ? back(best, 0, Link::still) : obstacle(x);
      return Met::wall;
    }
    way = passage(x, d);
    if (way.from != leaving_slot(at, p, sign > 0) || way.from_array != leaving_array())
      return Met::passage;
    link = back(best, 0, Link::still);
    return Met::wall;
  }

  RTSIM_HD Met find(Link& link, Passage& way) const {
    const Index x[3] = {at[0] + c(0), at[1] + c(1), at[2] + c(2)};
    if (!cells.solid[slot(x)]) return Met::nothing;
    const int f = face();
    if (f < 0)
      link = obstacle(x);
    else if (faces.kind[f] == Faces::wall)
      link = moving(f, faces.velocity[f]);
    else if (faces.kind[f] == Faces::inlet)
      link = through(f);
    else if (faces.kind[f] == Faces::pressure)
      link = back(f, 2 * L::weight(p) * faces.density[f], Link::pressure);
    else
      return around(f, link, way);
    return Met::wall;
  }
};

// What the rows had before.
struct FoundBefore {
  Span<const std::uint8_t> obstructed;  // empty where nothing was found
  Span<const Index> span_at, link_at, passage_at;
  Span<const Index> spans;
  Span<const Link> links;
  Span<const Passage> passages;
};

// One row: its spans, and the links of its cells; counts them, or writes them.
template <int D>
struct TrackRow {
  Cells cells;
  Faces faces;
  FoundBefore before;
  bool write;
  Span<std::uint8_t> obstructed;
  Span<Index> span_at, link_at, passage_at;
  Span<Index> spans;
  Span<Link> links;
  Span<Passage> passages;

  RTSIM_HD void operator()(Index row) const {
    if (!write) obstructed[row] = has_obstacle_near(row);
    if (before.obstructed.size > 0 && !before.obstructed[row] && !obstructed[row])
      keep(row);
    else
      find(row);
  }

 private:
  RTSIM_HD void keep(Index row) const {
    keep(row, before.span_at, span_at, 2, before.spans.data, spans.data);
    keep(row, before.link_at, link_at, 1, before.links.data, links.data);
    keep(row, before.passage_at, passage_at, 1, before.passages.data, passages.data);
  }
  template <class T>
  RTSIM_HD void keep(Index row, Span<const Index> from, Span<Index> at, Index size, const T* old,
                     T* now) const {
    const Index first = from[row], count = from[row + 1] - first;
    if (!write) at[row] = count;
    for (Index i = 0; write && i < size * count; ++i)
      now[size * at[row] + i] = old[size * first + i];
  }

  // In this row or beside it, across the sides of the grid too, since periodic ones lead there.
  RTSIM_HD bool has_obstacle_near(Index row) const {
    const Layout& l = cells.layout;
    const Index ny = l.n[1], nz = l.n[2], deep = l.deep;
    for (Index z = -deep; z <= deep; ++z)
      for (Index y = -1; y <= 1; ++y) {
        const Index j = (row % ny + y + ny) % ny, k = (row / ny + z + nz) % nz;
        if (has_obstacle(j + ny * k)) return true;
      }
    return false;
  }
  RTSIM_HD bool has_obstacle(Index row) const {
    const Index n = cells.layout.n[0];
    const std::uint8_t* at = cells.solid.data + cells.layout.row_start(row);
    std::uint64_t any = 0;
    Index x = 0;
    for (std::uint64_t eight; x + 8 <= n; x += 8)
      memcpy(&eight, at + x, sizeof eight), any |= eight;
    for (; x < n; ++x) any |= at[x];
    return any != 0;
  }

  RTSIM_HD void find(Index row) const {
    Index s = write ? span_at[row] : 0, l = write ? link_at[row] : 0,
          k = write ? passage_at[row] : 0;
    const Index n = cells.layout.n[0], start = cells.layout.row_start(row);
    bool inside = false;
    unsigned left = across(start - 1), here = across(start);  // columns beside the cell
    for (Index x = 0; x <= n; ++x) {
      const bool fluid = x < n && !cells.solid[start + x];
      if (fluid != inside) {
        if (write) spans[2 * s + !fluid] = x;
        s += !fluid;
        inside = fluid;
      }
      if (inside && x + 8 <= n && open_water(start + x)) {
        x += 7, left = here = 0;
        continue;
      }
      const unsigned right = x < n ? across(start + x + 1) : 0;
      if (fluid && (left | here | right)) cell(row, x, l, k);
      left = here, here = right;
    }
    if (!write) span_at[row] = s, link_at[row] = l, passage_at[row] = k;
  }

  // Whether the eight cells from here on, and all beside them, are fluid.
  RTSIM_HD bool open_water(Index slot) const {
    const std::uint8_t* at = cells.solid.data + slot;
    const Index deep = cells.layout.deep;
    std::uint64_t any = 0;
    for (Index z = -deep; z <= deep; ++z)
      for (Index y = -1; y <= 1; ++y) {
        const std::uint8_t* line = at + z * cells.layout.plane + y * cells.layout.pitch;
        std::uint64_t low, high;
        memcpy(&low, line - 1, sizeof low);
        memcpy(&high, line + 1, sizeof high);
        any |= low | high;
      }
    return any == 0;
  }
  // Whether a cell, or one beside it across the row, is solid.
  RTSIM_HD unsigned across(Index slot) const {
    const std::uint8_t* at = cells.solid.data + slot;
    const Index deep = cells.layout.deep;
    unsigned any = 0;
    for (Index z = -deep; z <= deep; ++z)
      for (Index y = -1; y <= 1; ++y) any |= at[z * cells.layout.plane + y * cells.layout.pitch];
    return any;
  }

  RTSIM_HD void cell(Index row, Index x, Index& l, Index& k) const {
    Crossing<D> c{cells, faces, {x, row % cells.layout.n[1], row / cells.layout.n[1]}, 0, 0};
    for (c.p = 0; c.p < Lattice<D>::pairs; ++c.p)
      for (c.sign = 1; c.sign >= -1; c.sign -= 2) {
        Link link{};
        Passage way{};
        const Met met = c.find(link, way);
        if (met == Met::nothing) continue;
        if (write && met == Met::wall) links[l] = link;
        if (write && met == Met::passage) passages[k] = way;
        ++(met == Met::wall ? l : k);
      }
  }
};

struct CountChanges {
  Cells cells;
  Span<Index> count;  // by row

  RTSIM_HD void operator()(Index row) const {
    const Index start = cells.layout.row_start(row), first = row * cells.layout.n[0];
    Index n = 0;
    for (Index x = 0; x < cells.layout.n[0]; ++x)
      n += (cells.distance[first + x] < 0) != (cells.solid[start + x] != 0);
    count[row] = n;
  }
};

// What changes hands in a row of cells when obstacles move.
template <int D, class Stored>
struct Cover {
  using L = Lattice<D>;
  Cells cells;
  Law<D> law;
  Span<const std::uint8_t> before;
  Span<std::uint8_t> solid;
  Populations<D, Stored> f;
  Output<D> out;
  Span<const Index> first_change;  // by row
  Span<Changed> changes;

  RTSIM_HD void operator()(Index row) const {
    Index next = first_change[row];
    const Index start = cells.layout.row_start(row), first = row * cells.layout.n[0];
    for (Index x = 0; x < cells.layout.n[0]; ++x) {
      const std::uint8_t now = cells.distance[first + x] < 0;
      if (now != before[start + x])
        changes[next++] = {start + x, change(first + x, start + x, now)};
    }
  }
  RTSIM_HD double change(Index cell, Index n, std::uint8_t now) const {
    solid[n] = now;
    if (now) {
      out.pressure[cell] = 0, out.velocity[cell] = Vec<D>{};
      return double(incoming(n).m.density);
    }
    fill(cell, n);
    return -double(incoming(n).m.density);
  }

  // Populations on their way into a cell, and their moments.
  struct Incoming {
    Real rest, plus[L::pairs], minus[L::pairs];
    Moments<D, Real> m;
  };
  RTSIM_HD Incoming incoming(Index n) const {
    Incoming c;
    Real even[L::pairs], odd[L::pairs];
    c.rest = load(f.rest + n);
    for (int p = 0; p < L::pairs; ++p) {
      c.plus[p] = load(f.near(p) + n), c.minus[p] = load(f.far(p) + n + cells.layout.offset<D>(p));
      even[p] = c.plus[p] + c.minus[p], odd[p] = c.plus[p] - c.minus[p];
    }
    c.m = moments<D, true>(law, c.rest, even, odd, Real(0.5));
    return c;
  }

  // What came from fluid cells is there already. The rest is the equilibrium of the wall's speed
  // and the mean density of the fluid cells beside, with their mean distance from equilibrium:
  // Caiazzo, "Analysis of lattice Boltzmann nodes initialisation in moving boundary problems",
  // Prog. Comput. Fluid Dyn. 8, 2008.
  RTSIM_HD void fill(Index cell, Index n) const {
    Incoming mean = beside(n), eq;
    const Vec<3> u = speed(cell);
    for (int a = 0; a < D; ++a) mean.m.u[a] = u[a];
    equilibrium<D>(law, mean.m, eq.rest, eq.plus, eq.minus);
    store(f.rest + n, eq.rest + mean.rest);
    for (int p = 0; p < L::pairs; ++p) {
      const Index o = cells.layout.offset<D>(p);
      if (before[n - o]) store(f.near(p) + n, eq.plus[p] + mean.plus[p]);
      if (before[n + o]) store(f.far(p) + n + o, eq.minus[p] + mean.minus[p]);
    }
  }
  RTSIM_HD Vec<3> speed(Index cell) const {
    const boundary::Pose& pose = cells.poses[cells.nearest[cell]];
    const Index at[3] = {cell % cells.layout.n[0], cell / cells.layout.n[0] % cells.layout.n[1],
                         cell / cells.layout.n[0] / cells.layout.n[1]};
    Vec<3> arm;
    for (int a = 0; a < D; ++a)
      arm[a] = cells.first[a] + Real(at[a]) * cells.step[a] - pose.centre[a];
    return wall_speed(cells, pose, arm);
  }
  // Density and distance from equilibrium, the mean over cells that were fluid, by their weights.
  RTSIM_HD Incoming beside(Index n) const {
    Incoming mean{};
    Real all = 0;
    for (int p = 0; p < L::pairs; ++p)
      for (int sign = -1; sign <= 1; sign += 2) {
        const Index there = n + sign * cells.layout.offset<D>(p);
        if (before[there]) continue;
        add(mean, incoming(there), L::weight(p));
        all += L::weight(p);
      }
    if (!(all > 0)) return mean;
    const Real share = 1 / all;
    mean.m.density *= share, mean.rest *= share;
    for (int p = 0; p < L::pairs; ++p) mean.plus[p] *= share, mean.minus[p] *= share;
    return mean;
  }
  RTSIM_HD void add(Incoming& mean, const Incoming& c, Real w) const {
    Incoming eq;
    equilibrium<D>(law, c.m, eq.rest, eq.plus, eq.minus);
    mean.m.density += w * c.m.density, mean.rest += w * (c.rest - eq.rest);
    for (int p = 0; p < L::pairs; ++p)
      mean.plus[p] += w * (c.plus[p] - eq.plus[p]), mean.minus[p] += w * (c.minus[p] - eq.minus[p]);
  }
};

}  // namespace

template <int D, class Stored>
std::vector<Changed> cover(const Exec& ex, const Cells& cells, const Law<D>& law,
                           Span<std::uint8_t> solid, const Populations<D, Stored>& f,
                           const Output<D>& out) {
  const Index rows = cells.layout.rows();
  Buffer<Index> first(ex, std::size_t(rows));
  parallel_for(ex, "lbm.cover", rows, CountChanges{cells, first.span()});
  const Index count = exclusive_scan(ex, "lbm.cover", first.span(), first.span());
  if (count == 0) return {};
  Buffer<std::uint8_t> before(ex, std::size_t(solid.size));
  ex.copy(before.data(), solid.data, std::size_t(solid.size));
  Buffer<Changed> changes(ex, std::size_t(count));
  parallel_for(
      ex, "lbm.cover", rows,
      Cover<D, Stored>{cells, law, before.span(), solid, f, out, first.span(), changes.span()});
  return changes.download();
}

template <int D>
void find_tracks(const Exec& ex, const Cells& cells, const Faces& faces, const Tracks& before,
                 Tracks& t) {
  const Index rows = cells.layout.rows();
  t.obstructed.resize(std::size_t(rows));
  for (Buffer<Index>* first : {&t.first_span, &t.first_link, &t.first_passage}) {
    first->resize(std::size_t(rows) + 1);
    first->zero();
  }
  TrackRow<D> row{cells,
                  faces,
                  {before.obstructed.span(), before.first_span.span(), before.first_link.span(),
                   before.first_passage.span(), before.spans.span(), before.links.span(),
                   before.passages.span()},
                  false,
                  t.obstructed.span(),
                  t.first_span.span(),
                  t.first_link.span(),
                  t.first_passage.span(),
                  {},
                  {},
                  {}};
  parallel_for(ex, "lbm.tracks", rows, row);
  const auto scan = [&](Buffer<Index>& b) {
    return std::size_t(exclusive_scan(ex, "lbm.tracks", b.span(), b.span()));
  };
  t.spans.resize(2 * scan(t.first_span));
  t.links.resize(scan(t.first_link));
  t.passages.resize(scan(t.first_passage));
  row.write = true;
  row.spans = t.spans.span(), row.links = t.links.span(), row.passages = t.passages.span();
  parallel_for(ex, "lbm.tracks", rows, row);
}

template void find_tracks<2>(const Exec&, const Cells&, const Faces&, const Tracks&, Tracks&);
template void find_tracks<3>(const Exec&, const Cells&, const Faces&, const Tracks&, Tracks&);
#define RTSIM_LBM_COVER(D, Stored)                                                         \
  template std::vector<Changed> cover<D, Stored>(const Exec&, const Cells&, const Law<D>&, \
                                                 Span<std::uint8_t>,                       \
                                                 const Populations<D, Stored>&, const Output<D>&);
RTSIM_LBM_COVER(2, Real)
RTSIM_LBM_COVER(3, Real)
RTSIM_LBM_COVER(2, Half)
RTSIM_LBM_COVER(3, Half)
#undef RTSIM_LBM_COVER

}  // namespace rtsim::lbm
