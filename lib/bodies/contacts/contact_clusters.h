#pragma once
#include <cstdint>
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

// Contacts that are solved together, and the moving bodies that they are between.
struct ContactClusters {
  std::vector<Index> first_contact{0}, contacts;
  std::vector<Real> growth;  // of each one's stiffness
  std::vector<Index> first_body{0}, bodies;
  std::vector<Index> reach;  // of each contact: how many before it, and it, to the first it meets
};

// From which load on contacts are solved together where that pays, of each: 1 / 64 in islands of at
// most 128 contacts, in larger ones as many times that as their number squared, up to 4.
std::vector<Real> least_loads(const std::vector<ContactKey>&, const std::vector<bool>& moves);

// `loads` of each contact for its two bodies, 0 where it is not much for one; `moves` of each body,
// and `excluded` of those that are in no group.
ContactClusters cluster_contacts(const std::vector<ContactKey>&,
                                 const std::vector<VecT<Real, 2>>& loads,
                                 const std::vector<Real>& least, const std::vector<bool>& moves,
                                 const std::vector<std::uint8_t>& excluded);

// Of the contacts of a stage those that are solved together:
// kernels/rigid/clusters/contact_clusters.h.
template <int D>
class DirectContacts {
 public:
  explicit DirectContacts(const Exec&);

  // Finds them among contacts, which may be those of the last step, and stiffens them. `slots`: a
  // contact for each lane of each block, or -1.
  void choose(const Exec&, const rigid::Stiffness&, const std::vector<ContactKey>&, bool same,
              const std::vector<Index>& slots, const std::vector<bool>& moves,
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
                       const std::vector<Index>& slots, const std::vector<bool>& moves,
                       Span<const Row4> solver_bodies, Span<const rigid::ContactBlock<D>>);
  void upload(const ContactClusters&);

  std::vector<std::uint8_t> excluded_;
  std::vector<Real> least_;
  Buffer<Index> first_slot_, slots_, first_body_;
  Buffer<std::int64_t> first_number_;
  Buffer<Real> growth_;
  Buffer<VecT<Real, 2>> loads_;
  Buffer<rigid::ClusterBody<D>> bodies_;
  Buffer<rigid::LcpRow<D>> rows_;
  Buffer<double> numbers_;
};

}  // namespace rtsim
