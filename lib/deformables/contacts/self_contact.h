#pragma once
#include <string>
#include <vector>

#include "deformables/item_tree.h"
#include "world/world.h"

namespace rtsim {

struct SelfContactRules {
  double thickness;  // [m] of layers, or the diameter of marbles
  double friction;
  int passes;
  bool within;   // whether features of one mesh meet each other
  bool marbles;  // points are spheres, and nothing else meets
};

// Meshes that meet themselves and one another, their points in one array: points near triangles
// and edges near edges are kept apart, and points whose ways would still lead through one another
// stop before. Or, cheaper, spheres at the points are kept apart. Pairs are found with a margin,
// and again when points have moved as far, at least once a step, so that what a run does depends
// on its state alone.
class SelfContact {
 public:
  // While stages are made: points are where they rest.
  SelfContact(World&, const std::vector<std::string>& meshes, const SelfContactRules&);

  // Once a step.
  void begin(World&);

  // Pairs of the ways of a substep, and the side from which each may come near.
  void find(Span<const Vec<3>> from, Span<const Vec<3>> to, Real recovery);
  // Pushes apart what would end nearer than the thickness, with friction.
  void repel(Span<const Vec<3>> from, Span<Vec<3>> x, Span<Vec<3>> v, Span<const Real> w, Real h);
  // For ways that are to be shortened until nothing meets on them; marbles may meet. Pairs of ways
  // up to there, points of those that meet, which are counted, and what marked points may go.
  void cover(Span<const Vec<3>> from, Span<const Vec<3>> to);
  Index mark_meeting(Span<const Vec<3>> from, Span<const Vec<3>> to, Span<std::uint32_t> marked);
  void shorten(Span<const std::uint32_t> marked, Span<const Vec<3>> from, Span<Vec<3>> x,
               Span<Vec<3>> v, Span<const Real> w, Real h);

  // How often an edge goes through a triangle.
  Index intersections(Span<const Vec<3>> position);
  // Where there are some, and what to do, in words; nothing where there are none.
  std::string complaint(World&, Span<const Vec<3>> position);

 private:
  contact::Slots slots() const { return {order_.span(), first_slot_.span()}; }
  contact::Parts parts() const { return {part_.span(), within_}; }
  void plant(World&);
  bool covered(Span<const Vec<3>> from, Span<const Vec<3>> to) const;
  void search(Span<const Vec<3>> from, Span<const Vec<3>> to);

  Exec ex_;
  std::vector<std::string> meshes_;
  contact::SelfRules rules_;
  int passes_;
  bool within_, marbles_only_;
  Real margin_;  // of the search [m]
  bool stale_ = true;
  Index torn_ = 0;  // edges, when the trees were made
  ItemTree<3> triangles_;
  ItemTree<2> edges_;
  ItemTree<1> marbles_;
  Buffer<std::int32_t> points_, part_;
  Buffer<Vec<3>> rest_, searched_;  // searched_: where the points were to be then
  Buffer<Index> count_, order_, first_slot_;
  Buffer<std::uint32_t> keys_, meets_;
  Buffer<contact::Pair> pairs_;
  Buffer<contact::Facing> facing_;
  Buffer<Vec<4>> moves_;
  Buffer<Real> active_;
};

}  // namespace rtsim
