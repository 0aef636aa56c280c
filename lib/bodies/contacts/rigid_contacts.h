#pragma once
#include <span>
#include <string>
#include <vector>

#include "bodies/contacts/contact_clusters.h"
#include "rigid/contacts/contact_points.h"
#include "rigid/contacts/contact_stiffness.h"
#include "rigid/material.h"
#include "world/world.h"

namespace rtsim {

// How often the contacts of one stage are solved in a substep while they may overlap. The table
// `<stage>.settling` has how long they still look for their loads [s].
class ContactPasses {
 public:
  ContactPasses(World&, const std::string& stage);

  // For a step of dt [s]; `fresh`: none of its contacts was there in the last one. `load`: the
  // greatest x, kernels/rigid/contacts/contact_stiffness.h.
  void begin(World&, double dt, const rigid::Stiffness&, bool fresh, Index contacts, double load);
  // In the first substep, and in each later one.
  int first() const { return first_; }
  int each() const { return each_; }

 private:
  std::string table_;
  int first_ = 1, each_ = 1;
};

// What contacts keep, a row for each manifold.
template <int D>
void add_contact_columns(Table&);
using KeyRow = VecT<std::uint32_t, 4>;  // of a ContactKey
std::vector<ContactKey> contact_keys(Table&);
// Of manifolds that lie where the Exec works; and how many points each has, if that is asked.
template <int D>
void list_keys(const Exec&, rigid::ManifoldList<D>, std::vector<ContactKey>&,
               std::vector<std::uint8_t>* points = nullptr);

// The contacts of one stage: the table `<stage>.contacts`, a row for each manifold of the last step
// with its impulses and its colour, and the blocks that the solver works on.
template <int D>
class RigidContacts {
 public:
  // `moves`: of bodies, then boundaries.
  RigidContacts(World&, const std::string& stage, std::vector<bool> moves, bool rolls);

  // At the start of a step: impulses of what still touches, colours, blocks.
  void begin(World&, const rigid::ManifoldList<D>&, Span<const rigid::BodyPose<D>>,
             Span<const Row4> solver_bodies, const rigid::Stiffness&);
  // Behind `begin`: what they take in each substep, of some with overlaps and some without.
  int passes() const { return passes_; }
  // The greatest of any contact.
  Real load() const { return load_; }
  // Of bodies and boundaries with materials of their own; else none.
  void touch_with(const std::vector<rigid::Material<D>>& of) { materials_.upload(of); }
  // Of bodies and boundaries, if any is round; else none.
  void roll_on(const std::vector<rigid::RoundSurface<D>>& of) { round_.upload(of); }
  // At the start of a step, behind `begin`: what they make of each contact.
  void mix(const Exec&, Span<const rigid::BodyPose<D>> poses);
  // Behind `begin`: whether to add up what this step's contacts give, at each substep's end.
  void watch(bool on);
  void add_reported(const Exec&);
  Span<const rigid::ReportedImpulses<D>> given() const { return reported_.span(); }
  // Bodies that `touched` says are held, besides those with contacts.
  void hold(std::vector<std::uint8_t> bodies) { held_ = std::move(bodies); }
  // Bodies whose contacts are never solved together: kernels/rigid/clusters/contact_clusters.h.
  void exclude_from_clusters(std::vector<std::uint8_t> bodies) {
    direct_.exclude(std::move(bodies));
  }
  // Where a body has no contact: 0; where others hold it: held.
  Span<const std::uint8_t> touched() const { return touched_.span(); }

  // kernels/rigid/contacts/contacts.h
  void update_anchors(const Exec&, const rigid::Bodies<D>&, const rigid::ManifoldList<D>&,
                      Span<const Row4> solver_bodies, bool slender, bool turned);
  void warm_start(const Exec&, Span<Row4> solver_bodies);
  // Before all of them, what bears much: kernels/rigid/clusters/contact_clusters.h.
  void solve_clusters(const Exec&, const rigid::ContactLaw&, bool weighs, Span<Row4> solver_bodies);
  void solve(const Exec&, const rigid::ContactLaw&, Span<Row4> solver_bodies);
  // Of bodies that others hold: kernels/rigid/contacts/held_contacts.h.
  void begin_turns();
  Real answer_more(const Exec&, const rigid::ContactLaw&, Real little, Span<Row4> solver_bodies);
  void bounce(const Exec&, const rigid::ImpactLaw&, int passes, Span<Row4> solver_bodies);
  // At the end of the step, into the table.
  void keep(World&);

  Span<const rigid::ContactBlock<D>> blocks() const { return blocks_.span(); }
  bool all_new() const { return all_new_; }
  Index count() const { return Index(now_.size()); }

 private:
  struct Colour {
    Index begin, end;  // blocks
    bool both;         // both bodies of each move
    bool held;         // others hold one of them
  };
  using Block = rigid::ContactBlock<D>;
  Index end_of_turn(const rigid::ContactLaw&, const Colour&) const;
  void list_loads(const Exec&);
  bool held(const ContactKey&) const;
  void list();
  void match(World&, const rigid::Stiffness&, std::vector<ContactKey> old);
  void rank(World&, const rigid::Stiffness&, const std::vector<Index>& previous);
  bool points_fit() const;
  void fill_slots();
  void place_points();
  void place_blocks();
  std::span<const Index> slots() const {
    return std::span(placed_).first(blocks_.size() * lane_count);
  }
  rigid::BlockPoints<D> block_points();
  rigid::ContactState<D> state(World&) const;

  std::string table_;
  bool rolls_;
  Real load_ = 0;
  int passes_ = 1;
  std::vector<bool> moves_;
  std::vector<std::uint8_t> held_;
  std::vector<ContactKey> now_;
  std::vector<std::uint8_t> points_, room_;  // that contacts have, and that their blocks hold
  std::uint64_t kept_ = std::uint64_t(-1);   // revision of the table when it last got `now_`
  bool same_ = false;                        // as in the step before, and in the table
  bool follows_ = false;                     // `previous_` says so already
  bool all_new_ = true;
  std::vector<std::int32_t> colours_, ranks_;
  std::vector<Colour> order_;
  std::vector<Index> placed_;  // a contact for each lane of each block, or -1; then first points
  Index all_points_ = 0;       // of blocks that have none of their own
  Buffer<Index> kept_placed_, previous_;
  Buffer<std::uint8_t> touched_;
  Buffer<Block> blocks_;
  Buffer<typename Block::Point> block_points_;
  Buffer<typename Block::Feature> block_features_;
  std::vector<Real> block_loads_;  // the most of any lane, on a CPU where some take more passes
  Buffer<Real> left_;              // to answer, of lanes
  Buffer<rigid::Material<D>> materials_;
  Buffer<rigid::RoundSurface<D>> round_;
  Buffer<rigid::LaneMaterials<D>> mixed_;
  Buffer<rigid::ReportedImpulses<D>> reported_;
  DirectContacts<D> direct_;
};

// Where the bodies of an object touch, a row for each point, for frames: derived columns `bodies`,
// `position`, `normal`, `force`, `moment` and `separation` as in
// kernels/rigid/contacts/contact_points.h.
std::string contact_table(const std::string& bodies);

template <int D>
void add_contact_table(World&, const std::string& bodies);

// `dt` [s]: of the step that the `contacts` were of. Rows are in their order.
template <int D>
void fill_contact_table(World&, const std::string& bodies, double dt, const rigid::BodyStates<D>&,
                        Index contacts, Span<const rigid::ContactBlock<D>>,
                        Span<const rigid::ReportedImpulses<D>>, Span<const Row4> solver_bodies);

}  // namespace rtsim
