#pragma once
#include <string>
#include <vector>

#include "contact/penetration.h"
#include "deformables/item_tree.h"
#include "world/world.h"

namespace rtsim {

// Meshes, their points in one array, that overlap tetrahedra of one another: points inside are
// found by a spatial hash, their depth and way out from where surfaces meet, and what overlaps is
// moved apart, by no more than the recovery.
class Penetrations {
 public:
  // While stages are made. At least one mesh has tets.
  Penetrations(World&, const std::vector<std::string>& meshes, Span<const std::int32_t> part);

  // After the trees were built.
  void build(World&, ItemTree<2>& edges);
  // At the start of a substep. Trees are left around these places.
  void find(Span<const Vec<3>> from, Real thickness, ItemTree<3>& triangles, ItemTree<2>& edges);
  bool any() const { return any_; }
  Index points_inside() const { return inside_count_; }
  contact::Tangled tangled() const;

  // Of what was found at x: velocities that lead out, for a step of the length h [s].
  void push_out(const contact::SelfRules&, int passes, Span<const Vec<3>> x, Span<Vec<3>> v,
                Span<const Real> w, Real h);

 private:
  void find_reach(Span<const Vec<3>> from, Real slack);
  void find_inside(const contact::Surfaces&);
  void fill_cells();
  void find_ways(const contact::Surfaces&);
  void find_exits(const contact::Surfaces&);
  void write_penetrations(const contact::Surfaces&);

  Exec ex_;
  std::vector<std::string> meshes_;
  std::vector<Index> first_point_;    // of each mesh, and the end
  std::vector<std::uint32_t> solid_;  // of each mesh
  Span<const std::int32_t> part_;
  double mean_box_ = 0;  // [m] the longest sides of the boxes of tets at rest
  bool any_ = false;
  Index inside_count_ = 0, crossing_count_ = 0;
  contact::TetCells cells_;
  Buffer<contact::Corners4> tets_;
  Buffer<std::int32_t> points_;  // of surfaces
  Buffer<contact::Box> reach_;
  Buffer<std::uint32_t> is_solid_;
  Buffer<Index> first_neighbour_, neighbours_;  // along edges of surfaces
  Buffer<Index> cell_count_, entry_tet_, entry_order_, first_entry_;
  Buffer<std::uint32_t> entry_bucket_;
  Buffer<Index> inside_, close_, next_inside_;
  Buffer<std::uint32_t> crosses_, near_, level_, next_level_;
  Buffer<contact::WayOut> ways_;
  Buffer<contact::Exit> exits_;
  Buffer<contact::Shortest> shortest_, next_shortest_;
  Buffer<Index> count_, order_, first_slot_;
  Buffer<std::uint32_t> keys_;
  Buffer<contact::Penetration> items_;
  Buffer<Vec<3>> ahead_;
  Buffer<Vec<4>> moves_;
  Buffer<Real> active_;
};

}  // namespace rtsim
