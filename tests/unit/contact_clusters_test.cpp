#include "bodies/contacts/contact_clusters.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace rtsim;

namespace {

// A column: body k on body k - 1, the lowest on a boundary behind them.
std::vector<ContactKey> column(Index boxes) {
  std::vector<ContactKey> keys;
  for (Index k = 0; k + 1 < boxes; ++k) keys.push_back({k, k + 1, 0, 0});
  keys.push_back({0, boxes, 0, 0});
  std::ranges::sort(keys);
  return keys;
}
std::vector<bool> all_but_last(Index boxes) {
  std::vector<bool> moves(std::size_t(boxes) + 1, true);
  moves.back() = false;
  return moves;
}
// Both bodies of each.
std::vector<VecT<Real, 2>> loads(const std::vector<ContactKey>& keys, Real x) {
  return std::vector<VecT<Real, 2>>(keys.size(), {{x, x}});
}

}  // namespace

TEST_CASE("contact_clusters: a column is one group, from its lowest body on") {
  const auto keys = column(10);
  const auto moves = all_but_last(10);
  const auto least = least_loads(keys, moves);
  for (const Real x : least) CHECK(x == Real(1) / 64);
  const ContactClusters g = cluster_contacts(keys, loads(keys, 0.5), least, moves, {});
  REQUIRE(g.first_contact == std::vector<Index>{0, 10});
  CHECK(g.bodies.size() == 10);
  // Each contact has a body in common with one of the two before.
  const auto meet = [&](std::size_t k, std::size_t o) {
    const ContactKey &c = keys[std::size_t(g.contacts[k])], &d = keys[std::size_t(g.contacts[o])];
    return c.a == d.a || c.a == d.b || c.b == d.a || c.b == d.b;
  };
  for (std::size_t k = 2; k < g.contacts.size(); ++k) CHECK((meet(k, k - 1) || meet(k, k - 2)));
  for (const Index k : g.reach) CHECK(k <= 3);
  for (const Real x : g.growth) CHECK(x == Approx(32));
}

TEST_CASE("contact_clusters: what bears little, or is left out, is in none") {
  const auto keys = column(10);
  const auto moves = all_but_last(10);
  const auto least = least_loads(keys, moves);
  CHECK(cluster_contacts(keys, loads(keys, Real(0.01)), least, moves, {}).contacts.empty());
  // Body 4 parts the column in two: its own two contacts are in neither.
  std::vector<std::uint8_t> alone(10);
  alone[4] = 1;
  const ContactClusters g = cluster_contacts(keys, loads(keys, 1), least, moves, alone);
  CHECK(g.first_contact.size() == 3);
  CHECK(g.contacts.size() == 8);
}

TEST_CASE("contact_clusters: a load on a body counts for all contacts of it") {
  // The one on the boundary is new.
  const auto keys = column(2);
  const auto moves = all_but_last(2);
  const ContactClusters g = cluster_contacts(keys, {{{Real(1), Real(0)}}, {{Real(0), Real(0)}}},
                                             least_loads(keys, moves), moves, {});
  CHECK(g.contacts.size() == 2);
}

TEST_CASE("contact_clusters: no group costs too much, and none shares a body") {
  // A wall, where loops soon make them dear.
  std::vector<ContactKey> keys;
  constexpr Index wide = 6, high = 6;
  for (Index y = 0; y < high; ++y)
    for (Index x = 0; x < wide; ++x) {
      const Index k = wide * y + x;
      if (x + 1 < wide) keys.push_back({k, k + 1, 0, 0});
      if (y + 1 < high) keys.push_back({k, k + wide, 0, 0});
    }
  std::ranges::sort(keys);
  const std::vector<bool> moves(wide * high, true);
  std::vector<VecT<Real, 2>> of(keys.size());
  for (std::size_t k = 0; k < of.size(); ++k) of[k] = {{Real(1 + k), Real(1 + k)}};
  const ContactClusters g = cluster_contacts(keys, of, least_loads(keys, moves), moves, {});
  REQUIRE(g.first_contact.size() > 1);
  for (std::size_t k = 0; k + 1 < g.first_contact.size(); ++k) {
    const Index contacts = g.first_contact[k + 1] - g.first_contact[k],
                bodies = g.first_body[k + 1] - g.first_body[k];
    CHECK(contacts + 8 * std::max(contacts - bodies, Index(0)) <= 64);
  }
  auto bodies = g.bodies;
  std::ranges::sort(bodies);
  CHECK(std::ranges::adjacent_find(bodies) == bodies.end());
}

TEST_CASE("contact_clusters: in large islands only what bears several times its mass is in one") {
  const auto keys = column(2049);
  const auto least = least_loads(keys, all_but_last(2049));
  for (const Real x : least) CHECK(x == Real(4));
}
