#include "bodies/contacts/contact_clusters.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/joined_sets.h"

namespace rtsim {

std::vector<Index> match_contacts(const std::vector<ContactKey>& old,
                                  const std::vector<ContactKey>& now) {
  std::vector<Index> previous(now.size(), -1);
  std::size_t o = 0;
  for (std::size_t n = 0; n < now.size(); ++n) {
    while (o < old.size() && old[o] < now[n]) ++o;
    if (o < old.size() && old[o] == now[n]) previous[n] = Index(o++);
  }
  return previous;
}

std::vector<std::int32_t> colour_contacts(const std::vector<ContactKey>& now,
                                          const std::vector<Index>& previous,
                                          const std::vector<std::int32_t>& old_colours,
                                          const std::vector<bool>& moves) {
  constexpr std::uint64_t of_moving = (std::uint64_t(1) << moving_colours) - 1;
  constexpr std::uint64_t of_fixed = ~of_moving & ~(std::uint64_t(1) << overflow_colour);
  std::vector<std::uint64_t> used(moves.size());
  std::vector<std::int32_t> colour(now.size(), unsolved);
  const auto take = [&](const ContactKey& k, std::int32_t c) {
    if (c == overflow_colour) return;
    for (const Index body : {k.a, k.b})
      if (moves[std::size_t(body)]) used[std::size_t(body)] |= std::uint64_t(1) << c;
  };
  for (std::size_t n = 0; n < now.size(); ++n) {
    const std::int32_t kept = previous[n] < 0 ? unsolved : old_colours[std::size_t(previous[n])];
    if (kept == unsolved || kept == overflow_colour) continue;
    colour[n] = kept, take(now[n], kept);
  }
  for (std::size_t n = 0; n < now.size(); ++n) {
    const bool a = moves[std::size_t(now[n].a)], b = moves[std::size_t(now[n].b)];
    if (colour[n] != unsolved || (!a && !b)) continue;
    const std::uint64_t taken =
        (a ? used[std::size_t(now[n].a)] : 0) | (b ? used[std::size_t(now[n].b)] : 0);
    const std::uint64_t free = ~taken & (a && b ? of_moving : of_fixed);
    colour[n] = free == 0 ? overflow_colour : std::countr_zero(free);
    take(now[n], colour[n]);
  }
  return colour;
}

namespace {

// [passes] What a group may cost, however much it bears.
constexpr double most_passes = 128;

// What presses a body presses all of its contacts, also those that are new.
std::vector<Real> loads_of(const std::vector<ContactKey>& keys,
                           const std::vector<VecT<Real, 2>>& loads, std::size_t bodies) {
  std::vector<Real> of_bodies(bodies), all(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k)
    for (const auto& [body, load] : {std::pair{keys[k].a, loads[k][0]}, {keys[k].b, loads[k][1]}})
      of_bodies[std::size_t(body)] = std::max(of_bodies[std::size_t(body)], load);
  for (std::size_t k = 0; k < keys.size(); ++k)
    all[k] = std::max(of_bodies[std::size_t(keys[k].a)], of_bodies[std::size_t(keys[k].b)]);
  return all;
}

// Contacts in rings about a body, so that each meets few of those before.
class Rings {
 public:
  Rings(const std::vector<ContactKey>& keys, const std::vector<bool>& moves,
        const std::vector<std::uint8_t>& chosen)
      : keys_(keys),
        moves_(moves),
        head_(moves.size(), -1),
        next_(keys.size(), {{-1, -1}}),
        first_(moves.size(), -1),
        placed_(keys.size()) {
    for (std::size_t k = keys.size(); k-- > 0;) {
      if (!chosen[k]) continue;
      next_[k] = {{head_[std::size_t(keys[k].a)], head_[std::size_t(keys[k].b)]}};
      head_[std::size_t(keys[k].a)] = head_[std::size_t(keys[k].b)] = Index(k);
    }
  }
  // All that hangs together with a body; none of it where that costs more, [passes] of one contact.
  ContactGroup about(Index start, double most_cost) {
    ContactGroup g{{}, {start}, {}, 0};
    for (std::size_t at = 0; at < g.bodies.size(); ++at)
      for (Index k = head_[std::size_t(g.bodies[at])]; k >= 0; k = after(k, g.bodies[at])) {
        if (placed_[std::size_t(k)]) continue;
        const auto reach = double(add(g, k));
        if (2 * (g.passes += reach * reach) > most_cost) return {};
      }
    g.passes *= 2 / double(g.contacts.size());
    return g;
  }

 private:
  Index after(Index k, Index body) const {
    return next_[std::size_t(k)][keys_[std::size_t(k)].a == body ? 0 : 1];
  }
  Index add(ContactGroup& g, Index k) {
    const Index place = Index(g.contacts.size());
    Index from = place;
    placed_[std::size_t(k)] = 1, g.contacts.push_back(k);
    for (const Index body : {keys_[std::size_t(k)].a, keys_[std::size_t(k)].b}) {
      if (!moves_[std::size_t(body)]) continue;
      Index& first = first_[std::size_t(body)];
      if (first < 0 && body != g.bodies.front()) g.bodies.push_back(body);
      if (first < 0) first = place;
      from = std::min(from, first);
    }
    g.reach.push_back(place - from + 1);
    return g.reach.back();
  }

  const std::vector<ContactKey>& keys_;
  const std::vector<bool>& moves_;
  std::vector<Index> head_;           // of each body, its first contact,
  std::vector<VecT<Index, 2>> next_;  // and of each contact the next one of its bodies
  std::vector<Index> first_;          // place of each body's first contact in its group
  std::vector<std::uint8_t> placed_;
};

// Stiffened so that none gives by more than what has the least load: but for parts of large
// islands, where passes leave more. Left to the passes where these are cheaper.
void append(ContactClusters& all, const ContactGroup& g, const std::vector<VecT<Real, 2>>& loads,
            Real least) {
  Real most = 0;
  for (const Index k : g.contacts)
    most = std::max({most, loads[std::size_t(k)][0], loads[std::size_t(k)][1]});
  const Real growth = most / least * std::sqrt(std::max(least, Real(1)));
  if (growth < std::max(Real(g.passes), Real(1))) return;
  all.contacts.insert(all.contacts.end(), g.contacts.begin(), g.contacts.end());
  all.reach.insert(all.reach.end(), g.reach.begin(), g.reach.end());
  all.growth.resize(all.contacts.size(), growth);
  all.first_contact.push_back(Index(all.contacts.size()));
  all.bodies.insert(all.bodies.end(), g.bodies.begin(), g.bodies.end());
  all.first_body.push_back(Index(all.bodies.size()));
}

}  // namespace

std::vector<ContactGroup> cheap_groups(const std::vector<ContactKey>& keys,
                                       const std::vector<bool>& moves,
                                       const std::vector<std::uint8_t>& chosen) {
  JoinedSets joined(moves.size());
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (chosen[k] && moves[std::size_t(keys[k].a)] && moves[std::size_t(keys[k].b)])
      joined.join(keys[k].a, keys[k].b);
  std::vector<Index> contacts(moves.size());
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (chosen[k])
      ++contacts[std::size_t(joined.root(moves[std::size_t(keys[k].a)] ? keys[k].a : keys[k].b))];
  std::vector<ContactGroup> groups;
  Rings rings(keys, moves, chosen);
  for (std::size_t b = 0; b < moves.size(); ++b) {
    if (contacts[b] < 2) continue;
    ContactGroup g = rings.about(Index(b), most_passes * double(contacts[b]));
    if (!g.contacts.empty()) groups.push_back(std::move(g));
  }
  return groups;
}

void GroupedContacts::find(const std::vector<ContactKey>& keys, const std::vector<bool>& moves,
                           const std::vector<std::uint8_t>& excluded) {
  const auto free = [&](Index body) {
    return std::size_t(body) >= excluded.size() || !excluded[std::size_t(body)];
  };
  left_.assign(keys.size(), 0);
  for (std::size_t k = 0; k < keys.size(); ++k)
    left_[k] = free(keys[k].a) && free(keys[k].b) &&
               (moves[std::size_t(keys[k].a)] || moves[std::size_t(keys[k].b)]);
  islands_ = cheap_groups(keys, moves, left_);
  for (const ContactGroup& g : islands_)
    for (const Index k : g.contacts) left_[std::size_t(k)] = 0;
}

ContactClusters GroupedContacts::pressed(const std::vector<ContactKey>& keys,
                                         const std::vector<bool>& moves,
                                         const std::vector<VecT<Real, 2>>& loads,
                                         Real least) const {
  const std::vector<Real> load = loads_of(keys, loads, moves.size());
  ContactClusters r;
  for (const ContactGroup& g : islands_) append(r, g, loads, least);
  std::vector<std::uint8_t> chosen = left_;
  for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] = chosen[k] && load[k] > much_load;
  for (const ContactGroup& g : cheap_groups(keys, moves, chosen)) append(r, g, loads, much_load);
  return r;
}

template <int D>
DirectContacts<D>::DirectContacts(const Exec& ex)
    : first_slot_(ex),
      slots_(ex),
      first_body_(ex),
      first_number_(ex),
      growth_(ex),
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
                                        std::span<const Index> slots,
                                        const std::vector<bool>& moves,
                                        Span<const Row4> solver_bodies,
                                        Span<const rigid::ContactBlock<D>> blocks) {
  Buffer<VecT<Real, 2>> loads(ex, keys.size());
  loads.zero();
  rigid::loads_of<D>(ex, blocks, solver_bodies, loads.span());
  ContactClusters groups = groups_.pressed(keys, moves, loads.download(), least);
  if (groups.contacts.empty()) return groups;
  std::vector<Index> slot_of(keys.size());
  for (std::size_t k = 0; k < slots.size(); ++k)
    if (slots[k] >= 0) slot_of[std::size_t(slots[k])] = Index(k);
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
                               std::span<const Index> slots, const std::vector<bool>& moves,
                               Span<const Row4> solver_bodies,
                               Span<rigid::ContactBlock<D>> blocks) {
  slots_.resize(0);
  if (keys.empty()) return;
  if (!same || !found_) groups_.find(keys, moves, excluded_), found_ = true;
  // What is solved more often bears more by passes.
  const Real least = std::min(1 / (64 * stiffness.passes), Real(1));
  if (!(rigid::most_peak<D>(ex, blocks) > (groups_.any_islands() ? least : much_load))) return;
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
