#include <catch2/catch.hpp>
#include <cmath>

#include "exec/sort.h"
#include "flip/flip.h"
#include "support/liquid_scenes.h"

using namespace rtsim;

namespace {

// Points in a box of cells of side 1, with closed sides but for x, which repeats.
template <int D>
struct Box {
  flip::Place<D> place;
  std::vector<Vec<D>> x, u;
  std::vector<Index> order, first;
  std::vector<Real> packed;

  explicit Box(Index cells) {
    mac::Domain& d = place.domain;
    d.dims = D, d.spacing = 1;
    for (int a = 0; a < D; ++a) {
      d.cells[a] = cells;
      for (auto& end : d.condition[a])
        end = a == 0 ? mac::BoundaryCondition::periodic : mac::BoundaryCondition::free_slip;
    }
  }
  // The volume that boxes of a side have in each cell.
  std::vector<Real> fill(const Exec& ex, Real side) {
    const auto n = Index(x.size()), cells = place.domain.rows(mac::centres);
    u.resize(x.size()), order.resize(x.size()), first.resize(std::size_t(cells) + 1);
    std::vector<std::uint32_t> keys(x.size());
    flip::cell_keys<D>(ex, place, {x.data(), n}, {keys.data(), n});
    bin_by_key(ex, "test", {keys.data(), n}, std::uint32_t(cells), {order.data(), n},
               {first.data(), Index(first.size())});
    const Index pitch = n + 16;
    packed.resize(std::size_t(pitch * D));
    const auto particles =
        flip::pack<D>(ex, place, {{x.data(), n}, {u.data(), n}, {}}, {order.data(), n},
                      {first.data(), Index(first.size())}, pitch, packed.data());
    std::vector<Real> out(std::size_t(cells), -1);
    flip::fill<D>(ex, place.domain, particles, side / 2, {}, {out.data(), cells});
    return out;
  }
};

template <int D>
void check_lattices() {
  for (const Exec& ex : {Exec::cpu(1), Exec::cpu(2).device_shaped()})
    for (const int n : {8, 9, 13, 16, 20}) {  // along 6 cells: 1.3 to 3.3 in one
      Box<D> box(6);
      const Real side = Real(6.0 / n);
      for (int i = 0; i < (D == 2 ? n * n : n * n * n); ++i) {
        const int at[3] = {i % n, i / n % n, i / n / n};
        Vec<D> p;
        for (int a = 0; a < D; ++a) p[a] = side * (Real(at[a]) + (a == 0 ? Real(0.3) : Real(0.5)));
        box.x.push_back(p);
      }
      INFO(D << "D, " << n << " boxes along 6 cells");
      double worst = 0;
      for (const Real f : box.fill(ex, side)) worst = std::max(worst, std::abs(double(f) - 1));
      CHECK(worst < 1e-5);  // some roundings of 60 boxes and their places
    }
}

constexpr const char* keep = R"(, "keep_volume": true)";

}  // namespace

TEST_CASE("flip: boxes that tile fill cells, whatever their size and place") {
  check_lattices<2>();
  check_lattices<3>();
}

// Boxes in a box: those at closed sides are whole, those at the seam are on both of its sides.
TEST_CASE("flip: what particles fill is their volume, wherever they are") {
  for (const Exec& ex : {Exec::cpu(1), Exec::cpu(2).device_shaped()}) {
    Box<3> box(7);
    for (int i = 0; i < 500; ++i) {
      Vec<3> p;
      for (int a = 0; a < 3; ++a)
        p[a] = Real(3.5 + 3.5 * std::sin(12.9898 * i + 78.233 * a));  // as often at sides as not
      box.x.push_back(p);
    }
    double sum = 0;
    for (const Real f : box.fill(ex, Real(0.6))) sum += double(f);
    CHECK(sum == Approx(500 * 0.216).epsilon(1e-5));
  }
}

// As much of a tank as its mass fills, with the weight's potential energy of that: m g h / 2. Walls
// are sides of the grid, or stand among the cells.
TEST_CASE("flip: what is pressed into half of its volume takes all of it again") {
  for (const int dim : {2, 3})
    for (const char* low : {"[0, 0", "[-0.03, -0.07"}) {
      const bool solid = std::string(low) != "[0, 0";
      LiquidScene s{.dim = dim, .dt = 0.01, .cell = 0.05};
      const std::string z = dim == 3 ? ", 0]" : "]", depth = dim == 3 ? ", 0.3]" : "]";
      s.min = low + z, s.max = (solid ? "[1.02, 0.98" : "[1, 1") + depth;
      s.gravity = "[0, -9.81" + z, s.velocity = "[0, 0" + z;
      s.fill = R"("box": {"min": [0, 0)" + z + R"(, "max": [1, 0.4)" + depth + "}";
      s.more = keep;
      if (solid) {
        s.objects = R"(, {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0)" +
                    std::string(dim == 3 ? ", -9]" : "]") + R"(, "max": [1, 3)" +
                    (dim == 3 ? ", 9]" : "]") + R"(}, "inside": true}})";
        s.more += R"(, "boundary": ["tank"])";
      }
      Running r(s.text(), Exec::cpu(2));
      const auto press = [&]<int D>(std::integral_constant<int, D>) {
        auto x = particles<D>(r, "position");
        for (auto& p : x) p[1] *= Real(0.5);
        set_particles<D>(r, "position", x);
      };
      dim == 2 ? press(std::integral_constant<int, 2>{}) : press(std::integral_constant<int, 3>{});
      r.advance(100);
      INFO(dim << "D, grid from " << low);
      CHECK(r.measure("water.volume_error") == Approx(0).margin(0.02));
      const double weight = r.measure("water.mass") * 9.81;
      CHECK(r.measure("water.potential_energy") == Approx(weight * 0.2).epsilon(0.02));
    }
}

// Ten seconds of a wave of a tenth of the depth, and of a dam that breaks and runs to and fro.
TEST_CASE("flip: water that sloshes and splashes keeps its volume") {
  const auto worst = [](LiquidScene s, double from) {
    Running r(s.text(), Exec::cpu(2));
    double most = 0;
    while (r.time() < 10) {
      r.advance(10);
      if (r.time() > from) most = std::max(most, std::abs(r.measure("water.volume_error")));
    }
    return most;
  };
  LiquidScene wave{.dt = 0.01, .cell = 1.0 / 32, .max = "[1, 0.75]", .more = keep};
  std::string surface;
  for (int i = 0; i <= 32; ++i)
    surface += fmt::format(", [{}, {}]", i / 32.0, 0.5 + 0.05 * std::cos(M_PI * i / 32));
  wave.fill = fmt::format(R"("polygon": {{"points": [[1, 0], [0, 0]{}]}})", surface);
  CHECK(worst(wave, 0) < 0.01);
  LiquidScene dam{.dt = 0.01, .cell = 0.025, .max = "[1.6, 1.2]", .more = keep};
  dam.fill = R"("box": {"min": [0, 0], "max": [0.6, 0.8]})";
  CHECK(worst(dam, 2) < 0.02);
}

// A sheet of honey folds as it piles up for a second, around gaps of air that are liquid to the
// grid; once it rests they are closed.
TEST_CASE("flip: what was folded in by a thick liquid is closed when it rests", "[long]") {
  for (const double h : {0.002, 0.0017}) {
    LiquidScene s{.dt = 1.0 / 240, .cell = h, .fill = {}};
    const auto place = [&](double x, double y) { return fmt::format("[{:.9g}, {:.9g}]", x, y); };
    s.min = place(-30 * h, 0), s.max = place(30 * h, 30 * h);
    s.more = R"(, "rest_density": 1400, "kinematic_viscosity": 0.01)" + std::string(keep);
    std::string text = s.text();
    const std::string filled = R"(, "fill": {})", front = R"("stages": [)";
    text.erase(text.find(filled), filled.size());
    text.insert(
        text.find(front) + front.size(),
        fmt::format(R"({{"type": "emit", "fluid": "water", "velocity": [0, -0.1],
                  "max_particles": {}, "shape": {{"box": {{"min": {}, "max": {}}}}}}}, )",
                    int(4 * 0.008 * 0.1 / (h * h)), place(-0.0037, 25 * h), place(0.0043, 27 * h)));
    Running r(text, Exec::cpu(2));
    double folding = 0, resting = 0;
    while (r.time() < 2) {
      r.advance(8);
      const double off = std::abs(r.measure("water.volume_error"));
      if (r.time() > 0.5) folding = std::max(folding, off);
      if (r.time() > 1.5) resting = std::max(resting, off);
    }
    INFO("cells of " << h);
    CHECK(folding < 0.1);
    CHECK(resting < 0.01);
  }
}

// 0.91 m^2 beside the rock, of which 0.2 m^2 are poured in every second.
TEST_CASE("flip: a run says that liquid is poured into a tank that is full") {
  LiquidScene s{.fill = R"("box": {"min": [0, 0], "max": [1, 0.2]})"};
  s.objects = R"(, {"name": "rock", "kind": "boundary",
    "shape": {"box": {"min": [0.3, 0.2], "max": [0.6, 0.5]}}})";
  s.more = R"(, "boundary": ["rock"])";
  s.stages = R"(, {"type": "emit", "fluid": "water", "velocity": [0, -1], "max_particles": 9000,
    "shape": {"box": {"min": [0.4, 0.85], "max": [0.6, 0.95]}}})";
  Running r(s.text(), Exec::cpu(2));
  const auto told = [&](double fills) {
    while (r.measure("water.mass") < 1000 * fills) r.advance(1);
    return r.sim.pipeline.front().stage->warning(r.world());
  };
  for (const double fills : {0.75, 0.9})
    CHECK(told(fills).find("there is room for") == std::string::npos);
  CHECK_THAT(told(0.95 * 1.005), Catch::Contains("'water' fills 5 % more than there is room for"));
}
