#pragma once
#include <vector>

#include "bodies/contacts/contact_clusters.h"
#include "rigid/clusters/contact_clusters.h"
#include "world/world.h"

namespace rtsim {

// Of the contacts of a stage those that are solved together: kernels/rigid/contact_clusters.h.
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
