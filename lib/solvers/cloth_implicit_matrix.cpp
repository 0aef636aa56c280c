#include <algorithm>
#include <tuple>

#include "meshes/adjacency.h"
#include "solvers/cloth_implicit_mesh.h"

namespace rtsim {

namespace {

// What acts on a row through a cell, see cloth::Parts.
struct Part {
  Index column;
  Index cell;
  bool hinge;

  bool operator<(const Part& o) const {
    return std::tie(column, hinge, cell) < std::tie(o.column, o.hinge, o.cell);
  }
};

// The parts of one row after the other.
class Rows {
 public:
  Rows(std::size_t points, const std::vector<CellMesh::Triangle>& triangles)
      : triangles_(triangles),
        hinges_(hinges_of(triangles)),
        triangles_around_(incidence_of(points, triangles_)),
        hinges_around_(incidence_of(points, hinges_)) {}

  // In order of their columns, triangles first, each in order of their cells.
  const std::vector<Part>& row(std::size_t i) {
    parts_.clear();
    for (Index e = triangles_around_.first[i]; e < triangles_around_.first[i + 1]; ++e) {
      const Index t = triangles_around_.slots[std::size_t(e)] / 3,
                  a = triangles_around_.slots[std::size_t(e)] % 3;
      for (Index b = 0; b < 3; ++b)
        if (b != a)
          parts_.push_back({triangles_[std::size_t(t)][std::size_t(b)],
                            8 * t + 2 * (a + b - 1) + Index(a > b), false});
    }
    for (Index e = hinges_around_.first[i]; e < hinges_around_.first[i + 1]; ++e) {
      const Index h = hinges_around_.slots[std::size_t(e)] / 4,
                  a = hinges_around_.slots[std::size_t(e)] % 4;
      for (Index b = 0; b < 4; ++b)
        if (b != a)
          parts_.push_back({hinges_[std::size_t(h)][std::size_t(b)], 16 * h + 4 * a + b, true});
    }
    std::sort(parts_.begin(), parts_.end());
    return parts_;
  }

 private:
  std::vector<CellMesh::Triangle> triangles_;
  std::vector<Hinge> hinges_;
  Incidence triangles_around_, hinges_around_;
  std::vector<Part> parts_;
};

// visit(part, number of its column within the row)
template <class Visit>
Index visit_row(Rows& rows, std::size_t i, const Visit& visit) {
  Index column = -1, k = -1;
  for (const Part& p : rows.row(i)) {
    if (p.column != column) column = p.column, ++k;
    visit(p, k);
  }
  return k + 1;
}

std::vector<Index> first_slots(Rows& rows, std::size_t points) {
  const std::size_t wide = lane_count;
  std::vector<Index> first((points + wide - 1) / wide + 1);
  for (std::size_t i = 0; i < points; ++i)
    first[i / wide + 1] =
        std::max(first[i / wide + 1], visit_row(rows, i, [](const Part&, Index) {}));
  for (std::size_t s = 1; s < first.size(); ++s) first[s] += first[s - 1];
  return first;
}

// Parts of every lane of every slot, one after the other.
struct PartLists {
  std::vector<Index> first, parts;

  explicit PartLists(std::size_t lanes) : first(lanes + 1) {}
  void count(std::size_t lane) { ++first[lane + 1]; }
  void allocate() {
    for (std::size_t s = 1; s < first.size(); ++s) first[s] += first[s - 1];
    parts.resize(std::size_t(first.back()));
    next_.assign(first.begin(), first.end() - 1);
  }
  void add(std::size_t lane, Index part) { parts[std::size_t(next_[lane]++)] = part; }

 private:
  std::vector<Index> next_;
};

}  // namespace

ClothMatrix::ClothMatrix(World& world, const std::string& mesh)
    : first_(world.exec),
      blocks_(world.exec),
      inertia_(world.exec),
      first_triangle_(world.exec),
      triangles_(world.exec),
      first_hinge_(world.exec),
      hinges_(world.exec) {
  const auto points = std::size_t(world.table(mesh).rows()), wide = std::size_t(lane_count);
  Rows rows(points, corners_of<3>(world, triangle_table(mesh)));
  const std::vector<Index> first = first_slots(rows, points);
  std::vector<block_cg::BlockSlot> blocks(std::size_t(first.back()));
  for (std::size_t s = 0; s + 1 < first.size(); ++s)
    for (Index e = first[s]; e < first[s + 1]; ++e)
      for (std::size_t l = 0; l < wide; ++l)
        blocks[std::size_t(e)].other[l] = Index(std::min(s * wide + l, points - 1));

  PartLists triangles(blocks.size() * wide), hinges(blocks.size() * wide);
  const auto each = [&](const auto& visit) {
    for (std::size_t i = 0; i < points; ++i)
      visit_row(rows, i, [&](const Part& p, Index k) {
        const auto slot = std::size_t(first[i / wide] + k);
        visit(p, slot, slot * wide + i % wide, i % wide);
      });
  };
  each([&](const Part& p, std::size_t slot, std::size_t lane, std::size_t l) {
    blocks[slot].other[l] = p.column;
    (p.hinge ? hinges : triangles).count(lane);
  });
  triangles.allocate(), hinges.allocate();
  each([&](const Part& p, std::size_t, std::size_t lane, std::size_t) {
    (p.hinge ? hinges : triangles).add(lane, p.cell);
  });

  first_.upload(first), blocks_.upload(blocks);
  inertia_.resize((first.size() - 1) * wide);
  first_triangle_.upload(triangles.first), triangles_.upload(triangles.parts);
  first_hinge_.upload(hinges.first), hinges_.upload(hinges.parts);
}

cloth::Parts ClothMatrix::parts() const {
  return {first_triangle_.span(), triangles_.span(), first_hinge_.span(), hinges_.span()};
}

}  // namespace rtsim
