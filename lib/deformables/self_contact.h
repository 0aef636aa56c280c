#pragma once
#include <string>

#include "deformables/item_tree.h"
#include "world/world.h"

namespace rtsim {

// A mesh that meets itself: points near triangles and edges near edges are kept apart, and points
// whose ways would still lead through one another stop before. Pairs are found with a margin, and
// again when points have moved as far, at least once a step, so that what a run does depends on its
// state alone.
class SelfContact {
 public:
  // While stages are made: points are where they rest. `thickness` [m]: of the mesh.
  SelfContact(World&, const std::string& mesh, double thickness, double friction, int passes);

  void begin() { stale_ = true; }

  // Pairs of the ways of a substep, and the side from which each may come near.
  void find(Span<const Vec<3>> from, Span<const Vec<3>> to, Real recovery);
  // Pushes apart what would end nearer than the thickness, with friction.
  void repel(Span<const Vec<3>> from, Span<Vec<3>> x, Span<Vec<3>> v, Span<const Real> w, Real h);
  // Last of all: shortens ways until nothing meets on them.
  void stop(Span<const Vec<3>> from, Span<Vec<3>> x, Span<Vec<3>> v, Span<const Real> w, Real h);

  // How often an edge goes through a triangle.
  Index intersections(Span<const Vec<3>> position);

 private:
  contact::Slots slots() const { return {order_.span(), first_slot_.span()}; }
  bool covered(Span<const Vec<3>> from, Span<const Vec<3>> to) const;
  void search(Span<const Vec<3>> from, Span<const Vec<3>> to);

  Exec ex_;
  contact::SelfRules rules_;
  int passes_;
  Real margin_;  // of the search [m]
  bool stale_ = true;
  ItemTree<3> triangles_;
  ItemTree<2> edges_;
  Buffer<std::int32_t> points_;
  Buffer<Vec<3>> rest_, searched_;  // searched_: where the points were to be then
  Buffer<Index> count_, order_, first_slot_;
  Buffer<std::uint32_t> keys_, meets_, marked_;
  Buffer<contact::Pair> pairs_;
  Buffer<contact::Facing> facing_;
  Buffer<Vec<4>> moves_;
  Buffer<Real> active_;
};

}  // namespace rtsim
