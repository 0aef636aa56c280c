#include <algorithm>
#include <tuple>

#include "meshes/adjacency.h"
#include "solvers/cloth_implicit/cloth_implicit_mesh.h"

namespace rtsim {

namespace {

// What acts on a row through a triangle, see cloth::Parts.
struct Part {
  Index column;
  Index part;

  bool operator<(const Part& o) const {
    return std::tie(column, part) < std::tie(o.column, o.part);
  }
};

// The parts of one row after the other.
class MatrixRows {
 public:
  MatrixRows(std::size_t points, const std::vector<CellMesh::Triangle>& triangles)
      : triangles_(triangles), around_(incidence_of(points, triangles_)) {}

  // In order of their columns, each in order of the triangles.
  std::vector<Part> row(std::size_t i) const {
    std::vector<Part> parts;
    for (Index e = around_.first[i]; e < around_.first[i + 1]; ++e) {
      const Index t = around_.slots[std::size_t(e)] / 3, a = around_.slots[std::size_t(e)] % 3;
      for (Index b = 0; b < 3; ++b)
        if (b != a)
          parts.push_back(
              {triangles_[std::size_t(t)][std::size_t(b)], 8 * t + 2 * (a + b - 1) + Index(a > b)});
    }
    std::sort(parts.begin(), parts.end());
    return parts;
  }
  std::vector<Index> columns(std::size_t i) const {
    std::vector<Index> all;
    for (const Part& p : row(i))
      if (all.empty() || all.back() != p.column) all.push_back(p.column);
    return all;
  }

 private:
  std::vector<CellMesh::Triangle> triangles_;
  Incidence around_;
};

std::vector<Index> first_slots(const MatrixRows& rows, std::size_t points) {
  const std::size_t wide = lane_count;
  std::vector<Index> first((points + wide - 1) / wide + 1);
  for (std::size_t i = 0; i < points; ++i)
    first[i / wide + 1] = std::max(first[i / wide + 1], Index(rows.columns(i).size()));
  for (std::size_t s = 1; s < first.size(); ++s) first[s] += first[s - 1];
  return first;
}

std::vector<CellMesh::Edge> edges_of(const std::vector<CellMesh::Triangle>& triangles) {
  std::vector<CellMesh::Edge> all;
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) all.push_back({t[k], t[(k + 1) % 3]});
  return all;
}

// visit(part, lane of all slots that it is in)
template <class Visit>
void each_part(const std::vector<Index>& first, const MatrixRows& rows, std::size_t points,
               const Visit& visit) {
  const std::size_t wide = lane_count;
  for (std::size_t i = 0; i < points; ++i) {
    Index column = -1;
    std::size_t slot = std::size_t(first[i / wide]) - 1;
    for (const Part& p : rows.row(i)) {
      if (p.column != column) column = p.column, ++slot;
      visit(p, slot * wide + i % wide);
    }
  }
}

}  // namespace

ClothMatrix::ClothMatrix(World& world, const std::string& mesh, const PlatePatches* plates)
    : first_(world.exec),
      blocks_(world.exec),
      inertia_(world.exec),
      first_part_(world.exec),
      parts_(world.exec),
      bends_(world.exec),
      more_(world.exec),
      groups_(world.exec, std::size_t(world.table(mesh).rows()),
              edges_of(corners_of<3>(world, triangle_table(mesh)))),
      apart_(world.exec),
      more_apart_(world.exec) {
  const auto points = std::size_t(world.table(mesh).rows()), wide = std::size_t(lane_count);
  const MatrixRows rows(points, corners_of<3>(world, triangle_table(mesh)));
  const std::vector<Index> first = first_slots(rows, points);
  std::vector<block_cg::BlockSlot> blocks(std::size_t(first.back()));
  for (std::size_t s = 0; s + 1 < first.size(); ++s)
    for (Index e = first[s]; e < first[s + 1]; ++e)
      for (std::size_t l = 0; l < wide; ++l)
        blocks[std::size_t(e)].other[l] = Index(std::min(s * wide + l, points - 1));
  std::vector<Index> first_part(blocks.size() * wide + 1);
  each_part(first, rows, points, [&](const Part& p, std::size_t lane) {
    blocks[lane / wide].other[lane % wide] = p.column;
    ++first_part[lane + 1];
  });
  for (std::size_t k = 1; k < first_part.size(); ++k) first_part[k] += first_part[k - 1];
  std::vector<Index> parts(std::size_t(first_part.back()));
  std::vector<Index> next = first_part;
  each_part(first, rows, points,
            [&](const Part& p, std::size_t lane) { parts[std::size_t(next[lane]++)] = p.part; });
  first_.upload(first), blocks_.upload(blocks);
  inertia_.resize((first.size() - 1) * wide);
  first_part_.upload(first_part), parts_.upload(parts);
  apart_.upload(groups_.apart(first, blocks));
  if (!plates) return;

  // What bending has where triangles have blocks joins those.
  std::vector<Real> bends(blocks.size() * wide);
  more_ = IsotropicBuffers(world.exec, points, [&](std::size_t i) {
    auto row = plates->row(i);
    for (auto e = std::size_t(first[i / wide]); e < std::size_t(first[i / wide + 1]); ++e)
      std::erase_if(row, [&](const PlatePatches::Entry& b) {
        if (b.column != blocks[e].other[i % wide]) return false;
        bends[e * wide + i % wide] = Real(b.n);
        return true;
      });
    return row;
  });
  bends_.upload(bends);
  more_apart_.upload(more_.apart(groups_));
}

void ClothMatrix::invert_levels(const Exec& ex, Real bending, Span<const Row4> filter) {
  if (groups_.levels() == 0) return;
  block_cg::sum_outside(
      ex, view(bending),
      {groups_.levels(), apart_.span(), more_apart_.span(), filter, groups_.outside()});
  groups_.invert(ex, filter, inertia_.span());
}

}  // namespace rtsim
