#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "base/vec.h"
#include "rigid/clusters/contact_clusters.h"
#include "world/world.h"

namespace rtsim {

// Two bodies that meet, and in which part; sorted by (a, b, part_a, part_b).
struct ContactKey {
  Index a, b;
  std::uint32_t part_a, part_b;
  auto operator<=>(const ContactKey&) const = default;
};

// What may be solved at once: no two contacts of a colour have a body in common. Contacts with what
// does not move have colours of their own, which are solved last; what finds no colour is solved
// alone.
constexpr std::int32_t moving_colours = 32, all_colours = 63, overflow_colour = 63, unsolved = -1;

// For each of the new contacts its row among the old ones, or -1.
std::vector<Index> match_contacts(const std::vector<ContactKey>& old,
                                  const std::vector<ContactKey>& now);

// Contacts that stay keep their colours; new ones take the lowest that is free, in their order.
// moves(body): whether impulses move it.
std::vector<std::int32_t> colour_contacts(const std::vector<ContactKey>& now,
                                          const std::vector<Index>& previous,
                                          const std::vector<std::int32_t>& old_colours,
                                          const std::vector<bool>& moves);

// Contacts that hang together, in rings about their least body, and the bodies that move; of each
// contact how many before it, and it, to the first it meets.
//
// To eliminate a contact that reaches back over n costs about as much as n^2 passes over it
// (measured, in space: 0.18 us for each of n^2, 0.16 us for a pass), and a substep does so at least
// twice: while overlaps are taken back, and while contacts relax.
struct ContactGroup {
  std::vector<Index> contacts, bodies, reach;
  double passes = 0;  // over all of them that cost as much: twice the mean n^2
};

// Of the chosen contacts those that hang together, where that costs no more than 128 passes.
std::vector<ContactGroup> cheap_groups(const std::vector<ContactKey>&,
                                       const std::vector<bool>& moves,
                                       const std::vector<std::uint8_t>& chosen);

// Groups one behind the other.
struct ContactClusters {
  std::vector<Index> first_contact{0}, contacts;
  std::vector<Real> growth;  // of each one's stiffness
  std::vector<Index> first_body{0}, bodies;
  std::vector<Index> reach;
};

// From which load on contacts of an island that is dear are solved together, with what bears as
// much.
constexpr Real much_load = 4;

// Which contacts are solved together. To be g times as stiff by passes takes g of them
// (kernels/rigid/contacts/contact_stiffness.h), so what is to be g times as stiff is a group where
// that costs less than g passes: islands as a whole, and of such that are dear what bears much.
class GroupedContacts {
 public:
  // `excluded`: bodies that are in no group. Groups cost at most as much as so many passes.
  void find(const std::vector<ContactKey>&, const std::vector<bool>& moves,
            const std::vector<std::uint8_t>& excluded);
  bool any_islands() const { return !islands_.empty(); }
  // `loads` of each contact for its two bodies, 0 where it is not much for one.
  ContactClusters pressed(const std::vector<ContactKey>&, const std::vector<bool>& moves,
                          const std::vector<VecT<Real, 2>>& loads, Real least) const;

 private:
  std::vector<ContactGroup> islands_;
  std::vector<std::uint8_t> left_;  // contacts of other islands
};

// Of the contacts of a stage those that are solved together:
// kernels/rigid/clusters/contact_clusters.h.
template <int D>
class DirectContacts {
 public:
  explicit DirectContacts(const Exec&);

  // Finds them among contacts, which may be those of the last step, and stiffens them. `slots`: a
  // contact for each lane of each block, or -1.
  void choose(const Exec&, const rigid::Stiffness&, const std::vector<ContactKey>&, bool same,
              std::span<const Index> slots, const std::vector<bool>& moves,
              Span<const Row4> solver_bodies, Span<rigid::ContactBlock<D>>);
  // Bodies whose contacts are in no group.
  void exclude(std::vector<std::uint8_t> bodies) { excluded_ = std::move(bodies); }
  bool none() const { return slots_.size() == 0; }
  void solve(const Exec&, const rigid::ContactLaw&, bool weighs,
             Span<const rigid::LaneMaterials<D>> own, Span<rigid::ContactBlock<D>>,
             Span<Row4> solver_bodies);

 private:
  rigid::Clusters<D> view();
  ContactClusters find(const Exec&, Real least, const std::vector<ContactKey>&,
                       std::span<const Index> slots, const std::vector<bool>& moves,
                       Span<const Row4> solver_bodies, Span<const rigid::ContactBlock<D>>);
  void upload(const ContactClusters&);

  std::vector<std::uint8_t> excluded_;
  GroupedContacts groups_;
  bool found_ = false;
  Buffer<Index> first_slot_, slots_, first_body_;
  Buffer<std::int64_t> first_number_;
  Buffer<Real> growth_;
  Buffer<rigid::ClusterBody<D>> bodies_;
  Buffer<rigid::LcpRow<D>> rows_;
  Buffer<double> numbers_;
};

}  // namespace rtsim
