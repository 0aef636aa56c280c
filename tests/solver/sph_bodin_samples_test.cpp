#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "base/random.h"
#include "cache/checkpoint.h"
#include "particles/particle_cells.h"
#include "sph_bodin/colours.h"
#include "sph_bodin/samples.h"
#include "support/particle_scenes.h"
#include "support/temporary_folder.h"

// Samples of walls that have a limit, and a multiplier of their own.
using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());
constexpr double pi = 3.14159265358979323846;

// Between -1 and 1, by row and axis.
Real noise(std::size_t i, int k) {
  return Real(2 * uniform(philox(5, 0, std::uint32_t(k), std::uint32_t(i)).c[0]) - 1);
}

// Shaken particles in the corner of a tank, all of whose samples have limits.
template <int D>
struct Corner {
  static constexpr double dt = 0.002, spacing = 0.1, d = 3, c = 30, rho0 = 1000;
  static constexpr double h = 2 * spacing;
  double volume = std::pow(spacing, D), mass = rho0 * volume;
  Running run;
  std::vector<Vec<D>> x, v;
  std::vector<std::uint32_t> id;

  static std::string scene() {
    return fmt::format(
        R"({{"rtsim": 1, "dim": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 9}},
      "objects": [{{"name": "water", "kind": "particles", "spacing": {},
                    "fill": {{"box": {{"min": {}, "max": {}}}}}}},
                  {{"name": "tank", "kind": "boundary",
                    "shape": {{"box": {{"min": {}, "max": {}}}, "inside": true}}}}],
      "stages": [{{"type": "sph_bodin", "fluid": "water", "boundary": ["tank"], "sound_speed": {},
                   "relaxation_steps": {}, "kinematic_viscosity": 0, "residual": 0,
                   "max_iterations": 5000, "density_kernel": "poly6"}}],
      "output": []}})",
        D, dt, spacing, D == 2 ? "[0, 0]" : "[0, 0, 0]", D == 2 ? "[0.5, 0.6]" : "[0.3, 0.3, 0.3]",
        D == 2 ? "[0, 0]" : "[0, 0, 0]", D == 2 ? "[1, 1]" : "[1, 1, 1]", c, d);
  }
  Corner() : run(scene(), Exec::cpu(1)) {
    x = download<Vec<D>>(run, "position"), v = x;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (int k = 0; k < D; ++k) x[i][k] += Real(0.015) * noise(i, k), v[i][k] = noise(i, k + 3);
    upload(run, "position", x), upload(run, "velocity", v);
    run.refresh();
    x = download<Vec<D>>(run, "position"), v = download<Vec<D>>(run, "velocity");
    id = download<std::uint32_t>(run, "id");
  }

  static double poly6(int power, double r2) {  // k (1 - q^2)^power
    const double k = D == 2 ? 4 / (pi * h * h) : 315 / (64 * pi * h * h * h);
    return r2 < h * h ? k * std::pow(1 - r2 / (h * h), power) : 0;
  }
  // Of a lattice that begins a spacing from a sample.
  double flat() const {
    double sum = 0;
    for (int j = -2; j <= 2; ++j)
      for (int k = D == 3 ? -2 : 0; k <= (D == 3 ? 2 : 0); ++k)
        sum += volume * poly6(3, (1 + j * j + k * k) * spacing * spacing);
    return sum;
  }
  // By the rows of x, after a step.
  std::vector<Vec3d> velocity_after() {
    const auto u = download<Vec<D>>(run, "velocity");
    const auto now = download<std::uint32_t>(run, "id");
    std::map<std::uint32_t, Vec3d> of;
    for (std::size_t i = 0; i < now.size(); ++i) of[now[i]] = widen(u[i]);
    std::vector<Vec3d> out;
    for (const std::uint32_t i : id) out.push_back(of.at(i));
    return out;
  }
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("sph_bodin: samples with limits push until none sees more than it may", "",
                       ((int D), D), 2, 3) {
  Corner<D> s;
  s.run.advance(1);
  const auto after = s.velocity_after();
  Table& walls = s.run.world().table("tank.samples@water");
  const auto at = walls.template download<Vec<D>>("position");
  const auto multiplier = walls.template download<Real>("multiplier"),
             open = walls.template download<Real>("open");
  const double keep = 1 / (1 + 4 * s.d), restore = 4 * keep / s.dt;
  const double soft = 4 / (s.mass * s.c * s.c) * keep / (s.dt * s.dt);
  const double largest = -double(*std::min_element(multiplier.begin(), multiplier.end()));
  int pushing = 0, idle = 0;
  for (std::size_t b = 0; b < at.size(); ++b) {
    double g = -s.flat() * double(open[b]), rate = 0, next = 0, squares = 0;
    for (std::size_t j = 0; j < s.x.size(); ++j) {
      const Vec3d r = widen(at[b]) - widen(s.x[j]);
      const Vec3d G = s.volume * 6 / s.h * s.poly6(2, dot(r, r)) / norm(r) * r;
      g += s.volume * s.poly6(3, dot(r, r)), squares += dot(G, G);
      rate += dot(G, widen(s.v[j])), next += dot(G, after[j]);
    }
    if (squares == 0) {
      CHECK(multiplier[b] == 0);
      continue;
    }
    const double lambda = double(multiplier[b]);  // / dt
    const double amiss = next + soft * lambda * s.dt + restore * g - keep * rate;
    // As a change of the multiplier, with the same rounding as that of rows
    // (sph_bodin_system_test).
    const double change = amiss / (squares / s.mass + soft) / s.dt, bound = 200 * eps * largest;
    CHECK(lambda <= 0);
    CHECK(change < bound);
    if (lambda < 0) CHECK(-change < bound);
    ++(lambda < 0 ? pushing : idle);
  }
  CHECK(pushing > 3);
  CHECK(idle > 3);
}

TEMPLATE_TEST_CASE_SIG("sph_bodin: samples of one colour in different cells share no row", "",
                       ((int D), D), 2, 3) {
  const Exec ex = Exec::cpu(2);
  const double h = D == 2 ? 0.1 : 0.25;
  const auto points = [&](std::size_t n, int key) {
    std::vector<Vec<D>> x(n);
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < D; ++k) x[i][k] = Real(0.5) + noise(i, key + k);  // from -0.5 to 1.5
    return x;
  };
  const auto x = points(300, 0), rows = points(300, 3);
  Table t(ex, "samples", Index(x.size()));
  t.add<Vec<D>>({"position", "m"}, x);
  ParticleCells<D> cells(ex, h, {{0, 0, 0}, {1, 1, D == 3 ? Real(1) : Real(0)}});
  cells.sort(t);
  const CellRows walls = cells.view();

  std::vector<std::set<std::size_t>> written(x.size());  // by the update of a sample
  std::vector<Index> first{0};
  for (std::size_t b = 0; b < x.size(); ++b) {
    const auto home = sph_bodin::CellPlace::of(walls.grid, walls.rows[Index(b)]);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const Vec3d at = widen(rows[j]);
      const Row4 q{Real(at[0]), Real(at[1]), Real(at[2]), 0};
      const auto d = sph::separation<Real>(walls.rows[Index(b)], q, PeriodicBox{});
      const bool beside = home.beside(sph_bodin::CellPlace::of(walls.grid, q));
      if (double(d.r2) < 0.999 * h * h) CHECK(beside);  // no neighbour is lost
      if (double(d.r2) < h * h && beside) written[b].insert(j);
    }
    first.push_back(first.back() + Index(written[b].size()));
  }
  Buffer<Index> pairs(ex);
  pairs.upload(first);
  sph_bodin::ColouredCells coloured(ex);
  sph_bodin::colour_samples(ex, walls, pairs.span(), coloured);
  std::size_t visited = 0;
  for (int c = 0; c < sph_bodin::colours; ++c) {
    std::map<std::size_t, Index> writer;  // of a row, in this colour: the cell
    for (Index k = coloured.first[std::size_t(c)]; k < coloured.first[std::size_t(c + 1)]; ++k) {
      const Index cell = coloured.cells.span()[k];
      for (Index b = walls.first[cell]; b < walls.first[cell + 1]; ++b) {
        visited += !written[std::size_t(b)].empty();
        for (const std::size_t j : written[std::size_t(b)])
          CHECK(writer.emplace(j, cell).first->second == cell);
      }
    }
  }
  std::size_t any = 0;
  for (const auto& w : written) any += !w.empty();
  CHECK(visited == any);
  CHECK(any > 100);
}

namespace {

// Water that falls on a ball half as dense.
constexpr const char* flooded =
    R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.004, "steps_per_frame": 1, "frames": 60},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.05, "fill": {"box": {"min": [0, 0.35, 0], "max": [0.5, 0.6, 0.5]}}},
      {"name": "b", "kind": "bodies", "density": 500, "bodies": [
        {"shape": {"sphere": {"centre": [0.25, 0.16, 0.25], "radius": 0.15}}}]},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0, 0], "max": [0.5, 1, 0.5]}, "inside": true}}],
    "stages": [
      {"type": "sph_bodin", "fluid": "water", "boundary": ["tank", "b"], "substeps": 2,
        "pressure_boundaries": "bodies"},
      {"type": "couple", "fluid": "water", "solid": "b"},
      {"type": "rigid", "bodies": "b", "boundary": ["tank"]}], "output": []})";

}  // namespace

TEST_CASE("sph_bodin: samples that push give the same bytes on any threads, and go on so") {
  Running one(flooded, Exec::cpu(1));
  one.advance(60);
  const auto multiplier = one.world().table("b.samples@water").download<Real>("multiplier");
  CHECK(std::count_if(multiplier.begin(), multiplier.end(), [](Real m) { return m < 0; }) > 3);
  for (const Real m : one.world().table("tank.samples@water").download<Real>("multiplier"))
    REQUIRE(m == 0);  // bodies alone have limits
  const TemporaryFolder folder;
  save_checkpoint(folder.path, one.world(), {.step = 60});
  one.advance(20);

  for (const int threads : {2, 5}) {
    Running more(flooded, Exec::cpu(threads));
    more.advance(80);
    CHECK(more.world().state_hash() == one.world().state_hash());
  }
  Running later(flooded, Exec::cpu(2));
  std::string warnings;
  load_checkpoint(find_checkpoint(folder.path, warnings)->file, later.world());
  later.steps = 60;
  later.refresh();
  later.advance(20);
  CHECK(later.world().state_hash() == one.world().state_hash());
}
