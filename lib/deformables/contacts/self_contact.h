#pragma once
#include <memory>
#include <string>
#include <vector>

#include "deformables/contacts/penetrations.h"
#include "deformables/item_tree.h"
#include "world/world.h"

namespace rtsim {

struct SelfContactRules {
  double thickness;  // [m] of layers, or the diameter of proxy spheres
  double friction;
  int passes;
  bool within;         // whether features of one mesh meet each other
  bool proxy_spheres;  // points are spheres, and no other features collide
};

// Meshes that meet themselves and one another, their points in one array: points near triangles
// and edges near edges are kept apart, and points whose ways would still lead through one another
// stop before. What overlaps tetrahedra of another mesh all the same is moved apart. Or, cheaper,
// spheres at the points are kept apart. Pairs are found with a margin, and again when points have
// moved as far, at least once a step, so that what a run does depends on its state alone.
class SelfContact {
 public:
  // While stages are made: points are where they rest.
  SelfContact(World&, const std::vector<std::string>& meshes, const SelfContactRules&);

  // Once a step.
  void begin(World&);

  // Broad phase of a substep: pairs of features, and the side from which each may come near.
  void prepare(Span<const Vec<3>> from, Span<const Vec<3>> to, Real recovery);
  // Likewise of those where surfaces are nearest to each other alone. `again`: from the same places
  // as the last time.
  void prepare_nearest(Span<const Vec<3>> from, Span<const Vec<3>> to, Real recovery, bool again);
  // Pushes apart what would end nearer than the thickness, with friction.
  void repel(Span<const Vec<3>> from, Span<Vec<3>> x, Span<Vec<3>> v, Span<const Real> w, Real h);
  // Velocities at the end of a step that lead out of what overlaps there, by `recovery` [m] in the
  // next one.
  void push_apart(Span<const Vec<3>> x, Span<Vec<3>> v, Span<const Real> w, Real recovery, Real h);
  // For paths that are to be shortened until no features meet on them, proxy spheres excepted:
  // prepare_stop() finds the pairs, mark_meeting() marks the points of pairs that meet and counts
  // these pairs, shorten() limits the paths of marked points.
  void prepare_stop(Span<const Vec<3>> from, Span<const Vec<3>> to);
  Index mark_meeting(Span<const Vec<3>> from, Span<const Vec<3>> to, Span<std::uint32_t> marked);
  void shorten(Span<const std::uint32_t> marked, Span<const Vec<3>> from, Span<Vec<3>> x,
               Span<Vec<3>> v, Span<const Real> w, Real h);

  // How many points are inside tetrahedra of other meshes.
  Index points_inside(Span<const Vec<3>> position);
  // How often an edge goes through a triangle.
  Index intersections(Span<const Vec<3>> position);
  // A warning that says where intersections are and what to do; empty if there are none.
  std::string intersection_warning(World&, Span<const Vec<3>> position);
  bool moves_apart() const { return inside_ != nullptr; }

 private:
  contact::Slots slots() const { return {order_.span(), first_slot_.span()}; }
  contact::Parts parts() const { return {part_.span(), within_}; }
  void build_trees(World&);
  bool pairs_cover(Span<const Vec<3>> from, Span<const Vec<3>> to) const;
  void find_overlaps(Span<const Vec<3>> from);
  void find_pairs(Span<const Vec<3>> from, Span<const Vec<3>> to);

  Exec ex_;
  std::vector<std::string> meshes_;
  contact::SelfRules rules_;
  int passes_;
  bool within_, proxy_spheres_only_;
  Real margin_;  // of the AABBs [m]
  bool stale_ = true;
  Index torn_ = 0;  // edges, when the trees were made
  ItemTree<3> triangles_;
  ItemTree<2> edges_;
  ItemTree<1> proxy_spheres_;
  std::unique_ptr<Penetrations> inside_;  // of several meshes, some with tetrahedra
  Buffer<std::int32_t> points_, part_;
  Buffer<Vec<3>> rest_, pairs_found_at_;  // pairs_found_at_: the ends of the paths then
  Buffer<Index> first_triangle_;          // around points, with
  Buffer<VecT<std::int32_t, 2>> others_;
  Buffer<Index> count_, order_, first_slot_;
  Buffer<std::uint32_t> keys_, meets_;
  Buffer<contact::Pair> pairs_;
  Buffer<contact::Facing> facing_;
  Buffer<Vec<4>> moves_;
  Buffer<Real> active_;
};

}  // namespace rtsim
