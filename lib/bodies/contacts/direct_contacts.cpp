#include "bodies/contacts/direct_contacts.h"

#include <algorithm>

namespace rtsim {

template <int D>
DirectContacts<D>::DirectContacts(const Exec& ex)
    : first_slot_(ex),
      slots_(ex),
      first_body_(ex),
      first_number_(ex),
      growth_(ex),
      loads_(ex),
      bodies_(ex),
      rows_(ex),
      numbers_(ex) {}

template <int D>
rigid::Clusters<D> DirectContacts<D>::view() {
  return {first_slot_.span(), slots_.span(), growth_.span(),       first_body_.span(),
          bodies_.span(),     rows_.span(),  first_number_.span(), numbers_.span()};
}

// With slots for contacts.
template <int D>
ContactClusters DirectContacts<D>::find(const Exec& ex, Real least,
                                        const std::vector<ContactKey>& keys,
                                        const std::vector<Index>& slots,
                                        const std::vector<bool>& moves,
                                        Span<const Row4> solver_bodies,
                                        Span<const rigid::ContactBlock<D>> blocks) {
  loads_.resize(std::size_t(blocks.size * lane_count));
  rigid::loads_of<D>(ex, blocks, solver_bodies, loads_.span());
  std::vector<VecT<Real, 2>> of_slots(loads_.size()), loads(keys.size());
  ex.download(of_slots.data(), loads_.data(), of_slots.size() * sizeof(VecT<Real, 2>));
  std::vector<Index> slot_of(keys.size());
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (slots[k] < 0) continue;
    slot_of[std::size_t(slots[k])] = Index(k), loads[std::size_t(slots[k])] = of_slots[k];
  }
  std::vector<Real> from = least_;
  for (Real& x : from) x = std::max(x, least);
  ContactClusters groups = cluster_contacts(keys, loads, from, moves, excluded_);
  for (Index& k : groups.contacts) k = slot_of[std::size_t(k)];
  return groups;
}

template <int D>
void DirectContacts<D>::upload(const ContactClusters& groups) {
  constexpr Index most_rows = rigid::Clusters<D>::most_rows;
  std::vector<std::int64_t> first_number{0};
  for (std::size_t g = 0; g + 1 < groups.first_contact.size(); ++g) {
    std::int64_t numbers = 0;
    for (Index k = groups.first_contact[g]; k < groups.first_contact[g + 1]; ++k)
      numbers += most_rows * most_rows * groups.reach[std::size_t(k)];
    first_number.push_back(first_number.back() + numbers);
  }
  std::vector<rigid::ClusterBody<D>> bodies;
  for (const Index b : groups.bodies) bodies.push_back({rigid::solver_body_rows<D> * b, 0, {}});
  first_slot_.upload(groups.first_contact), slots_.upload(groups.contacts);
  growth_.upload(groups.growth);
  first_body_.upload(groups.first_body), bodies_.upload(bodies);
  first_number_.upload(first_number);
  rows_.resize(groups.contacts.size() * std::size_t(most_rows));
  numbers_.resize(std::size_t(first_number.back()));
}

template <int D>
void DirectContacts<D>::choose(const Exec& ex, const rigid::Stiffness& stiffness,
                               const std::vector<ContactKey>& keys, bool same,
                               const std::vector<Index>& slots, const std::vector<bool>& moves,
                               Span<const Row4> solver_bodies,
                               Span<rigid::ContactBlock<D>> blocks) {
  slots_.resize(0);
  if (keys.empty()) return;
  if (!same || least_.size() != keys.size()) least_ = least_loads(keys, moves);
  // What is solved more often bears more by passes.
  const Real least = std::min(1 / (64 * stiffness.passes), Real(1));
  if (!(rigid::most_peak<D>(ex, blocks) > std::max(std::ranges::min(least_), least))) return;
  const ContactClusters groups = find(ex, least, keys, slots, moves, solver_bodies, blocks);
  if (groups.contacts.empty()) return;
  upload(groups);
  rigid::stiffen_clusters<D>(ex, stiffness, view(), solver_bodies, blocks);
}

template <int D>
void DirectContacts<D>::solve(const Exec& ex, const rigid::ContactLaw& law, bool weighs,
                              Span<const rigid::LaneMaterials<D>> own,
                              Span<rigid::ContactBlock<D>> blocks, Span<Row4> solver_bodies) {
  if (none()) return;
  rigid::Clusters<D> groups = view();
  groups.weighs = weighs;
  rigid::solve_clusters<D>(ex, law, own, groups, blocks, solver_bodies);
}

template class DirectContacts<2>;
template class DirectContacts<3>;

}  // namespace rtsim
