#include "meshes/quadratic.h"

#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

using Corner = CellMesh::Corner;

// The points amid edges, made where they are first asked for.
class Middles {
 public:
  // Of all edges of the cells.
  template <class Cells>
  Middles(CellMesh& m, const Cells& cells) {
    for (const auto& c : cells)
      for (std::size_t i = 0; i < c.size(); ++i)
        for (std::size_t j = i + 1; j < c.size(); ++j)
          edges_.push_back({std::min(c[i], c[j]), std::max(c[i], c[j])});
    std::ranges::sort(edges_);
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    first_ = Corner(m.points.size());
    for (const auto& e : edges_)
      m.points.push_back(0.5 * (m.points[std::size_t(e[0])] + m.points[std::size_t(e[1])]));
  }
  Corner between(Corner a, Corner b) const {
    const CellMesh::Edge e{std::min(a, b), std::max(a, b)};
    return first_ + Corner(std::ranges::lower_bound(edges_, e) - edges_.begin());
  }

 private:
  std::vector<CellMesh::Edge> edges_;
  Corner first_;
};

void add_tet(CellMesh& m, CellMesh::Tet t) {
  if (volume_of(m, t) < 0) std::swap(t[2], t[3]);
  m.tets.push_back(t);
}

// Four tets at the corners, and four round the shortest diagonal of the octahedron between them.
void cut(CellMesh& m, const CellMesh::TenNodes& e) {
  const Corner m01 = e[4], m02 = e[5], m03 = e[6], m12 = e[7], m13 = e[8], m23 = e[9];
  add_tet(m, {e[0], m01, m02, m03}), add_tet(m, {m01, e[1], m12, m13});
  add_tet(m, {m02, m12, e[2], m23}), add_tet(m, {m03, m13, m23, e[3]});
  const CellMesh::Edge diagonals[3] = {{m01, m23}, {m02, m13}, {m03, m12}};
  const std::array<Corner, 4> rings[3] = {
      {m02, m12, m13, m03}, {m01, m12, m23, m03}, {m01, m02, m23, m13}};
  std::size_t shortest = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (length_of(m, diagonals[k]) < (1 - 1e-9) * length_of(m, diagonals[shortest])) shortest = k;
  const CellMesh::Edge d = diagonals[shortest];
  const auto& ring = rings[shortest];
  for (std::size_t k = 0; k < 4; ++k) add_tet(m, {d[0], d[1], ring[k], ring[(k + 1) % 4]});
}

void cut(CellMesh& m, const CellMesh::SixNodes& e) {
  m.triangles.insert(
      m.triangles.end(),
      {{e[0], e[3], e[4]}, {e[3], e[1], e[5]}, {e[4], e[5], e[2]}, {e[3], e[5], e[4]}});
}

// What each cell weighs [m^3] or [m^2]: where points know what they do, their shares of it.
template <class Cells, class Measure>
std::vector<double> sizes(const CellMesh& m, const Cells& cells, Measure measure) {
  std::vector<double> size, whole(m.points.size());
  for (const auto& c : cells) {
    size.push_back(measure(m, c));
    for (const Corner v : c) whole[std::size_t(v)] += size.back() / double(c.size());
  }
  if (m.volume.empty()) return size;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    double share = 0;
    for (const Corner v : cells[i])
      share += m.volume[std::size_t(v)] / whole[std::size_t(v)] / double(cells[i].size());
    size[i] *= share;
  }
  return size;
}

// Gives each cell its middles, and its points what they weigh of it.
template <class Element, class Cells>
std::vector<Element> elements_of(CellMesh& m, const Cells& cells, const std::vector<double>& size,
                                 double of_corner, double of_middle) {
  const Middles middles(m, cells);
  std::vector<Element> elements(cells.size());
  m.volume.assign(m.points.size(), 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& c = cells[i];
    std::size_t n = c.size();
    std::ranges::copy(c, elements[i].begin());
    for (std::size_t a = 0; a < c.size(); ++a)
      for (std::size_t b = a + 1; b < c.size(); ++b) elements[i][n++] = middles.between(c[a], c[b]);
    for (std::size_t k = 0; k < elements[i].size(); ++k)
      m.volume[std::size_t(elements[i][k])] += (k < c.size() ? of_corner : of_middle) * size[i];
  }
  return elements;
}

}  // namespace

void make_quadratic(CellMesh& m) {
  if (!m.tets.empty()) {
    const std::vector<CellMesh::Tet> tets = std::move(m.tets);
    m.ten_nodes =
        elements_of<CellMesh::TenNodes>(m, tets, sizes(m, tets, volume_of), 1. / 36, 4. / 27);
    m.tets.clear(), m.triangles.clear();
    for (const auto& e : m.ten_nodes) cut(m, e);
  } else {
    const std::vector<CellMesh::Triangle> triangles = std::move(m.triangles);
    m.six_nodes = elements_of<CellMesh::SixNodes>(m, triangles, sizes(m, triangles, area_of),
                                                  1. / 19, 16. / 57);
    m.triangles.clear();
    for (const auto& e : m.six_nodes) cut(m, e);
  }
  m.sheet[0] = m.sheet[1] = 0;  // no lattice any more
}

}  // namespace rtsim
