#include "mac/surface_faces.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "contact/line_crossing.h"
#include "exec/parallel.h"
#include "exec/sort.h"
#include "mac/open_face.h"

namespace rtsim::mac {

namespace {

// Lines through the middles of cells pass this far [cells] beside them, so that none meets an edge
// or a corner of a mesh that is aligned with the grid: any numbers do that are small and have no
// ratio of small numbers.
RTSIM_HD constexpr double beside(int axis) {
  return axis == 0 ? 1.41421356e-7 : axis == 1 ? 1.73205081e-7 : 2.23606798e-7;
}

// Either reads its number of items into `first`, or writes them from there on.
template <class Item>
struct Sink {
  Index* first;
  Item* items;
  Index at;

  RTSIM_HD void add(const Item& item) {
    if (items) items[at] = item;
    ++at;
  }
  // Whether n were added by their number alone, as they are not looked at yet.
  RTSIM_HD bool count(Index n) {
    if (!items) at += n;
    return !items;
  }
};

// law(n, sink) for n items of work, gathered in their order.
template <class Item, class Law>
struct Gather {
  Law law;
  Index* first;
  Item* items;

  RTSIM_HD void operator()(Index n) const {
    Sink<Item> sink{first, items, items ? first[n] : 0};
    law(n, sink);
    if (!items) first[n] = sink.at;
  }
};
template <class Item, class Law>
std::vector<Item> gathered(const Exec& ex, const char* label, Index n, const Law& law) {
  Buffer<Index> first(ex, std::size_t(n));
  parallel_for(ex, label, n, Gather<Item, Law>{law, first.data(), nullptr});
  const Index count = exclusive_scan(ex, label, first.span(), first.span());
  Buffer<Item> items(ex, std::size_t(count));
  if (count > 0) parallel_for(ex, label, n, Gather<Item, Law>{law, first.data(), items.data()});
  return items.download();
}

RTSIM_HD inline Index wrapped(Index i, Index n) { return (i % n + n) % n; }

// The places of `lines` lines across a cell, of its width.
RTSIM_HD inline double place_in_cell(int line, int lines) {
  return double(2 * line + 1 - lines) / double(2 * lines);
}

// Of one triangle.
struct CrossLines {
  Domain domain;
  double first[3];
  int lines;
  Span<const Vec<3>> position;
  const contact::Corners3* triangles;

  // In cells from the middle of the first one.
  RTSIM_HD double place(std::int32_t point, int axis) const {
    return (double(position[point][axis]) - first[axis]) / double(domain.spacing) - 0.5 -
           beside(axis);
  }
  // Numbers of lines, `lines` a cell from the lower end of the domain on, between two places.
  RTSIM_HD void range(int axis, const double (&q)[3], Index& low, Index& end) const {
    double least = q[0], most = q[0];
    for (int k = 1; k < 3; ++k)
      least = q[k] < least ? q[k] : least, most = q[k] > most ? q[k] : most;
    const double n = double(lines), shift = (n - 1) / 2, count = n * double(domain.cells[axis]);
    double from = ceil(least * n + shift), to = floor(most * n + shift);
    if (!domain.periodic(axis)) {
      from = from < 0 ? 0 : from < count ? from : count;
      to = to < -1 ? -1 : to < count ? to : count - 1;
    }
    low = Index(from), end = Index(to) + 1;
  }

  RTSIM_HD void operator()(Index t, Sink<SheetCrossing>& out) const {
    const contact::Corners3 corners = triangles[t];
    double q[3][3];  // by axis
    for (int a = 0; a < 3; ++a)
      for (int k = 0; k < 3; ++k) q[a][k] = place(corners[k], a);
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      Index low_b, end_b, low_c, end_c;
      range(b, q[b], low_b, end_b), range(c, q[c], low_c, end_c);
      for (Index lc = low_c; lc < end_c; ++lc)
        for (Index lb = low_b; lb < end_b; ++lb) cross(a, lb, lc, corners, q, out);
    }
  }
  RTSIM_HD void cross(int a, Index lb, Index lc, const contact::Corners3& corners,
                      const double (&q)[3][3], Sink<SheetCrossing>& out) const {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const Index jb = floor_over(lb), jc = floor_over(lc);
    const int own_b = int(lb - jb * lines), own_c = int(lc - jc * lines);
    const double at_b = double(jb) + place_in_cell(own_b, lines),
                 at_c = double(jc) + place_in_cell(own_c, lines);
    double p[3][2], weight[3];
    for (int k = 0; k < 3; ++k) p[k][0] = q[b][k] - at_b, p[k][1] = q[c][k] - at_c;
    if (!contact::cross_line(corners, p, weight)) return;
    SheetCrossing x{};
    Index at[3] = {0, 0, 0};
    at[b] = wrapped(jb, domain.cells[b]), at[c] = wrapped(jc, domain.cells[c]);
    x.axis = a, x.column = domain.row(centres, at[0], at[1], at[2]), x.corners = corners;
    x.middle = 2 * own_b + 1 == lines && 2 * own_c + 1 == lines, x.up = weight[0] > 0;
    for (int k = 0; k < 3; ++k) {
      const double w = std::abs(weight[k]);
      x.place += w * q[a][k], x.weight[k] = Real(w);
    }
    out.add(x);
  }
  // The cell that a line goes through.
  RTSIM_HD Index floor_over(Index line) const {
    return (line < 0 ? line - lines + 1 : line) / lines;
  }
};

// Of a line of faces along x.
struct FacesOfSolid {
  Domain domain;
  OpenFace face[3];
  int axis, which, lines;
  contact::SurfaceMesh surface;

  RTSIM_HD bool open(Index i, Index j, Index k) const {
    for (int a = 0; a < 3; ++a)
      if (face[a].open[domain.row(a, i, j, k)] > 0 ||
          face[a].open[domain.row(a, i + (a == 0), j + (a == 1), k + (a == 2))] > 0)
        return true;
    return false;
  }
  // The cell a step beside a face, -1 of none with an open face.
  RTSIM_HD Index cell(const Index f[3], Index step) const {
    Index c[3] = {f[0], f[1], f[2]};
    c[axis] += step;
    const Index n = domain.cells[axis];
    if (domain.periodic(axis)) c[axis] = wrapped(c[axis], n);
    if (c[axis] < 0 || c[axis] >= n || !open(c[0], c[1], c[2])) return -1;
    return domain.row(centres, c[0], c[1], c[2]);
  }
  RTSIM_HD bool meets(const Index f[3]) const {
    return face[axis].nodes.nearest[face[axis].deepest_node(f)] == which;
  }

  RTSIM_HD void operator()(Index line, Sink<SolidFace>& out) const {
    const Index ny = domain.count(axis, 1);
    for (Index i = 0; i < domain.count(axis, 0); ++i) {
      const Index f[3] = {i, line % ny, line / ny};
      add(f, out);
    }
  }
  RTSIM_HD void add(const Index f[3], Sink<SolidFace>& out) const {
    const Index row = domain.row(axis, f[0], f[1], f[2]), last = domain.cells[axis];
    const Real share = face[axis].open[row];
    if (!(share < 1) || f[axis] == last) return;
    Index felt[3] = {f[0], f[1], f[2]};
    if (f[axis] == 0) {
      if (!domain.periodic(axis)) return;
      if (!meets(felt)) felt[axis] = last;
    }
    if (!meets(felt)) return;
    SolidFace s{};
    s.axis = axis, s.row = row, s.low = cell(f, -1), s.high = cell(f, 0), s.share = 1 - share;
    if (s.low < 0 && s.high < 0) return;
    if (out.count(lines * lines)) return;
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    contact::NearestTriangle q{-1, {}};
    for (int n = 0; n < lines * lines; ++n) {
      double in_face[3] = {0, 0, 0};
      in_face[b] = 0.5 + place_in_cell(n % lines, lines);
      in_face[c] = 0.5 + place_in_cell(n / lines, lines);
      Vec<3> x;
      for (int a = 0; a < 3; ++a)
        x[a] = Real(face[axis].first[a] + double(domain.spacing) * (double(felt[a]) + in_face[a]));
      q = contact::nearest_triangle(surface, x, q.triangle);
      s.corners = surface.triangles[q.triangle];
      for (int k = 0; k < 3; ++k) s.weight[k] = q.on.weight[k];
      out.add(s);
    }
  }
};

struct ReadFace {
  Span<const Real> from[3];
  FaceValue* faces;
  RTSIM_HD void operator()(Index i) const { faces[i].value = from[faces[i].axis][faces[i].row]; }
};

struct WriteFace {
  Domain domain;
  Span<const FaceValue> faces;
  Span<Real> to[3];

  RTSIM_HD void operator()(Index i) const {
    const FaceValue& f = faces[i];
    to[f.axis][f.row] = f.value;
    const Index nx = domain.count(f.axis, 0), ny = domain.count(f.axis, 1);
    Index at[3] = {f.row % nx, f.row / nx % ny, f.row / nx / ny};
    if (!domain.periodic(f.axis) || at[f.axis] != 0) return;
    at[f.axis] = domain.cells[f.axis];
    to[f.axis][domain.row(f.axis, at[0], at[1], at[2])] = f.value;
  }
};

// Two buffers: what is read is as it was.
struct FromBeside {
  Domain domain;
  Walls walls;
  Span<const Index> cells;
  const Real* field;
  Real* out;

  RTSIM_HD bool among(Index cell) const {
    Index low = 0, end = cells.size;
    while (low < end) {
      const Index middle = (low + end) / 2;
      if (cells[middle] < cell)
        low = middle + 1;
      else
        end = middle;
    }
    return low < cells.size && cells[low] == cell;
  }
  RTSIM_HD void operator()(Index n) const {
    const Index c = cells[n], nx = domain.cells[0], ny = domain.cells[1];
    const Index at[3] = {c % nx, c / nx % ny, c / nx / ny};
    Real sum = 0;
    int count = 0;
    for (int a = 0; a < domain.dims; ++a)
      for (Index end = 0; end < 2; ++end) {
        Index f[3] = {at[0], at[1], at[2]}, beside[3] = {at[0], at[1], at[2]};
        f[a] += end, beside[a] += 2 * end - 1;
        if (!(walls.open[a][domain.row(a, f[0], f[1], f[2])] > 0)) continue;
        if (domain.periodic(a)) beside[a] = wrapped(beside[a], domain.cells[a]);
        if (beside[a] < 0 || beside[a] >= domain.cells[a]) continue;
        const Index there = domain.row(centres, beside[0], beside[1], beside[2]);
        if (!among(there)) sum += field[there], ++count;
      }
    out[n] = count > 0 ? sum / Real(count) : field[c];
  }
};

struct PutCells {
  Span<const Index> cells;
  const Real* from;
  Real* to;
  RTSIM_HD void operator()(Index n) const { to[cells[n]] = from[n]; }
};

}  // namespace

std::vector<SheetCrossing> sheet_crossings(const Exec& ex, const Domain& d,
                                           const double (&first)[3], Span<const Vec<3>> position,
                                           Span<const contact::Corners3> triangles, int lines) {
  auto all = gathered<SheetCrossing>(
      ex, "mac.sheet_crossings", triangles.size,
      CrossLines{d, {first[0], first[1], first[2]}, lines, position, triangles.data});
  std::stable_sort(all.begin(), all.end(), [](const SheetCrossing& x, const SheetCrossing& y) {
    return std::tie(x.axis, x.column) < std::tie(y.axis, y.column);
  });
  return all;
}

std::vector<SolidFace> solid_faces(const Exec& ex, const Domain& d, const Walls& w,
                                   const SolidNodes& nodes, int which,
                                   const contact::SurfaceMesh& surface, int lines) {
  std::vector<SolidFace> all;
  FacesOfSolid law{d, {}, 0, which, lines, surface};
  for (int a = 0; a < 3; ++a) law.face[a] = OpenFace::of(d, nodes, a, w);
  for (law.axis = 0; law.axis < 3; ++law.axis) {
    const auto of_axis = gathered<SolidFace>(ex, "mac.solid_faces",
                                             d.count(law.axis, 1) * d.count(law.axis, 2), law);
    all.insert(all.end(), of_axis.begin(), of_axis.end());
  }
  return all;
}

void read_faces(const Exec& ex, const Span<const Real> (&from)[3], Span<FaceValue> faces) {
  parallel_for(ex, "mac.read_faces", faces.size, ReadFace{{from[0], from[1], from[2]}, faces.data});
}

void write_faces(const Exec& ex, const Domain& d, Span<const FaceValue> faces,
                 const Span<Real> (&to)[3]) {
  parallel_for(ex, "mac.write_faces", faces.size, WriteFace{d, faces, {to[0], to[1], to[2]}});
}

void take_from_beside(const Exec& ex, const Domain& d, const Walls& w, Span<const Index> cells,
                      Span<Real> to) {
  Buffer<Real> values(ex, std::size_t(cells.size));
  parallel_for(ex, "mac.from_beside", cells.size, FromBeside{d, w, cells, to.data, values.data()});
  parallel_for(ex, "mac.from_beside", cells.size, PutCells{cells, values.data(), to.data});
}

}  // namespace rtsim::mac
