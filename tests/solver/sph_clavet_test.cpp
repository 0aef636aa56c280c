#include <catch2/catch.hpp>
#include <cmath>

#include "cache/checkpoint.h"
#include "solvers/sph_clavet/sph_clavet_law.h"
#include "support/particle_scenes.h"
#include "support/temporary_folder.h"

using namespace rtsim;

namespace {

// The paper's pressures, with numbers of "Computational Fluid Dynamics in 2D Game Environments".
const std::string paper =
    R"("tension": 1, "rest_number": 5, "k": 0.0004, "acceleration_unit": 9820)";

// Two particles 0.13 m apart in the plane, and a kernel radius of 0.2 m: what one step does to them
// follows from the paper's formulas by hand.
struct Pair {
  static constexpr double r = 0.13, h = 0.2, q = r / h, dt = 1.0 / 120;
  Running running;

  explicit Pair(const std::string& more)
      : running(fmt::format(
                    R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0],
    "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": 0.13,
                  "fill": {{"box": {{"min": [0, 0], "max": [0.26, 0.13]}}}}}}],
    "stages": [{{"type": "sph_clavet", "fluid": "water", "support": {}, "passes": 1{}}}],
    "output": []}})",
                    dt, h / r, more),
                Exec::cpu(1)) {}
  double speed_apart() {
    const auto x = positions<2>(running), v = velocities<2>(running);
    const int right = x[1][0] > x[0][0];
    return double(v[std::size_t(right)][0]) - double(v[std::size_t(!right)][0]);
  }
  void approach_at(double u) {
    const auto x = positions<2>(running);
    std::vector<Vec<2>> v(2);
    for (int i = 0; i < 2; ++i)
      v[std::size_t(i)][0] = Real(x[std::size_t(i)][0] < Real(0.13) ? u / 2 : -u / 2);
    set<2>(running, "velocity", v);
  }
};

double extent(Running& r, int axis) {
  double low = 1e9, high = -1e9;
  for (const auto& x : positions<2>(r))
    low = std::min(low, double(x[axis])), high = std::max(high, double(x[axis]));
  return high - low;
}

}  // namespace

TEST_CASE("sph_clavet: a pair moves as the paper's formulas say, for each choice of kernels") {
  const double q = Pair::q, dt = Pair::dt, alpha = 9820, k = 0.0004, near = 0.05, n0 = 5;
  const auto apart = [&](double s, double pull) {
    const double p = alpha * k * (s * s - n0), p_near = alpha * near * s * s * s;
    return 2 * dt * (p * s + p_near * s * s) * pull;  // both ends, D_i = D_j
  };
  CHECK(apart(1 - q, 1) != Approx(apart(1 - q * q, 1)));
  const std::pair<std::string, double> cases[] = {{"normal", apart(1 - q, 1)},
                                                  {"hybrid", apart(1 - q * q, 1)},
                                                  {"squared", apart(1 - q * q, 2 * q)}};
  for (const auto& [name, expected] : cases) {
    INFO(name);
    Pair pair(", " + paper + R"(, "k_near": 0.05, "kernels": ")" + name + '"');
    pair.running.advance(1);
    CHECK(pair.speed_apart() == Approx(expected).epsilon(1e-4));  // sums near n0 cancel digits
  }
}

TEST_CASE("sph_clavet: the impulses of viscosity are the paper's") {
  const double u = 0.4, sigma = 3, beta = 2;
  Pair pair(R"(, "k": 0, "k_near": 0, "linear_viscosity": 3, "quadratic_viscosity": 2)");
  pair.approach_at(u);
  pair.running.advance(1);
  const double impulse = Pair::dt * (1 - Pair::q) * (sigma * u + beta * u * u);
  CHECK(pair.speed_apart() == Approx(-u + impulse).epsilon(1e-5));
  Pair parting(R"(, "k": 0, "k_near": 0, "linear_viscosity": 3)");
  parting.approach_at(-u);
  parting.running.advance(1);
  CHECK(parting.speed_apart() == Approx(u).epsilon(1e-6));
}

TEST_CASE("sph_clavet: a new spring gives way and pulls as the paper says") {
  const double dt = Pair::dt, h = Pair::h, r = Pair::r, alpha = 9, gamma = 0.1, k = 270;
  Pair pair(R"(, "k": 0, "k_near": 0, "springs": {})");
  pair.running.advance(1);
  const double length = h - dt * alpha * (h - gamma * h - r);
  const double expected = dt * k * (1 - length / h) * (length - r);
  CHECK(pair.speed_apart() == Approx(expected).epsilon(1e-4));
  CHECK(pair.running.measure("water.springs") == 1);
}

TEMPLATE_TEST_CASE_SIG("sph_clavet: colliding halves keep their momentum to round-off", "",
                       ((int D), D), 2, 3) {
  check_that_halves_keep_momentum<D>(
      R"("type": "sph_clavet", "linear_viscosity": 2, "quadratic_viscosity": 1, "k_near": 0.002,
         "kernels": "hybrid", "support": 1.54, "springs": {}, )" +
          paper,
      100, 4);
}

TEST_CASE("sph_clavet: the thesis' pillar comes to rest, denser below, and loses no particle") {
  // Table 6.2 of "Computational Fluid Dynamics in 2D Game Environments": n0 5, k 0.0004, k_near
  // 0.05, h 0.2 m, dt 1/120 s, hybrid kernels, particles 0.65 h apart; a third as wide and high.
  double fastest = 0;  // kinetic energy [J]
  const auto pillar = [&](const std::string& more) {
    Running r(R"({"rtsim": 1, "dim": 2, "gravity": [0, -9.82],
    "time": {"fps": 120, "steps_per_frame": 1, "frames": 600},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.13, "fill": {"box": {"min": [0, 0], "max": [1.04, 1.95]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [1.04, 5.2]}, "inside": true}}],
    "stages": [{"type": "sph_clavet", "fluid": "water", "boundary": ["tank"], "rest_density": 100,
                "support": 1.5384615, "kernels": "hybrid", "linear_viscosity": 20, )" +
                  paper + more + R"(}], "output": []})",
              Exec::cpu(2));
    for (int i = 0; i < 120; ++i) {
      r.advance(10);
      fastest = std::max(fastest, r.measure("water.kinetic_energy"));
    }
    return r;
  };
  Running r = pillar(R"(, "k_near": 0.05)");
  const double moving = fastest;
  const auto x = positions<2>(r);
  const auto rho = r.world().table("water").download<Real>("density");
  double top = 0, below = 0, above = 0, n_below = 0, n_above = 0;
  for (const auto& p : x) top = std::max(top, double(p[1]));
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE(x[i][0] > 0);
    REQUIRE(double(x[i][0]) < 1.04);
    REQUIRE(x[i][1] > 0);
    const double depth = top - double(x[i][1]);
    if (depth > 0.7 * top) below += double(rho[i]), ++n_below;
    if (depth > 0.2 * top && depth < 0.4 * top) above += double(rho[i]), ++n_above;
  }
  CHECK(below / n_below > 1.05 * above / n_above);
  CHECK(r.measure("water.density_error_max") < 0.5);
  // It breathes slowly, and has done so for ten seconds.
  CHECK(r.measure("water.kinetic_energy") < 0.02 * moving);
  // Sec. 7.1.2: a larger k_near compresses less.
  Running soft = pillar(R"(, "k_near": 0.025)");
  CHECK(soft.measure("water.potential_energy") < 0.95 * r.measure("water.potential_energy"));
}

TEST_CASE(
    "sph_clavet: a stretched body returns with elastic springs, and stays with plastic ones") {
  const auto width_after = [](double plasticity) {
    Running r(block_scene(2,
                          fmt::format(R"("type": "sph_clavet", "k": 0, "k_near": 0,
                            "support": 1.54, "linear_viscosity": 20, "springs": {{"start": "distance", "stiffness": 2000,
                            "yield_ratio": 0.02, "plasticity": {}}})",
                                      plasticity),
                          0.002, false),
              Exec::cpu(2));
    r.advance(1);
    std::vector<Vec<2>> x;  // not so far that other pairs come near, and spring up
    for (const auto& p : positions<2>(r)) x.push_back({{Real(1.1) * p[0], p[1] / Real(1.1)}});
    set<2>(r, "position", x);
    double mean = 0;  // over some five swings, hardly damped
    for (int i = 0; i < 100; ++i) {
      r.advance(20);
      mean += extent(r, 0) / extent(r, 1) / 100;
    }
    return mean;
  };
  CHECK(width_after(0) == Approx(1).margin(0.015));
  CHECK(width_after(200) > 1.15);  // of 1.21
}

TEST_CASE(
    "sph_clavet: friction slows what slides on a wall, stickiness holds what hangs from one") {
  const auto sheet = [](const std::string& more, const std::string& gravity) {
    Running r(R"({"rtsim": 1, "dim": 2, "gravity": )" + gravity + R"(,
    "time": {"dt": 0.002, "steps_per_frame": 1, "frames": 100},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.05, "velocity": [0.5, 0], "fill": {"box": {"min": [1, 0], "max": [1.5, 0.05]}}},
      {"name": "floor", "kind": "boundary", "shape": {"box": {"min": [0, -0.2], "max": [3, 0]}}}],
    "stages": [{"type": "sph_clavet", "fluid": "water", "boundary": ["floor"], "k": 0, "k_near": 0)" +
                  more + R"(}], "output": []})",
              Exec::cpu(1));
    r.advance(100);
    return r;
  };
  Running free = sheet("", "[0, 0]"), rubbed = sheet(R"(, "wall_friction": 0.01)", "[0, 0]");
  CHECK(free.measure("water.momentum.x") == Approx(0.5 * free.measure("water.mass")));
  // (1 - mu)^100 on an endless floor
  CHECK(rubbed.measure("water.momentum.x") / rubbed.measure("water.mass") ==
        Approx(0.5 * std::pow(0.99, 100)).epsilon(0.01));
  Running falling = sheet("", "[0, 9.81]");  // upwards: away from the wall
  Running stuck = sheet(R"(, "stickiness": 2000, "stick_distance": 0.05)", "[0, 9.81]");
  CHECK(mean_height<2>(falling) > 0.2);
  CHECK(mean_height<2>(stuck) < 0.05);
}

namespace {

// p / (rho H / (2 D)) of the closest packing, whose spacing is `scale` times that of rest density:
// triangles in the plane, and in space the corners and faces of cubes.
double packed_pressure(const sph_clavet::Law& law, int dim, double spacing, double scale) {
  std::vector<double> r;
  double n = 0, near = 0, sum = 0;
  const double side = scale * spacing * (dim == 2 ? std::sqrt(2 / std::sqrt(3.0)) : std::cbrt(4.0));
  for (int i = -4; i <= 4; ++i)
    for (int j = -4; j <= 4; ++j)
      if (dim == 2) {
        r.push_back(side * std::sqrt(double(i * i + i * j + j * j)));
      } else {
        for (int k = -4; k <= 4; ++k)
          for (const Vec<3> at : {Vec<3>{{0, 0, 0}}, Vec<3>{{0, 0.5, 0.5}}, Vec<3>{{0.5, 0, 0.5}},
                                  Vec<3>{{0.5, 0.5, 0}}})
            r.push_back(side * double(norm(at + Vec<3>{{Real(i), Real(j), Real(k)}})));
      }
  std::erase(r, 0.0);
  for (const double d : r)
    n += double(law.kernels.shape(Real(d * d))),
        near += double(law.kernels.near_shape(Real(d * d)));
  const double p = double(law.pressure_of(Real(n))), q = double(law.near_pressure_of(Real(near)));
  for (const double d : r)
    sum += d * d * (p * double(law.pull(Real(d))) + q * double(law.near_pull(Real(d))));
  return sum / double(law.kernels.support);
}

}  // namespace

TEST_CASE(
    "sph_clavet: the closest packing of rest density has no pressure, and the sound speed asked "
    "for") {
  const int dim = GENERATE(2, 3);
  const double tension = GENERATE(0.0, 0.3, 1.0), spacing = 0.04, speed = 3;
  const auto kernels =
      GENERATE(sph::DoubleDensityKernels::normal, sph::DoubleDensityKernels::hybrid,
               sph::DoubleDensityKernels::squared);
  SphClavetParams p;
  p.tension = tension, p.kernels = kernels;
  const double support = 2.2 * spacing, mass = 1000 * std::pow(spacing, dim);
  const auto law = clavet_law(p, dim, spacing, sph::Medium::of(dim, mass, support, 1000), speed);
  CHECK(clavet_sound_speed(law, dim, spacing) == Approx(5 * speed));
  // Of what one part alone would give; sums cancel six digits in float.
  CHECK(std::abs(packed_pressure(law, dim, spacing, 1)) <
        1e-4 * double(law.near_push + law.push + law.both_ways));
  if (tension > 0) return;  // stiffer then: what holds the balance grows, too
  const double squeezed = 0.999, density = std::pow(squeezed, -dim);
  const double c2 =
      support / (2 * dim) * packed_pressure(law, dim, spacing, squeezed) / (density - 1);
  CHECK(c2 == Approx(25 * speed * speed).epsilon(0.02));  // its curvature over a thousandth
}

// Half a tank's width of fluid falls by a fifth of its height, and comes to rest in disorder over
// all of it, 24 rows deep. What the paper's numbers make of that is as deep as its stiffness lets
// it.
TEST_CASE("sph_clavet: still fluid is as deep as its mass and rest density say", "[slow]") {
  struct Pool {
    int dim;
    double spacing, dt;
  };
  const Pool p = GENERATE(Pool{2, 0.02, 0.0007}, Pool{2, 0.05, 0.001}, Pool{3, 0.05, 0.001});
  const double d = p.spacing, height = 24 * d, width = (p.dim == 2 ? 24 : 8) * d;
  const std::string deep = p.dim == 2 ? "" : fmt::format(", {}", 6 * d),
                    zero = p.dim == 2 ? "" : ", 0";
  Running r(fmt::format(
                R"({{"rtsim": 1, "dim": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": {},
        "fill": {{"box": {{"min": [0, {}{}], "max": [{}, {}{}]}}}}}},
      {{"name": "tank", "kind": "boundary",
        "shape": {{"box": {{"min": [0, 0{}], "max": [{}, {}{}]}}, "inside": true}}}}],
    "stages": [{{"type": "sph_clavet", "fluid": "water", "boundary": ["tank"], "linear_viscosity": 5}}],
    "output": []}})",
                p.dim, p.dt, d, 0.4 * height, zero, width / 2, 2.4 * height, deep, zero, width,
                3 * height, deep),
            Exec::cpu(2));
  const int second = int(1 / p.dt * std::sqrt(d / 0.02));
  r.advance(2 * second);
  double mean = 0;
  for (int i = 0; i < 100; ++i) {
    r.advance(second / 100);
    if (p.dim == 2)
      mean += mean_height<2>(r) / 100;
    else
      mean += mean_height<3>(r) / 100;
  }
  // Sound is as fast as 2 % at the bottom of 2.4 times the depth asks for, which makes 0.3 % here;
  // the rest is how many layers disorder leaves, half a row of 24 at most.
  CHECK(mean == Approx(height / 2).epsilon(0.02));
}

TEST_CASE("sph_clavet: spray does not pass walls, however far it flies in a step") {
  const std::string velocity = GENERATE(as<std::string>{}, "[0.3, -3.4, 0.2]", "[35, -90, 61]");
  Running r(spray_scene(R"("type": "sph_clavet")", 0.001, velocity), Exec::cpu(1));
  for (int i = 0; i < 200; ++i) {
    r.advance(1);
    const auto x = positions<3>(r)[0];
    for (int k = 0; k < 3; ++k) REQUIRE(x[k] > 0);
    for (int k = 0; k < 3; k += 2) REQUIRE(x[k] < Real(0.4));
  }
}

TEST_CASE(
    "sph_clavet: a checkpoint without any spring, or with springs, goes on in the same bytes") {
  const std::string scene = block_scene(2, R"("type": "sph_clavet", "springs": {})", 0.002, true);
  const int before = GENERATE(0, 7);
  const TemporaryFolder folder;
  Running whole(scene, Exec::cpu(2)), half(scene, Exec::cpu(1)), again(scene, Exec::cpu(2));
  whole.advance(15);
  half.advance(before);
  CHECK((half.world().table("water.springs").rows() == 0) == (before == 0));
  save_checkpoint(folder.path, half.world(), {.step = before});
  std::string warnings;
  load_checkpoint(find_checkpoint(folder.path, warnings).value().file, again.world());
  again.steps = before;
  again.refresh();
  again.advance(15 - before);
  CHECK(again.world().state_hash() == whole.world().state_hash());
}
