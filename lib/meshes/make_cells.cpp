#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.h"
#include "meshes/cell_file.h"
#include "meshes/cell_fill.h"
#include "meshes/fill_solid.h"
#include "meshes/mesh_spec.h"
#include "meshes/quadratic.h"
#include "shapes/mesh_file.h"
#include "shapes/rotation.h"
#include "shapes/weld.h"

namespace rtsim {

namespace {

using Corner = CellMesh::Corner;

CellMesh surface(const SurfaceFileSpec& s) {
  const TriangleMesh mesh = weld(read_mesh(s.file.path));
  CellMesh m;
  m.points = mesh.vertices, m.triangles = mesh.triangles;
  return m;
}

CellMesh sheet(const SheetSpec& s) {
  CellMesh m;
  const auto nu = Corner(s.cells[0]), nv = Corner(s.cells[1]);
  m.sheet[0] = nu + 1, m.sheet[1] = nv + 1;
  for (Corner j = 0; j <= nv; ++j)
    for (Corner i = 0; i <= nu; ++i)
      m.points.push_back(s.corner + (double(i) / nu) * s.u + (double(j) / nv) * s.v);
  for (Corner j = 0; j < nv; ++j)
    for (Corner i = 0; i < nu; ++i) {
      const Corner a = i + (nu + 1) * j, b = a + 1, c = a + nu + 1, d = c + 1;
      if (s.alternate && (i + j) % 2 == 1)
        m.triangles.insert(m.triangles.end(), {{a, b, c}, {b, d, c}});
      else
        m.triangles.insert(m.triangles.end(), {{a, b, d}, {a, d, c}});
    }
  return m;
}

CellMesh line(const LineSpec& s) {
  CellMesh m;
  for (Corner i = 0; i <= s.segments; ++i)
    m.points.push_back(s.from + (double(i) / s.segments) * (s.to - s.from));
  for (Corner i = 0; i < s.segments; ++i) m.edges.push_back({i, i + 1});
  return m;
}

// Boxes of a lattice, each cut into five tets: one amid, one at every other corner. Neighbours are
// mirrored, so that they meet edge to edge.
struct Boxes {
  Vec3d low, side;  // [m]
  Corner cells[3];

  Corner point(Corner i, Corner j, Corner k) const {
    return i + (cells[0] + 1) * (j + (cells[1] + 1) * k);
  }
  Vec3d position(Corner i, Corner j, Corner k) const {
    return {{low[0] + i * side[0], low[1] + j * side[1], low[2] + k * side[2]}};
  }
  std::vector<Corner> corners(Corner i, Corner j, Corner k) const {
    std::vector<Corner> c;
    for (int b = 0; b < 8; ++b)
      c.push_back(point(i + (b & 1), j + ((b >> 1) & 1), k + ((b >> 2) & 1)));
    return c;
  }
  void cut(Corner i, Corner j, Corner k, std::vector<CellMesh::Tet>& tets) const {
    const std::vector<Corner> corner = corners(i, j, k);
    const auto c = [&](int b) { return corner[std::size_t(b)]; };
    constexpr int even[5][4] = {
        {0, 3, 6, 5}, {1, 0, 3, 5}, {2, 0, 6, 3}, {4, 0, 5, 6}, {7, 3, 5, 6}};
    constexpr int odd[5][4] = {
        {1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}};
    for (const auto& t : (i + j + k) % 2 == 0 ? even : odd)
      tets.push_back({c(t[0]), c(t[1]), c(t[2]), c(t[3])});
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (Corner k = 0; k < cells[2]; ++k)
      for (Corner j = 0; j < cells[1]; ++j)
        for (Corner i = 0; i < cells[0]; ++i) visit(i, j, k);
  }
  template <class Kept>
  CellMesh mesh(Kept kept) const {
    CellMesh m;
    for (Corner k = 0; k <= cells[2]; ++k)
      for (Corner j = 0; j <= cells[1]; ++j)
        for (Corner i = 0; i <= cells[0]; ++i) m.points.push_back(position(i, j, k));
    each([&](Corner i, Corner j, Corner k) {
      if (kept(i, j, k)) cut(i, j, k, m.tets);
    });
    return m;
  }
};

CellMesh block(const BlockSpec& s) {
  Boxes boxes{s.min, s.max - s.min, {}};
  for (int a = 0; a < 3; ++a) {
    boxes.cells[a] = Corner(s.cells[std::size_t(a)]);
    boxes.side[a] /= boxes.cells[a];
  }
  return boxes.mesh([](Corner, Corner, Corner) { return true; });
}

// What lies inside of each cell goes to those of its corners that the mesh has, so that it weighs
// what the shape does; the rest of a cell, and cells that were left out, weigh nothing. What no
// corner takes, of slivers that stand alone, all points share. Returns all of it.
template <class Filled>
double share_volume(CellMesh& m, const Boxes& boxes, const Filled& filled) {
  std::vector<bool> used(m.points.size());
  for (const auto& t : m.tets)
    for (const Corner v : t) used[std::size_t(v)] = true;
  m.volume.assign(m.points.size(), 0);
  double all = 0, taken = 0;
  boxes.each([&](Corner i, Corner j, Corner k) {
    std::vector<Corner> corners = boxes.corners(i, j, k);
    std::erase_if(corners, [&](Corner c) { return !used[std::size_t(c)]; });
    const double volume = filled(i, j, k);
    all += volume;
    if (corners.empty()) return;
    taken += volume;
    for (const Corner c : corners) m.volume[std::size_t(c)] += volume / double(corners.size());
  });
  for (double& v : m.volume) v *= all / taken;
  return all;
}

CellMesh solid(const SolidSpec& s) {
  if (s.method != SolidSpec::Method::cells) return fill_solid(s);
  const auto shape = make_shape(s.shape.front(), 3);
  const Bounds b = shape->bounds();
  Boxes boxes{b.min, {{s.spacing, s.spacing, s.spacing}}, {}};
  for (int a = 0; a < 3; ++a) {
    const double side = b.max[a] - b.min[a];
    if (!std::isfinite(side) || !shape->closed())
      throw Error(
          ExitCode::bad_input,
          "a \"solid\" fills a finite, closed shape; close the holes of its mesh (\"method\": "
          "\"stuffing\" closes small ones, and says where others are), or cut an infinite shape by "
          "a box");
    boxes.cells[a] = Corner(std::ceil(side / s.spacing - 1e-6));
    boxes.low[a] -= 0.5 * (boxes.cells[a] * s.spacing - side);
  }
  // Half a side reaches every part of a cell that is a ball; a corner may lie outside then.
  const double reach = 0.5 * s.spacing;
  const auto centre = [&](Corner i, Corner j, Corner k) {
    return boxes.position(i, j, k) + (0.5 * boxes.side);
  };
  CellMesh m = boxes.mesh(
      [&](Corner i, Corner j, Corner k) { return shape->distance(centre(i, j, k)) < reach; });
  if (m.tets.empty())
    throw Error(ExitCode::bad_input, "no cell of the \"solid\" lies inside; use a smaller spacing");
  const auto filled = [&](Corner i, Corner j, Corner k) {
    return volume_inside(*shape, centre(i, j, k), s.spacing);
  };
  m.shape_volume = share_volume(m, boxes, filled);
  return m;
}

template <std::size_t N>
std::vector<std::array<Corner, N>> cells_of(const std::vector<double>& corners) {
  std::vector<std::array<Corner, N>> cells(corners.size() / N);
  for (std::size_t i = 0; i < corners.size(); ++i) cells[i / N][i % N] = Corner(corners[i]);
  return cells;
}

CellMesh nodes(const NodesSpec& s) {
  CellMesh m;
  m.points = s.positions, m.mass = s.masses;
  m.edges = cells_of<2>(s.edges), m.triangles = cells_of<3>(s.triangles);
  m.tets = cells_of<4>(s.tets);
  return m;
}

CellMesh make_form(const CellMeshSpec& s) {
  if (s.surface) return surface(*s.surface);
  if (s.sheet) return sheet(*s.sheet);
  if (s.line) return line(*s.line);
  if (s.block) return block(*s.block);
  if (s.solid) return solid(*s.solid);
  if (s.cells) return read_cells(std::filesystem::path(s.cells->file.path));
  return nodes(*s.nodes);
}

// Points that no cell has would have no mass: lattices and files have them, and need them not.
void drop_loose_points(CellMesh& m) {
  std::vector<Corner> to(m.points.size(), -1);
  const auto mark = [&](auto& cells) {
    for (const auto& c : cells)
      for (const Corner v : c) to[std::size_t(v)] = 0;
  };
  mark(m.edges), mark(m.triangles), mark(m.tets);
  Corner kept = 0;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] == 0) {
      if (!m.volume.empty()) m.volume[std::size_t(kept)] = m.volume[i];
      m.points[std::size_t(kept)] = m.points[i], to[i] = kept++;
    }
  m.points.resize(std::size_t(kept));
  if (!m.volume.empty()) m.volume.resize(std::size_t(kept));
  const auto renumber = [&](auto& cells) {
    for (auto& c : cells)
      for (Corner& v : c) v = to[std::size_t(v)];
  };
  renumber(m.edges), renumber(m.triangles), renumber(m.tets);
}

void place(CellMesh& m, const TransformSpec& t) {
  const Rotation r = rotation_about(t.axis, t.angle * pi / 180);
  for (Vec3d& x : m.points) x = t.translate + r.apply(t.scale * x);
  const double cube = t.scale * t.scale * t.scale;
  for (double& v : m.volume) v *= cube;
  m.shape_volume *= cube;
}

double longest_edge(const CellMesh& m, std::span<const Corner> cell) {
  double longest = 0;
  for (const Corner a : cell)
    for (const Corner b : cell) longest = std::max(longest, length_of(m, {a, b}));
  return longest;
}

// Below this share of its size, to the cell's power, a cell counts as nothing.
constexpr double nothing = 1e-9;

template <class Cells, class Measure, class Size>
void refuse_empty(const CellMesh& m, const Cells& cells, const char* name, const char* what,
                  Measure measure, Size size) {
  const auto is_empty = [&](const auto& c) {
    return !(std::abs(measure(m, c)) > nothing * std::pow(size(c), int(c.size()) - 1));
  };
  std::size_t count = 0, first = 0;
  for (std::size_t i = cells.size(); i-- > 0;)
    if (is_empty(cells[i])) ++count, first = i;
  if (count > 0)
    throw Error(
        ExitCode::bad_input,
        fmt::format("{} of {} {} have no {}, the first is number {}: points {}; remove them", count,
                    cells.size(), name, what, first, fmt::join(cells[first], ", ")));
}

// One that is there twice would weigh twice, and hide the surface of its tets.
template <class Cells>
void refuse_doubled(Cells cells, const char* name) {
  for (auto& c : cells) std::ranges::sort(c);
  std::ranges::sort(cells);
  const auto twice = std::ranges::adjacent_find(cells);
  if (twice != cells.end())
    throw Error(ExitCode::bad_input, fmt::format("two {} have the same points {}; remove one", name,
                                                 fmt::join(*twice, ", ")));
}

void check(const CellMesh& m) {
  if (m.edges.empty() && m.triangles.empty() && m.tets.empty())
    throw Error(ExitCode::bad_input,
                "the mesh joins no points; give \"edges\", \"triangles\" or \"tets\"");
  refuse_doubled(m.edges, "edges");
  refuse_doubled(m.triangles, "triangles");
  refuse_doubled(m.tets, "tets");

  Vec3d low = m.points.at(0), high = low;
  for (const Vec3d& x : m.points)
    for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
  // Graded and slender meshes have cells far smaller than themselves: these go by their own edges.
  const auto all = [&](const auto&) { return norm(high - low); };
  const auto own = [&](const auto& cell) { return longest_edge(m, cell); };
  refuse_empty(m, m.edges, "edges", "length", length_of, all);
  refuse_empty(m, m.triangles, "triangles", "area", area_of, own);
  refuse_empty(m, m.tets, "tets", "volume", volume_of, own);
}

}  // namespace

CellMesh make_cells(const CellMeshSpec& s) {
  CellMesh m = make_form(s);
  if (!s.nodes) drop_loose_points(m);
  if (m.points.empty()) throw Error(ExitCode::bad_input, "the mesh has no points");
  place(m, s.transform);
  check(m);
  for (auto& t : m.tets)
    if (volume_of(m, t) < 0) std::swap(t[2], t[3]);
  if (s.order.value_or(m.second_order ? 2 : 1) == 2) {
    if (m.tets.empty() && m.triangles.empty())
      throw Error(ExitCode::bad_input,
                  "\"order\" 2 is of tetrahedra or triangles, which the mesh has not");
    make_quadratic(m);
  }
  return m;
}

}  // namespace rtsim
