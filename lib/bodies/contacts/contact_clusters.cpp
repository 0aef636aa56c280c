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

// The two moving bodies of a contact; the same twice where only one does.
VecT<Index, 2> solver_bodies(const ContactKey& k, const std::vector<bool>& moves) {
  const bool a = moves[std::size_t(k.a)], b = moves[std::size_t(k.b)];
  return {{a ? k.a : k.b, b ? k.b : k.a}};
}

struct Group {
  std::vector<Index> contacts, bodies;  // in their order
  bool closed = false;
};

// What elimination pays for: chains, where each contact meets the one before alone, are cheap.
bool is_cheap(const Group& g) {
  const Index contacts = Index(g.contacts.size()), loops = contacts - Index(g.bodies.size());
  return contacts + 8 * std::max(loops, Index(0)) <= 64;
}

Group merged(const Group& a, const Group& b) {
  Group r{a.contacts, a.bodies};
  r.contacts.insert(r.contacts.end(), b.contacts.begin(), b.contacts.end());
  for (const Index body : b.bodies)
    if (std::ranges::find(r.bodies, body) == r.bodies.end()) r.bodies.push_back(body);
  return r;
}

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

// Groups as contacts come to them, the most pressed first. One that would cost too much stays as it
// is, and what connects to it later is in none.
class Growing {
 public:
  Growing(std::size_t bodies, std::vector<Group>& done)
      : islands_(bodies), open_(bodies), done_(done) {}
  void add(Index contact, const VecT<Index, 2>& bodies) {
    const Index a = islands_.root(bodies[0]), b = islands_.root(bodies[1]);
    Group &of_a = open_[std::size_t(a)], &of_b = open_[std::size_t(b)];
    Group all{{contact}, {bodies[0]}};
    if (bodies[0] != bodies[1]) all.bodies.push_back(bodies[1]);
    all = merged(of_a, all);
    if (a != b) all = merged(all, of_b);
    if (of_a.closed || of_b.closed || !is_cheap(all)) {
      close(of_a), close(of_b);
      all = {{}, {}, true};
    }
    of_a = of_b = {};
    islands_.join(a, b);
    open_[std::size_t(islands_.root(a))] = std::move(all);
  }
  void close_all() {
    for (Group& g : open_) close(g);
  }

 private:
  void close(Group& g) {
    if (g.contacts.size() > 1) done_.push_back(std::move(g));
    g = {{}, {}, true};
  }

  JoinedSets islands_;
  std::vector<Group> open_;  // of roots
  std::vector<Group>& done_;
};

// So that none gives by more than what has the least load: but for large islands, where passes
// leave more.
Real growth_of(const Group& g, const std::vector<VecT<Real, 2>>& loads,
               const std::vector<Real>& least) {
  Real growth = 1;
  for (const Index k : g.contacts) {
    const Real from = least[std::size_t(k)];
    const Real x = std::max(loads[std::size_t(k)][0], loads[std::size_t(k)][1]) / from;
    growth = std::max(growth, x * std::sqrt(std::max(from, Real(1))));
  }
  return growth;
}

void append(ContactClusters& all, const Group& g, const std::vector<ContactKey>& keys,
            Real growth) {
  std::vector<Index> first(g.bodies.size(), Index(g.contacts.size()));
  for (std::size_t k = 0; k < g.contacts.size(); ++k) {
    Index from = Index(k);
    const ContactKey& c = keys[std::size_t(g.contacts[k])];
    for (std::size_t b = 0; b < g.bodies.size(); ++b)
      if (g.bodies[b] == c.a || g.bodies[b] == c.b)
        first[b] = std::min(first[b], Index(k)), from = std::min(from, first[b]);
    all.reach.push_back(Index(k) - from + 1);
  }
  all.contacts.insert(all.contacts.end(), g.contacts.begin(), g.contacts.end());
  all.growth.resize(all.contacts.size(), growth);
  all.first_contact.push_back(Index(all.contacts.size()));
  all.bodies.insert(all.bodies.end(), g.bodies.begin(), g.bodies.end());
  all.first_body.push_back(Index(all.bodies.size()));
}

// Contacts in rings about the least body, so that each meets few of those before.
void line_up(Group& g, const std::vector<ContactKey>& keys) {
  std::vector<Index> ring{std::ranges::min(g.bodies)}, left = std::move(g.contacts);
  std::ranges::sort(left);
  g.contacts.clear();
  for (std::size_t at = 0; at < ring.size(); ++at) {
    const auto meets = [&](Index k) {
      return keys[std::size_t(k)].a == ring[at] || keys[std::size_t(k)].b == ring[at];
    };
    for (const Index k : left) {
      if (!meets(k)) continue;
      g.contacts.push_back(k);
      const Index a = keys[std::size_t(k)].a, other = a == ring[at] ? keys[std::size_t(k)].b : a;
      const bool moved = std::ranges::find(g.bodies, other) != g.bodies.end();
      if (moved && std::ranges::find(ring, other) == ring.end()) ring.push_back(other);
    }
    std::erase_if(left, meets);
  }
}

}  // namespace

std::vector<Real> least_loads(const std::vector<ContactKey>& keys, const std::vector<bool>& moves) {
  JoinedSets islands(moves.size());
  for (const ContactKey& k : keys)
    if (moves[std::size_t(k.a)] && moves[std::size_t(k.b)]) islands.join(k.a, k.b);
  std::vector<Index> count(moves.size());
  std::vector<Index> island(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const bool again = k > 0 && keys[k].a == keys[k - 1].a && moves[std::size_t(keys[k].a)];
    island[k] = again ? island[k - 1] : islands.root(solver_bodies(keys[k], moves)[0]);
    ++count[std::size_t(island[k])];
  }
  std::vector<Real> of_island(moves.size()), least(keys.size());
  for (std::size_t i = 0; i < of_island.size(); ++i) {
    const Real size = std::clamp(Real(count[i]) / 128, Real(1), Real(16));
    of_island[i] = size * size / 64;
  }
  for (std::size_t k = 0; k < keys.size(); ++k) least[k] = of_island[std::size_t(island[k])];
  return least;
}

ContactClusters cluster_contacts(const std::vector<ContactKey>& keys,
                                 const std::vector<VecT<Real, 2>>& loads,
                                 const std::vector<Real>& least, const std::vector<bool>& moves,
                                 const std::vector<std::uint8_t>& excluded) {
  const auto free = [&](Index body) {
    return std::size_t(body) >= excluded.size() || !excluded[std::size_t(body)];
  };
  const std::vector<Real> load = loads_of(keys, loads, moves.size());
  std::vector<Index> pressed;
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (load[k] > least[k] && free(keys[k].a) && free(keys[k].b)) pressed.push_back(Index(k));
  std::ranges::stable_sort(pressed, std::greater{}, [&](Index k) { return load[std::size_t(k)]; });
  std::vector<Group> groups;
  Growing growing(moves.size(), groups);
  for (const Index k : pressed) growing.add(k, solver_bodies(keys[std::size_t(k)], moves));
  growing.close_all();
  ContactClusters r;
  for (Group& g : groups) {
    line_up(g, keys);
    append(r, g, keys, growth_of(g, loads, least));
  }
  return r;
}

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
