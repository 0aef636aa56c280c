#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "bodies/shapes/part_set.h"
#include "boundaries/contact_solid.h"
#include "rigid/broad_phase.h"
#include "rigid/contacts/round_surface.h"
#include "rigid/narrow_phase/collision.h"
#include "shapes/motion.h"
#include "stage/stage.h"

namespace rtsim {

// How a boundary moves over a step; all zero of one that stands.
template <int D>
struct BoundaryStep {
  Vec<D> centre;                       // [m] of its pose at the step's start; arms start there
  Vec<D> velocity;                     // [m/s] of the centre
  rigid::Angular<D> angular_velocity;  // [rad/s]
};

// Which bodies rest, where any may: two that do are not tested.
struct Resting {
  Span<const std::uint8_t> bodies;  // 1 of those that do; none: nobody
  bool changed = true;              // since contacts were last found, or it may have
  // Of all bodies those that do not rest, and those that then did not.
  rigid::Rows rows;
  const std::vector<Index>* eights = nullptr;  // of the rows, if they are listed
};

// Finds where the bodies of one object touch each other and boundaries. Nothing that it keeps
// shows in what it finds: that follows from the bodies' present state.
template <int D>
class Collision {
 public:
  // While stages are made. Boundary k stands for body `rows of the bodies' table` + k.
  Collision(World&, const std::string& bodies, const std::vector<std::string>& boundaries);

  // Pairs of bodies that never meet, sorted, the lower first.
  void ignore(std::vector<VecT<Index, 2>> pairs) { ignored_ = std::move(pairs); }

  // Manifolds of all pairs that have points nearer than `margin` [m], or that may come so near
  // within the step, sorted by (a, b, part_a, part_b). Not of two that rest: bodies, and boundaries
  // that stand.
  void find(World&, const Step&, double margin, const Resting&);
  void find(World& w, const Step& s, double margin) { find(w, s, margin, {{}, true, {rows_}}); }
  rigid::ManifoldList<D> manifolds() const;
  const std::vector<BoundaryStep<D>>& boundaries() const { return steps_; }
  // Where bodies and then boundaries were when it looked.
  Span<const rigid::BodyPose<D>> poses() const { return poses_.span(); }

  // Of bodies, then boundaries; none if nothing is round.
  std::vector<rigid::RoundSurface<D>> round() const;

  // Whether boundaries stand.
  const std::vector<std::uint8_t>& boundaries_rest() const { return boundaries_rest_; }

  // Pairs that the last step tested, and how often such were searched for.
  Index pairs() const { return Index(pairs_.size()); }
  long searches() const { return searches_; }

 private:
  void list_items(World&);
  void list_boxes();
  void list_rows(const Resting&);
  void place(World&, const Step&, const rigid::Rows&);
  void place_boundary(std::size_t k, const Step&);
  rigid::CollisionWorld<D> collision_world();
  void add_solid(World&, const std::string& boundary);
  void add_boundary(World&, const std::string& name);
  bool rests(Index item) const;
  bool lacks_pairs() const;
  bool keep_rests(const Resting&);
  void search(double margin);
  void drop_resting_pairs();
  Span<const rigid::Aabb<D>> fat_aabbs() const;
  bool ignored(const rigid::OverlapPair&) const;
  bool above_plane(const rigid::OverlapPair&, const rigid::Aabb<D>&) const;
  void list_pairs(const std::vector<rigid::OverlapPair>& found);
  Span<const rigid::ItemPair> tested_pairs() const;

  Exec ex_;
  std::string bodies_;
  Index rows_;
  std::vector<std::optional<MotionSpec>> motions_;  // of boundaries
  std::vector<Index> first_part_, part_count_;      // of body shapes, then of boundaries
  PartSet<D> parts_;
  std::deque<ContactSolid> solids_;
  Buffer<contact::Solid> kept_solids_;
  std::vector<Index> mesh_of_;  // of boundaries' items: row of the set's meshes, or -1
  bool meshes_move_ = false;    // then their triangles are searched for every step
  std::vector<rigid::Item> items_;
  Index moving_ = 0;                // items of bodies, which come first
  std::vector<Index> first_item_;   // of bodies
  std::vector<Index> item_eights_;  // that rows of bodies have, and those of boundaries
  Buffer<Index> kept_item_eights_;
  rigid::Rows item_rows_;
  Buffer<rigid::Item> kept_items_;  // on a device
  Buffer<rigid::BodyPose<D>> poses_;
  std::vector<BoundaryStep<D>> steps_;
  std::vector<std::uint8_t> boundaries_rest_;
  // Of bodies and boundaries: who rests, and who has no pairs with those that do.
  std::vector<std::uint8_t> rests_, unpaired_;
  Buffer<std::uint8_t> kept_rests_;
  Buffer<rigid::PlacedBox<D>> placed_;
  Buffer<Index> box_rows_;  // of items in it, unless all are boxes
  Buffer<rigid::Aabb<D>> aabbs_;
  bool parted_ = false;      // whether the search knows who rests
  std::vector<Index> live_;  // and those that do not
  std::vector<rigid::Aabb<D>> fat_aabbs_;
  Buffer<rigid::Aabb<D>> kept_fat_aabbs_;  // on a device
  rigid::BroadPhase<D> search_;
  std::vector<rigid::ItemPair> pairs_;
  Buffer<rigid::ItemPair> kept_pairs_;  // on a device
  rigid::Manifolds<D> manifolds_;
  std::vector<VecT<Index, 2>> ignored_;
  long searches_ = 0;
};

}  // namespace rtsim
