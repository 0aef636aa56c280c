#pragma once
#include <cstdint>
#include <vector>

#include "block_cg/levels.h"
#include "exec/buffer.h"
#include "meshes/add_mesh.h"

namespace rtsim {

// Groups of neighbouring points, of groups, and so on up to a few: some eight make one, as three
// rounds of pairs that have the most edges between them.
class Groups {
 public:
  // Edges may be there more than once, and count as often.
  Groups(const Exec&, std::size_t points, const std::vector<CellMesh::Edge>&);

  // For how many levels the two points of each lane of each slot are apart.
  template <class Slot>
  std::vector<std::uint8_t> apart(const std::vector<Index>& first,
                                  const std::vector<Slot>& slots) const {
    std::vector<std::uint8_t> all(slots.size() * std::size_t(lane_count));
    for (std::size_t s = 0; s + 1 < first.size(); ++s)
      for (auto e = std::size_t(first[s]); e < std::size_t(first[s + 1]); ++e)
        for (std::size_t l = 0; l < std::size_t(lane_count); ++l)
          all[e * lane_count + l] = apart(s * lane_count + l, std::size_t(slots[e].other[l]));
    return all;
  }

  int levels() const { return int(start_.size()) - 1; }
  // How many groups a level has, and which of them each point is in, from 0.
  std::size_t size(int level) const {
    return std::size_t(start_[std::size_t(level) + 1] - start_[std::size_t(level)]);
  }
  std::vector<Index> of_points(int level) const;
  // Answers of groups in scratch of their own.
  block_cg::Levels view(Span<const Row4> filter);
  // With the sums of `outside` made, the groups' own blocks.
  void invert(const Exec&, Span<const Row4> filter, Span<const Real> inertia);
  Span<Sym3> outside() { return outside_.span(); }

 private:
  std::uint8_t apart(std::size_t i, std::size_t j) const;
  std::size_t groups() const { return std::size_t(start_.back()); }

  std::size_t points_;
  std::vector<Index> start_{0}, point_parent_on_host_, parent_on_host_;
  Buffer<Index> point_parent_, parent_, first_child_, child_;
  Buffer<Sym3> inverse_, outside_, group_outside_;
  Buffer<Real> group_inertia_;
  Buffer<Row4> r_, z_;
};

}  // namespace rtsim
