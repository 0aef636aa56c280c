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
// Each body touches its neighbours.
std::vector<ContactKey> wall(Index wide, Index high) {
  std::vector<ContactKey> keys;
  for (Index y = 0; y < high; ++y)
    for (Index x = 0; x < wide; ++x) {
      const Index k = wide * y + x;
      if (x + 1 < wide) keys.push_back({k, k + 1, 0, 0});
      if (y + 1 < high) keys.push_back({k, k + wide, 0, 0});
    }
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

std::vector<std::uint8_t> all(const std::vector<ContactKey>& keys) {
  return std::vector<std::uint8_t>(keys.size(), 1);
}

}  // namespace

TEST_CASE("contact_clusters: a column is one group, from its lowest body on, however long it is") {
  for (const Index boxes : {3, 10, 1000}) {
    const auto keys = column(boxes);
    const auto groups = cheap_groups(keys, all_but_last(boxes), all(keys));
    REQUIRE(groups.size() == 1);
    const ContactGroup& g = groups[0];
    REQUIRE(g.contacts.size() == keys.size());
    CHECK(g.bodies.size() == std::size_t(boxes));
    CHECK(g.bodies.front() == 0);
    // Each contact has a body in common with one of the two before, and says how far back.
    const auto meet = [&](std::size_t k, std::size_t o) {
      const ContactKey &c = keys[std::size_t(g.contacts[k])], &d = keys[std::size_t(g.contacts[o])];
      return c.a == d.a || c.a == d.b || c.b == d.a || c.b == d.b;
    };
    for (std::size_t k = 2; k < g.contacts.size(); ++k) {
      const auto first = k + 1 - std::size_t(g.reach[k]);
      CHECK((g.reach[k] <= 3 && meet(k, first)));
    }
  }
}

TEST_CASE("contact_clusters: an island is a group where elimination costs less than passes") {
  // Walls, where loops make it dear.
  const auto of_wall = [](Index wide) {
    const auto keys = wall(wide, 6);
    return cheap_groups(keys, std::vector<bool>(std::size_t(6 * wide), true), all(keys));
  };
  CHECK(of_wall(12).empty());
  const auto groups = of_wall(3);
  REQUIRE(groups.size() == 1);
  double cost = 0;
  for (const Index r : groups[0].reach) cost += double(r) * double(r);
  CHECK(groups[0].passes == Approx(2 * cost / double(groups[0].contacts.size())));
  // As many times as it must be as stiff.
  const auto keys = wall(3, 6);
  const std::vector<bool> moves(18, true);
  GroupedContacts grouped;
  grouped.find(keys, moves, {});
  const auto bears = [&](double growth) {
    return grouped.pressed(keys, moves, loads(keys, Real(growth / 64)), Real(1) / 64);
  };
  CHECK(bears(0.9 * groups[0].passes).contacts.empty());
  const ContactClusters g = bears(1.1 * groups[0].passes);
  CHECK(g.contacts.size() == keys.size());
  for (const Real x : g.growth) CHECK(x == Approx(1.1 * groups[0].passes));
}

TEST_CASE("contact_clusters: what bears little, or is left out, is in none") {
  const auto keys = column(10);
  const auto moves = all_but_last(10);
  constexpr Real least = Real(1) / 64;
  GroupedContacts grouped;
  grouped.find(keys, moves, {});
  CHECK(grouped.pressed(keys, moves, loads(keys, Real(0.01)), least).contacts.empty());
  const ContactClusters one = grouped.pressed(keys, moves, loads(keys, Real(0.5)), least);
  CHECK(one.first_contact == std::vector<Index>{0, 10});
  for (const Real x : one.growth) CHECK(x == Approx(32));
  // Body 4 parts the column in two: its own two contacts are in neither.
  std::vector<std::uint8_t> alone(10);
  alone[4] = 1;
  grouped.find(keys, moves, alone);
  const ContactClusters two = grouped.pressed(keys, moves, loads(keys, 1), least);
  CHECK(two.first_contact.size() == 3);
  CHECK(two.contacts.size() == 8);
}

TEST_CASE("contact_clusters: a load on a body counts for all contacts of it") {
  // The one on the boundary is new.
  const auto keys = column(2);
  const auto moves = all_but_last(2);
  GroupedContacts grouped;
  grouped.find(keys, moves, {});
  const ContactClusters g =
      grouped.pressed(keys, moves, {{{Real(1), Real(0)}}, {{Real(0), Real(0)}}}, Real(1) / 64);
  CHECK(g.contacts.size() == 2);
}

TEST_CASE("contact_clusters: of an island that is dear what bears much is a group") {
  // In the corner of a wall, with all contacts of both bodies.
  const auto keys = wall(12, 12);
  const std::vector<bool> moves(144, true);
  auto of = loads(keys, 1);
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (keys[k].a == 0 && keys[k].b == 12) of[k] = {{Real(50), Real(50)}};
  GroupedContacts grouped;
  grouped.find(keys, moves, {});
  CHECK(!grouped.any_islands());
  const ContactClusters g = grouped.pressed(keys, moves, of, Real(1) / 64);
  REQUIRE(g.first_contact == std::vector<Index>{0, 4});
  CHECK(g.bodies == std::vector<Index>{0, 1, 12, 13, 24});
}
