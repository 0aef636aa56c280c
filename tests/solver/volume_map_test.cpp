#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "sph/cubic_spline.h"
#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double spacing = 0.1;

// A still block beside one wall; only its densities are looked at.
template <int D>
Running still(const std::string& fill, const std::string& shape, const std::string& more = "",
              const std::string& type = "dfsph") {
  return Running(
      fmt::format(
          R"({{"rtsim": 1, "dim": {}, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": 0.1, "fill": {{"box": {}}}}},
                {{"name": "wall", "kind": "boundary", "shape": {{{}}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["wall"],
                 "boundary_method": "volume_map"{}}}], "output": []}})",
          D, fill, shape, type, more),
      Exec::cpu(2));
}

// Density over rest density of the row nearest to a place.
template <int D>
double density_at(Running& r, const Vec3d& place) {
  Table& t = r.world().table("water");
  const auto x = t.template download<Vec<D>>("position");
  const auto rho = t.template download<Real>("density");
  std::size_t best = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (norm(widen(x[i]) - place) < norm(widen(x[best]) - place)) best = i;
  return double(rho[best]) / 1000;
}

// One particle at the origin.
const char* const lone_2d = R"({"min": [-0.05, -0.05], "max": [0.05, 0.05]})";
const char* const lone_3d = R"({"min": [-0.05, -0.05, -0.05], "max": [0.05, 0.05, 0.05]})";

// Of the kernel beyond a surface given by its signed distance, by brute force.
template <class Distance>
double hidden(int dim, const Distance& distance) {
  const sph::CubicSpline kernel = sph::CubicSpline::of(dim, 2 * spacing);
  const int n = 60;
  const double cell = 2 * spacing / n;
  double solid = 0, all = 0;
  for (int k = dim == 3 ? -n : 0; k <= (dim == 3 ? n : 0); ++k)
    for (int j = -n; j <= n; ++j)
      for (int i = -n; i <= n; ++i) {
        const Vec3d x{{cell * i, cell * j, cell * k}};
        const double w = double(kernel.shape(Real(dot(x, x))));
        all += w, solid += distance(x) < 0 ? w : 0;
      }
  return solid / all;
}

}  // namespace

TEST_CASE("volume map: a lattice half a spacing from planes is as dense as inside") {
  Running flat = still<2>(R"({"min": [0, 0], "max": [0.6, 0.6]})",
                          R"("box": {"min": [0, 0], "max": [0.6, 0.6]}, "inside": true)");
  const double inside = density_at<2>(flat, {{0.35, 0.35, 0}});
  CHECK(density_at<2>(flat, {{0.35, 0.05, 0}}) == Approx(inside).epsilon(1e-5));
  CHECK(density_at<2>(flat, {{0.05, 0.25, 0}}) == Approx(inside).epsilon(1e-5));
  // In a corner the plane stands for two walls; what it hides of a lattice is not what it hides of
  // the kernel.
  CHECK(density_at<2>(flat, {{0.05, 0.05, 0}}) == Approx(inside).epsilon(0.05));

  Running deep = still<3>(R"({"min": [0, 0, 0], "max": [0.6, 0.6, 0.6]})",
                          R"("box": {"min": [0, 0, 0], "max": [0.6, 0.6, 0.6]}, "inside": true)");
  const double all = density_at<3>(deep, {{0.35, 0.35, 0.35}});
  CHECK(density_at<3>(deep, {{0.35, 0.05, 0.25}}) == Approx(all).epsilon(1e-5));
  CHECK(density_at<3>(deep, {{0.35, 0.05, 0.05}}) == Approx(all).epsilon(0.05));
  CHECK(density_at<3>(deep, {{0.05, 0.05, 0.05}}) == Approx(all).epsilon(0.07));
}

TEST_CASE("volume map: a wide kernel, which one layer of samples cannot fill, finds rest density") {
  Running r = still<2>(R"({"min": [0, 0], "max": [1.2, 1.2]})",
                       R"("plane": {"point": [0, 0], "normal": [0, 1]})", R"(, "support": 4)");
  CHECK(density_at<2>(r, {{0.55, 0.05, 0}}) ==
        Approx(density_at<2>(r, {{0.55, 0.55, 0}})).epsilon(1e-4));
}

TEST_CASE("volume map: a plane is the same in any direction, read anywhere between nodes") {
  double straight = 0;
  for (double angle : {0.0, 17.0, 45.0, 71.0}) {
    const double a = angle * 3.14159265358979 / 180, depth = 0.07;
    Running r = still<3>(
        lone_3d,
        fmt::format(R"("plane": {{"point": [{}, {}, 0], "normal": [{}, {}, {}]}})",
                    -depth * std::sin(a), -depth * std::cos(a), std::sin(a), std::cos(a), 0.0));
    const double rho = density_at<3>(r, {});
    if (angle == 0) straight = rho;
    CHECK(rho == Approx(straight).epsilon(1e-4));
  }
}

TEMPLATE_TEST_CASE_SIG("volume map: a sphere counts for its volume within the kernel", "",
                       ((int D), D), 2, 3) {
  const double touching = 0.05;  // half a spacing, where a plane is calibrated
  const char* const place = D == 2 ? lone_2d : lone_3d;
  const std::string zero = D == 2 ? "" : ", 0";
  Running plane = still<D>(
      place,
      fmt::format(R"("plane": {{"point": [0, {}{}], "normal": [0, 1{}]}})", -touching, zero, zero));
  Running far = still<D>(
      place, fmt::format(R"("plane": {{"point": [0, -1{}], "normal": [0, 1{}]}})", zero, zero));
  const double own = density_at<D>(far, {});
  const double of_plane =
      (density_at<D>(plane, {}) - own) / hidden(D, [&](const Vec3d& x) { return x[1] + touching; });
  for (double radius : {0.2, 0.3, 1.0}) {
    INFO(radius);
    for (bool inside : {false, true}) {
      const double centre = inside ? radius - touching : -radius - touching;
      Running r = still<D>(
          place, fmt::format(R"("sphere": {{"centre": [0, {}{}], "radius": {}}}, "inside": {})",
                             centre, zero, radius, inside));
      const double found = density_at<D>(r, {}) - own;
      const double exact = of_plane * hidden(D, [&](const Vec3d& x) {
                             const double d = norm(x - Vec3d{{0, centre, 0}}) - radius;
                             return inside ? -d : d;
                           });
      // Of rest density. Between nodes a spacing c apart delta is read linearly, and errs by up to
      // (D - 1) c^2 / (8 radius), which at half a spacing is worth 0.5 / c of rest density a metre:
      // 0.0125 m / radius in 3D. Sums over the cells of both integrals add the rest.
      CHECK(std::abs(found - exact) < 0.018 / radius);
    }
  }
}

TEST_CASE("volume map: solids that a map cannot hold are refused, with a way out") {
  const auto problem = [](const std::string& shape, const std::string& more,
                          const std::string& type = "dfsph") -> std::string {
    try {
      still<3>(R"({"min": [0, 0, 0], "max": [0.4, 0.4, 0.4]})", shape, more, type);
    } catch (const Error& e) {
      CHECK(e.code() == ExitCode::bad_input);
      return e.what();
    }
    return "nothing";
  };
  using Catch::Contains;
  CHECK_THAT(problem(R"("box": {"min": [0, -0.04, 0], "max": [1, 0, 1]})", ""),
             Contains("'wall' is thinner than the fluid's spacing of 0.1 m") &&
                 Contains("\"boundary_method\": \"samples\""));
  CHECK_THAT(problem(R"("box": {"min": [0, 0, 0], "max": [1, 1, 1]}, "inside": true)",
                     R"(, "map_cell": 0.0001)"),
             Contains("GB; use a larger spacing or \"map_cell\""));
  CHECK_THAT(problem(R"("box": {"min": [0, 0, 0], "max": [1, 1, 1]}, "inside": true)",
                     R"(, "map_cell": 0.004)"),
             Contains("volume map of 'wall'") && Contains("\"map_cell\" of 0.00"));
  CHECK_THAT(problem(R"("box": {"min": [0, 0, 0], "max": [1, 1, 1]}, "inside": true)", "", "pbf"),
             Contains("pbf keeps particles out of samples alone"));
}

TEST_CASE("volume map: its memory is counted before the world is built", "[long]") {
  for (const char* cell : {"0.1", "0.05"}) {
    INFO(cell);
    const Exec ex = Exec::cpu(1);
    const Scene scene = read_scene_text(
        fmt::format(
            R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": 0.1, "fill": {{"box": {{"min": [0, 0, 0], "max": [1, 1, 1]}}}}}},
                {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0, 0], "max": [1.5, 1, 1]}}, "inside": true}}}},
                {{"name": "floor", "kind": "boundary", "shape": {{"plane": {{"point": [0, -1, 0], "normal": [0, 1, 0]}}}}}}],
    "stages": [{{"type": "dfsph", "fluid": "water", "boundary": ["tank", "floor"], "boundary_forces": true,
                 "boundary_method": "volume_map", "map_cell": {}}}], "output": []}})",
            cell),
        "scene.json", ".", {}, stage_catalog());
    double estimated = 0;
    for (const ObjectEstimate& o : estimate(scene)) estimated += o.bytes;
    Running r(scene, ex);
    // Distances on the host count as well as what the exec holds: a half of a map in the making.
    CHECK(estimated > 0.9 * double(ex.peak_bytes()));
    CHECK(estimated < 4 * double(ex.peak_bytes()));
  }
}
