#include "bodies/contacts/contact_clusters.h"

#include <algorithm>
#include <cmath>

#include "base/joined_sets.h"

namespace rtsim {

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

}  // namespace rtsim
