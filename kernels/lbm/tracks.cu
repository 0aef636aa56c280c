#include "exec/parallel.h"
#include "exec/sort.h"
#include "lbm/lbm.h"

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
    return {leaving_slot(at, p, sign > 0), shift, std::uint8_t(leaving_array()), std::uint8_t(wall),
            kind};
  }
  RTSIM_HD Link moving(int wall, const Vec<3>& u, std::uint8_t kind) const {
    Real cu = 0;
    for (int a = 0; a < D; ++a) cu += Real(c(a)) * u[a];
    return back(wall, -6 * L::weight(p) * cu, cu == 0 ? std::uint8_t(Link::still) : kind);
  }
  RTSIM_HD Link obstacle(const Index (&x)[3]) const {
    const Index cell = x[0] + cells.layout.n[0] * (x[1] + cells.layout.n[1] * x[2]);
    const std::uint8_t which = cells.nearest[cell];
    const boundary::Pose& pose = cells.poses[which];
    Vec<3> arm;  // to the middle of the link, on the solid's side of a periodic seam
    for (int a = 0; a < D; ++a)
      arm[a] =
          cells.first[a] + (Real(x[a]) - Real(0.5) * Real(c(a))) * cells.step[a] - pose.centre[a];
    return moving(6 + which, cells.speed * (pose.velocity + cross(pose.angular_velocity, arm)),
                  Link::moving);
  }
  // From a parabola over the face that is 1 at its middle and 0 at its rims.
  RTSIM_HD Link through(int f) const {
    Real part = 1;
    for (int a = 0; a < D && faces.parabolic[f]; ++a) {
      if (a == f / 2) continue;
      const Real s = (Real(at[a]) + Real(0.5) + Real(0.5) * Real(c(a))) / Real(cells.layout.n[a]);
      part *= 4 * s * (1 - s);
    }
    return moving(f, part * faces.velocity[f], Link::ramped);
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
      link = moving(f, faces.velocity[f], Link::ramped);
    else if (faces.kind[f] == Faces::inlet)
      link = through(f);
    else if (faces.kind[f] == Faces::pressure)
      link = back(f, 2 * L::weight(p) * faces.density[f], Link::pressure);
    else
      return around(f, link, way);
    return Met::wall;
  }
};

// One row: its spans, and the links of its cells; counts them, or writes them.
template <int D>
struct TrackRow {
  Cells cells;
  Faces faces;
  bool write;
  Span<Index> span_at, link_at, passage_at;
  Span<Index> spans;
  Span<Link> links;
  Span<Passage> passages;

  RTSIM_HD void operator()(Index row) const {
    Index s = write ? span_at[row] : 0, l = write ? link_at[row] : 0,
          k = write ? passage_at[row] : 0;
    const Index n = cells.layout.n[0], start = cells.layout.row_start(row);
    bool inside = false;
    for (Index x = 0; x <= n; ++x) {
      const bool fluid = x < n && !cells.solid[start + x];
      if (fluid != inside) {
        if (write) spans[2 * s + !fluid] = x;
        s += !fluid;
        inside = fluid;
      }
      if (fluid && beside_solid(start + x)) cell(row, x, l, k);
    }
    if (!write) span_at[row] = s, link_at[row] = l, passage_at[row] = k;
  }

  RTSIM_HD bool beside_solid(Index slot) const {
    const std::uint8_t* at = cells.solid.data + slot;
    const Index deep = cells.layout.deep;
    unsigned any = 0;
    for (Index z = -deep; z <= deep; ++z)
      for (Index y = -1; y <= 1; ++y) {
        const std::uint8_t* line = at + z * cells.layout.plane + y * cells.layout.pitch;
        any |= unsigned(line[-1]) | unsigned(line[0]) | unsigned(line[1]);
      }
    return any != 0;
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

// What changes hands when obstacles move.
template <int D, class Stored>
struct Cover {
  using L = Lattice<D>;
  Cells cells;
  Span<const Real> distance;
  Span<const std::uint8_t> before;
  Span<std::uint8_t> solid;
  Populations<D, Stored> f;
  Output<D> out;

  RTSIM_HD void operator()(Index cell) const {
    const Index n = cells.layout.slot_of(cell);
    const std::uint8_t now = distance[cell] < 0;
    if (now == before[n]) return;
    solid[n] = now;
    if (now)
      out.pressure[cell] = 0, out.velocity[cell] = Vec<D>{};
    else
      fill(cell, n);
  }

  // What comes from fluid cells is there already; the rest is made up so that the cell moves with
  // the obstacle that left it, at the density that the known ones speak of.
  RTSIM_HD void fill(Index cell, Index n) const {
    const boundary::Pose& pose = cells.poses[cells.nearest[cell]];
    const Index at[3] = {cell % cells.layout.n[0], cell / cells.layout.n[0] % cells.layout.n[1],
                         cell / cells.layout.n[0] / cells.layout.n[1]};
    Vec<3> arm;
    for (int a = 0; a < D; ++a)
      arm[a] = cells.first[a] + Real(at[a]) * cells.step[a] - pose.centre[a];
    const Vec<3> u = cells.speed * (pose.velocity + cross(pose.angular_velocity, arm));
    Real sum = 0, known = 0;
    for (int p = 0; p < L::pairs; ++p) {
      const Index o = cells.layout.offset<D>(p);
      const Real w = L::weight(p), odd = 3 * w * along(p, u);
      if (!before[n - o]) sum += (load(f.near(p) + n) - odd) / w, known += 1;
      if (!before[n + o]) sum += (load(f.far(p) + n + o) + odd) / w, known += 1;
    }
    const Real density = known > 0 ? sum / known : 0;
    store(f.rest + n, L::rest_weight * density);
    for (int p = 0; p < L::pairs; ++p) {
      const Index o = cells.layout.offset<D>(p);
      const Real w = L::weight(p), odd = 3 * w * along(p, u);
      if (before[n - o]) store(f.near(p) + n, w * density + odd);
      if (before[n + o]) store(f.far(p) + n + o, w * density - odd);
    }
  }
  RTSIM_HD static Real along(int p, const Vec<3>& u) {
    Real cu = 0;
    for (int a = 0; a < D; ++a) cu += Real(L::along(p, a)) * u[a];
    return cu;
  }
};

}  // namespace

template <int D, class Stored>
void cover(const Exec& ex, const Cells& cells, Span<const Real> distance, Span<std::uint8_t> solid,
           const Populations<D, Stored>& f, const Output<D>& out) {
  Buffer<std::uint8_t> before(ex, std::size_t(solid.size));
  ex.copy(before.data(), solid.data, std::size_t(solid.size));
  parallel_for(ex, "lbm.cover", cells.layout.cells(),
               Cover<D, Stored>{cells, distance, before.span(), solid, f, out});
}

template <int D>
void find_tracks(const Exec& ex, const Cells& cells, const Faces& faces, Tracks& t) {
  const Index rows = cells.layout.rows();
  for (Buffer<Index>* first : {&t.first_span, &t.first_link, &t.first_passage}) {
    first->resize(std::size_t(rows) + 1);
    first->zero();
  }
  TrackRow<D> row{
      cells, faces, false, t.first_span.span(), t.first_link.span(), t.first_passage.span(),
      {},    {},    {}};
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

template void find_tracks<2>(const Exec&, const Cells&, const Faces&, Tracks&);
template void find_tracks<3>(const Exec&, const Cells&, const Faces&, Tracks&);
#define RTSIM_LBM_COVER(D, Stored)                                                                \
  template void cover<D, Stored>(const Exec&, const Cells&, Span<const Real>, Span<std::uint8_t>, \
                                 const Populations<D, Stored>&, const Output<D>&);
RTSIM_LBM_COVER(2, Real)
RTSIM_LBM_COVER(3, Real)
RTSIM_LBM_COVER(2, Half)
RTSIM_LBM_COVER(3, Half)
#undef RTSIM_LBM_COVER

}  // namespace rtsim::lbm
