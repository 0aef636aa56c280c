#include "sim/records/ledger.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cache/checkpoint.h"
#include "support/temporary_folder.h"

using namespace rtsim;

namespace {

// A world with one object of two rows, a span apart.
struct Books {
  World world{Exec::cpu(1), 3};
  Ledger ledger;

  explicit Books(double span = 1, double from = 0, double dt = 1e-3) : ledger(world, dt) {
    world.objects.push_back({"water", Kind::particles});
    Table& t = world.add_table("water", 2);
    const Real low = Real(from), high = Real(from + span);
    t.add<Vec<3>>({"position", "m"}, {{{low, low, low}}, {{high, low, low}}});
    Ledger::add_table(world);
  }
  double times(double time, const Energies& e) { return ledger.enter(time, e).times; }
};

Energies holding(double stored, double potential = 0, double work = 0) {
  Energies e;
  e.stored = stored, e.potential = potential, e.work = work, e.known = true;
  return e;
}

}  // namespace

TEST_CASE("ledger: what falls freely gains nothing, from whatever height and in whatever unit") {
  for (const double unit : {1.0, 7.3e-9, 4.1e12})
    for (const double datum : {0.0, -3.7, 12345.6}) {
      Books b;
      for (int k = 0; k <= 40; ++k) {
        const double fallen = 0.17 * k * k;
        CHECK(b.times(0.1 * k, holding(unit * (0.3 + fallen), unit * (datum - fallen))) ==
              Approx(1).margin(1e-6 * (1 + std::abs(datum))));
      }
    }
}

TEST_CASE("ledger: energy is twice what was there when it grew by as much, wherever it lies") {
  for (const double unit : {1.0, 7.3e-9, 4.1e12})
    for (const double datum : {0.0, 12345.6}) {
      Books b;
      b.times(0, holding(2 * unit, datum * unit));
      // 3 J of gravity are set free: 5 J may move, 10 is twice that, 500 a hundred times.
      CHECK(b.times(1, holding(5 * unit, (datum - 3) * unit)) == Approx(1).epsilon(1e-3));
      CHECK(b.times(2, holding(10 * unit, (datum - 3) * unit)) == Approx(2).epsilon(1e-3));
      CHECK(b.times(3, holding(500 * unit, (datum - 3) * unit)) == Approx(100).epsilon(1e-3));
      // Whether it moves or hangs higher.
      CHECK(b.times(4, holding(5 * unit, (datum + 2) * unit)) == Approx(2).epsilon(1e-3));
    }
}

TEST_CASE("ledger: what was fed is no gain, what was taken is missed") {
  Books b;
  b.times(0, holding(1));
  CHECK(b.times(1, holding(8, 0, 7)) == 1);
  CHECK(b.times(2, holding(15, 0, 7)) == Approx(1 + 7. / 8));
  Books c;
  c.times(0, holding(1));
  CHECK(c.times(1, holding(1, 0, -3)) == Approx(1 + 3. / 4));
}

TEST_CASE("ledger: energy that was lost may not come back as more than the potential set free") {
  Books b;
  b.times(0, holding(0, 10));
  b.times(1, holding(4, 5));  // 5 J set free, 1 J lost
  CHECK(b.times(2, holding(5, 5)) == 1);
  CHECK(b.times(3, holding(10, 5)) == Approx(2).epsilon(1e-5));
  // Falling the same way once more sets nothing free.
  b.times(4, holding(0, 10));
  CHECK(b.times(5, holding(10, 5)) == Approx(2).epsilon(1e-5));
}

TEST_CASE("ledger: walls may feed their speed times the weight, and what they turn round") {
  const double V = 0.7, G = 30, T = 5, L = 2.5, m = 3;
  Books b(L);
  Energies e = holding(T);
  e.feed.speed = V, e.mass = m, e.weight = G;
  b.times(0, e);
  for (int k = 1; k <= 10; ++k) b.times(0.01 * k, e);
  e.stored = 3 * T;
  const Growth g = b.ledger.enter(0.1, e);
  const double fed = 0.1 * V * (G + 2 * T / L);
  // Weights are rounded as well: 1e-6 of what is left.
  CHECK(g.gain == Approx(2 * T - fed - 2 * m * V * V).epsilon(1e-5));
  CHECK(g.available == Approx(T + fed + 2 * m * V * V).epsilon(1e-5));
}

TEST_CASE("ledger: a burst does not excuse itself by how hard it presses on walls") {
  Books b;
  Energies e = holding(1);
  e.feed.speed = 0.1;
  b.times(0, e);
  e.stored = 1000;
  CHECK(b.times(0.01, e) > 900);
}

TEST_CASE("ledger: forces of at most a take a mass from rest to a t, and not further") {
  const double a = 9.5, m = 2.3, end = 0.8;
  for (const int steps : {7, 50}) {
    Books b;
    Energies e = holding(0);
    e.feed.acceleration = a, e.mass = m;
    b.times(0, e);
    for (int k = 1; k <= steps; ++k) {
      const double v = a * end * k / steps;
      e.stored = 0.5 * m * v * v;
      CHECK(b.times(end * k / steps, e) == Approx(1).margin(1e-9));
    }
    const double there = e.stored;
    e.stored = 3 * there;  // two more than the one that may have come
    CHECK(b.times(end, e) == Approx(3).epsilon(1e-6));
  }
}

TEST_CASE("ledger: motors feed no more than their power") {
  Books b;
  Energies e = holding(0);
  e.feed.power = 12;
  b.times(0, e);
  e.stored = 6;
  CHECK(b.times(0.5, e) == 1);
  e.stored = 12;
  CHECK(b.times(0.5, e) == Approx(2));
}

TEST_CASE("ledger: rounding far from the origin is no growth, the same speed near it is") {
  const double dt = 1e-3, m = 2, eps = double(std::numeric_limits<Real>::epsilon());
  const double far = 8192, v = 0.9 * eps * far / dt;
  Energies e = holding(0);
  e.mass = m;
  for (const bool near : {false, true}) {
    Books b(1, near ? 0 : far, dt);
    e.stored = 0;
    b.times(0, e);
    e.stored = 0.5 * m * v * v;
    CHECK((b.times(dt, e) < 2) == !near);
  }
}

TEST_CASE("ledger: what a checkpoint holds of it comes to the same verdict") {
  const auto page = [](int k) {
    Energies e = holding(1 + 0.3 * k * k, 5 - 0.1 * k, 0.05 * k);
    e.feed.speed = 0.01 * k, e.feed.acceleration = 0.2 * (k % 3), e.feed.power = k % 2;
    e.mass = 1.7, e.weight = 16;
    return e;
  };
  Books whole, first, second;
  const TemporaryFolder folder;
  for (int k = 0; k <= 9; ++k) whole.times(0.1 * k, page(k));
  for (int k = 0; k <= 4; ++k) first.times(0.1 * k, page(k));
  save_checkpoint(folder.path, first.world, {.step = 4});
  std::string warnings;
  load_checkpoint(find_checkpoint(folder.path, warnings)->file, second.world);
  for (int k = 5; k <= 9; ++k) second.times(0.1 * k, page(k));
  CHECK(second.world.state_hash() == whole.world.state_hash());
  CHECK(second.ledger.enter(1, page(10)).times == whole.ledger.enter(1, page(10)).times);
  CHECK(Ledger::lost(second.world, 7, 2) == Ledger::lost(whole.world, 7, 2));
}

TEST_CASE("ledger: series add up to energies, with weight where there is a potential") {
  World world{Exec::cpu(1), 3};
  world.gravity = {0, -10, 0};
  const Energies e = energies_of(world, {{"a.water.kinetic_energy", 1, "J"},
                                         {"a.water.potential_energy", 20, "J"},
                                         {"a.water.mass", 3, "kg"},
                                         {"b.cloth.elastic_energy", 300, "J"},
                                         {"b.cloth.stretch_energy", 300, "J"},
                                         {"b.cloth.mass", 5, "kg"},
                                         {"c.water.fed_energy", 4000, "J"},
                                         {"total.kinetic_energy", 1, "J"},
                                         {"total.mass", 8, "kg"}});
  CHECK(e.known);
  CHECK(e.stored == 301);
  CHECK(e.potential == 20);
  CHECK(e.work == 4000);
  CHECK(e.mass == 8);
  CHECK(e.weight == 30);
  CHECK_FALSE(energies_of(world, {{"a.water.mass", 3, "kg"}}).known);
}
