#include "world/table.h"

#include <catch2/catch.hpp>

#include "world/world.h"

using namespace rtsim;

namespace {

Table particles(const Exec& ex) {
  Table t(ex, "water", 4);
  t.add<Vec<3>>({"position", "m"}, {{{0, 0, 0}}, {{1, 0, 0}}, {{2, 0, 0}}, {{3, 0, 0}}});
  t.add<std::uint32_t>({"id", ""}, {10, 11, 12, 13});
  t.add<Real>({"density", "kg/m^3", Role::derived}, {0, 1, 2, 3});
  return t;
}

}  // namespace

TEST_CASE("table: permuting moves all state columns together and leaves derived ones") {
  const Exec ex = Exec::cpu(1);
  Table t = particles(ex);
  const Buffer<Index> order(ex, std::vector<Index>{2, 0, 3, 1});
  t.permute(order.span());
  CHECK(t.download<std::uint32_t>("id") == std::vector<std::uint32_t>{12, 10, 13, 11});
  CHECK(t.download<Vec<3>>("position")[0][0] == 2);
  CHECK(t.download<Real>("density") == std::vector<Real>{0, 1, 2, 3});
}

TEST_CASE("table: a missing column is named with those there are") {
  Table t = particles(Exec::cpu(1));
  CHECK_THROWS_WITH(t.column<Real>("pressure"),
                    "table 'water' has no column 'pressure'; it has: position, id, density");
}

TEST_CASE("table: two owners of one column are refused") {
  Table t = particles(Exec::cpu(1));
  CHECK_THROWS_AS(t.add<Real>({"density", "kg/m^3"}), Error);
}

TEST_CASE("table: a column asked for with another type is an error, not a cast") {
  Table t = particles(Exec::cpu(1));
  CHECK_THROWS_AS(t.column<std::int64_t>("id"), Error);
}

TEST_CASE("world: the state hash sees state, order and names, and nothing derived") {
  const auto hash = [](Real x, Real derived, const char* name) {
    World w(Exec::cpu(1), 3);
    Table& t = w.add_table("t", 2);
    t.add<Real>({name, ""}, {x, 2});
    t.add<Real>({"d", "", Role::derived}, {derived, 0});
    return w.state_hash();
  };
  CHECK(hash(1, 0, "a") == hash(1, 5, "a"));
  CHECK(hash(1, 0, "a") != hash(3, 0, "a"));
  CHECK(hash(1, 0, "a") != hash(1, 0, "b"));
}

TEST_CASE("world: an unknown object offers the nearest name") {
  World w(Exec::cpu(1), 3);
  w.objects.push_back({"water", Kind::particles});
  CHECK_THROWS_WITH(w.object("watr"), "there is no object 'watr'; did you mean \"water\"?");
}
