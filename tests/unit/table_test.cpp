#include "world/table.h"

#include <algorithm>
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

TEST_CASE("table: appended rows are zero in all columns, and the others stay as they were") {
  Table t = particles(Exec::cpu(1));
  const std::uint64_t before = t.revision();
  CHECK(t.append(2) == 4);
  CHECK(t.rows() == 6);
  CHECK(t.revision() > before);
  CHECK(t.download<std::uint32_t>("id") == std::vector<std::uint32_t>{10, 11, 12, 13, 0, 0});
  CHECK(t.download<Real>("density") == std::vector<Real>{0, 1, 2, 3, 0, 0});
  CHECK(t.download<Vec<3>>("position")[3][0] == 3);
  CHECK(t.download<Vec<3>>("position")[5] == Vec<3>{});
  const std::uint64_t after = t.revision();
  CHECK(t.append(0) == 6);
  CHECK(t.revision() == after);
}

TEST_CASE("table: removed rows leave every column together, and the others keep their order") {
  const Exec ex = Exec::cpu(1);
  Table t = particles(ex);
  const Buffer<std::uint32_t> doomed(ex, std::vector<std::uint32_t>{1, 0, 0, 1});
  const std::uint64_t before = t.revision();
  CHECK(t.remove(doomed.span()) == 2);
  CHECK(t.rows() == 2);
  CHECK(t.revision() > before);
  CHECK(t.download<std::uint32_t>("id") == std::vector<std::uint32_t>{11, 12});
  CHECK(t.download<Real>("density") == std::vector<Real>{1, 2});
  CHECK(t.download<Vec<3>>("position")[1][0] == 2);

  const Buffer<std::uint32_t> nobody(ex, std::vector<std::uint32_t>{0, 0});
  const std::uint64_t unchanged = t.revision();
  CHECK(t.remove(nobody.span()) == 0);
  CHECK(t.revision() == unchanged);
}

TEST_CASE("table: rows that went leave nothing behind in those that come") {
  const Exec ex = Exec::cpu(1);
  Table t = particles(ex);
  const Buffer<std::uint32_t> all(ex, std::vector<std::uint32_t>{1, 1, 1, 1});
  CHECK(t.remove(all.span()) == 4);
  CHECK(t.rows() == 0);
  CHECK(t.remove({}) == 0);
  t.permute({});
  CHECK(t.append(3) == 0);
  CHECK(t.download<std::uint32_t>("id") == std::vector<std::uint32_t>{0, 0, 0});
  CHECK(t.download<Vec<3>>("position")[2] == Vec<3>{});
}

TEST_CASE("table: up to its reserve, rows come, go and change places without an allocation") {
  const Exec ex = Exec::cpu(1);
  Table t = particles(ex);
  t.reserve(1000);
  t.add<Real>({"pressure", "Pa", Role::derived});  // joins later, with the same room
  CHECK(t.rows() == 4);
  CHECK(t.capacity() == 1000);
  const auto churn = [&] {
    t.append(1000 - t.rows());
    std::vector<Index> back(std::size_t(t.rows()));
    for (Index i = 0; i < t.rows(); ++i) back[std::size_t(i)] = t.rows() - 1 - i;
    t.permute(Buffer<Index>(ex, back).span());
    t.remove(Buffer<std::uint32_t>(ex, std::vector<std::uint32_t>(1000, 1)).span());
  };
  churn();  // the spare halves of the permutation are made here
  const std::size_t bytes = ex.bytes_in_use();
  for (int round = 0; round < 3; ++round) churn();
  CHECK(ex.bytes_in_use() == bytes);
  CHECK(t.capacity() == 1000);
}

TEST_CASE("table: beyond its reserve it grows and keeps what it has") {
  Table t = particles(Exec::cpu(1));
  for (Index n = 0; n < 100; ++n) CHECK(t.append(3) == 4 + 3 * n);
  CHECK(t.rows() == 304);
  CHECK(t.download<Vec<3>>("position")[3][0] == 3);
}

TEST_CASE("table: removing gives the same rows for any number of threads") {
  const auto left = [](int threads) {
    const Exec ex = Exec::cpu(threads);
    constexpr Index n = 100000;
    Table t(ex, "water", n);
    std::vector<std::uint32_t> id(n), doomed(n);
    for (std::uint32_t i = 0; i < n; ++i) id[i] = i, doomed[i] = i * 2654435761u >> 31;
    t.add<std::uint32_t>({"id", ""}, id);
    t.remove(Buffer<std::uint32_t>(ex, doomed).span());
    return t.download<std::uint32_t>("id");
  };
  const std::vector<std::uint32_t> one = left(1);
  CHECK(std::is_sorted(one.begin(), one.end()));
  CHECK((one.size() > 40000 && one.size() < 60000));
  CHECK(left(2) == one);
  CHECK(left(5) == one);
}

TEST_CASE("world: ids are given once, and running out of them is said") {
  World w(Exec::cpu(1), 3);
  CHECK(w.take_ids(5) == 0);
  CHECK(w.take_ids(0) == 5);
  CHECK(w.take_ids(2) == 5);
  CHECK(w.next_id == 7);
  w.next_id = 0xffffffffu;
  CHECK_THROWS_AS(w.take_ids(2), Error);
}
