#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <numbers>

#include "support/smoke_scenes.h"
#include "support/temporary_folder.h"

// Walls, sides and symmetry of smoke.
using namespace rtsim;

namespace {

struct Ring {
  double worst;       // of the velocity, 0.05 and more away from walls, over U
  double divergence;  // [1/s]
};

// A cylinder of radius a that starts with the velocity U inside a standing one of radius b drives
//   phi = -U a^2 / (b^2 - a^2) (r + b^2 / r) cos(theta),
// Milne-Thomson, "Theoretical Hydrodynamics", sec. 9.22: the first step from rest.
Ring ring(int n, bool cut_cells) {
  const double U = 1e-3, a = 0.2, b = 0.45, h = 1.0 / n, dt = 1e-3;
  const SmokeScene s{
      .dt = dt,
      .spacing = h,
      .min = "[-0.5, -0.5]",
      .max = "[0.5, 0.5]",
      .more = fmt::format(
          R"(, "boundary": ["rod", "pipe"], "cut_cells": {}, "pressure": {{"tolerance": 1e-6}})",
          cut_cells),
      .objects =
          R"(, {"name": "rod", "kind": "boundary", "shape": {"sphere": {"centre": [0, 0], "radius": 0.2}}, "motion": {"velocity": [0.001, 0]}},
        {"name": "pipe", "kind": "boundary", "shape": {"sphere": {"centre": [0, 0], "radius": 0.45}, "inside": true}})"};
  Running r(s.text(), Exec::cpu(2));
  r.advance(1);
  const double c = U * a * a / (b * b - a * a);
  Ring result{0, r.measure("air.divergence")};
  for (int axis = 0; axis < 2; ++axis) {
    const auto u = faces(r, axis);
    const GridShape f = grid_of(r).faces(axis);
    for (std::size_t i = 0; i < u.size(); ++i) {
      const Vec3d x = f.centre(Index(i));
      const double r2 = x[0] * x[0] + x[1] * x[1], q = b * b / r2;
      if (r2 < std::pow(a + 0.05, 2) || r2 > std::pow(b - 0.05, 2)) continue;
      const double cos2 = (x[0] * x[0] - x[1] * x[1]) / r2, sin2 = 2 * x[0] * x[1] / r2;
      const double exact = axis == 0 ? -c * (1 - q * cos2) : c * q * sin2;
      result.worst = std::max(result.worst, std::abs(double(u[i]) - exact) / U);
    }
  }
  return result;
}

}  // namespace

TEST_CASE(
    "smoke: a cylinder that starts in a pipe drives potential flow, by cut cells at second order") {
  const Ring coarse = ring(40, true), fine = ring(80, true), stairs = ring(80, false);
  INFO(coarse.worst << " " << fine.worst << " " << stairs.worst << " " << fine.divergence);
  CHECK(std::log2(coarse.worst / fine.worst) > 1.7);
  CHECK(fine.worst < 0.02 * stairs.worst);
  CHECK(fine.divergence < 1e-6);
}

TEST_CASE("smoke: a wind through open sides stays as it is, to the last bit") {
  const SmokeScene s{
      .dt = 0.05,
      .more =
          R"(, "velocity": [2, 0], "sides": {"x_low": {"kind": "inflow", "velocity": [2, 0], "density": 3},
      "x_high": {"kind": "open"}, "y_low": {"kind": "free_slip"}, "y_high": {"kind": "free_slip"}})"};
  Running r(s.text(), Exec::cpu(2));
  r.advance(20);
  for (Real u : faces(r, 0)) CHECK(u == 2);
  for (Real v : faces(r, 1)) CHECK(v == 0);
  for (Real d : cells(r, "density"))
    CHECK(double(d) == Approx(3).epsilon(1e-3));  // swept through twice
}

// Of air at rest, by a fan as long as the duct: Bernoulli and the inertia of the N + 1 faces have
// du/dt = f - u^2 / (2 L), L = (N + 1) h, so u = U tanh(t U / (2 L)) with U^2 = 2 f L.
TEST_CASE("smoke: an open side draws in what comes from rest") {
  struct Case {
    int axis;
    double dt, spacing, push;
  };
  for (const Case& c : {Case{0, 0.02, 0.1, 1}, Case{0, 0.01, 0.05, -1}, Case{1, 0.02, 0.1, -1}}) {
    const bool along_x = c.axis == 0;
    const SmokeScene s{.dt = c.dt,
                       .spacing = c.spacing,
                       .max = along_x ? "[2, 0.5]" : "[0.5, 2]",
                       .more = fmt::format(
                           R"(, "sides": {{"x_low": {{"kind": "{0}"}}, "x_high": {{"kind": "{0}"}},
      "y_low": {{"kind": "{1}"}}, "y_high": {{"kind": "{1}"}}}},
    "sources": [{{"shape": {{"box": {{"min": [-9, -9], "max": [9, 9]}}}}, "acceleration": [{2}, {3}]}}])",
                           along_x ? "open" : "free_slip", along_x ? "free_slip" : "open",
                           along_x ? c.push : 0, along_x ? 0 : c.push)};
    Running r(s.text(), Exec::cpu(2));
    const double length = 2 + c.spacing, end = std::sqrt(2 * length);
    for (int k = 0; k < 10; ++k) {
      r.advance(std::lround(0.6 / c.dt));
      INFO("along " << c.axis << " after " << r.time() << " s");
      const double expected = end * std::tanh(r.time() * end / (2 * length));
      CHECK(r.measure("air.max_speed") == Approx(expected).epsilon(0.005));
    }
  }
}

TEST_CASE("smoke: what flows in past an obstacle flows out") {
  for (bool cut_cells : {true, false}) {
    const SmokeScene s{
        .dt = 0.02,
        .spacing = 0.05,
        .max = "[2, 1]",
        .more = fmt::format(
            R"(, "boundary": ["disk"], "cut_cells": {}, "pressure": {{"tolerance": 1e-6}}, "sides": {{"x_low": {{"kind": "inflow", "velocity": [1, 0]}},
      "x_high": {{"kind": "open"}}}})",
            cut_cells),
        .objects =
            R"(, {"name": "disk", "kind": "boundary", "shape": {"sphere": {"centre": [0.7, 0.47], "radius": 0.22}}})"};
    Running r(s.text(), Exec::cpu(2));
    r.advance(20);
    const auto u = faces(r, 0);
    double out = 0;
    for (int j = 0; j < 20; ++j) out += 0.05 * double(u[std::size_t(41 * j + 40)]);
    CHECK(out == Approx(1).epsilon(1e-4));
    CHECK(r.measure("air.divergence") < 1e-3);
  }
}

namespace {

std::string symmetric_plume(int dim, const char* method) {
  SmokeScene s{.dim = dim, .dt = 0.05, .spacing = 1.0 / 16};
  const bool deep = dim == 3;
  s.min = deep ? "[0, 0, 0]" : "[0, 0]", s.max = deep ? "[1, 1, 1]" : "[1, 1]";
  s.gravity = deep ? "[0, -10, 0]" : "[0, -10]";
  const char* low = deep ? "[0.5, 0.25, 0.5]" : "[0.5, 0.25]";
  const char* high = deep ? "[0.5, 0.65, 0.5]" : "[0.5, 0.65]";
  s.more = fmt::format(
      R"(, "boundary": ["ball"], "vorticity_confinement": 0.3, "kinematic_viscosity": 1e-4,
    "sides": {{"y_high": {{"kind": "open"}}}}, "pressure": {{"method": "{}", "tolerance": {}, "max_iterations": 20000}},
    "sources": [{{"shape": {{"sphere": {{"centre": {}, "radius": 0.12}}}}, "temperature": 100, "density": 1}}])",
      method, std::string(method) == "jacobi" ? 1e-3 : 1e-6, low);
  s.objects = fmt::format(
      R"(, {{"name": "ball", "kind": "boundary", "shape": {{"sphere": {{"centre": {}, "radius": 0.1}}}}}})",
      high);
  return s.text();
}

// The greatest difference between a field and its mirror across an axis.
double unlike(const std::vector<Real>& values, int dim, int axis) {
  if (dim == 2 && axis == 2) return 0;
  const Index n = 16, stride = axis == 0 ? 1 : n * n;
  double worst = 0;
  for (Index c = 0; c < Index(values.size()); ++c) {
    const Index at = c / stride % n, mirror = c + (n - 1 - 2 * at) * stride;
    worst = std::max(
        worst, std::abs(double(values[std::size_t(c)]) - double(values[std::size_t(mirror)])));
  }
  return worst;
}

}  // namespace

// Advection, walls, forces, conjugate gradients and Jacobi's method keep the mirror to the last
// bit. Multigrid goes from even to odd cells and does not: what its tolerance leaves may differ.
TEST_CASE("smoke: a symmetric plume stays symmetric, to the last bit without multigrid") {
  for (int dim : {2, 3})
    for (const char* method : {"cg", "jacobi", "multigrid_cg"}) {
      Running r(symmetric_plume(dim, method), Exec::cpu(2));
      r.advance(20);
      INFO(dim << "D, " << method);
      CHECK(r.measure("air.max_speed") > 0.5);
      const double bound = std::string(method) == "multigrid_cg" ? 1e-3 : 0;  // of 100 K
      CHECK(unlike(cells(r, "temperature"), dim, 0) <= bound);
      CHECK(unlike(cells(r, "temperature"), dim, 2) <= bound);
    }
}

namespace {

// A cube as an OBJ file, without its last `missing` triangles.
std::string cube(const std::filesystem::path& path, int missing) {
  std::ofstream out(path);
  for (int i = 0; i < 8; ++i)
    out << "v " << (i & 1) << ' ' << (i >> 1 & 1) << ' ' << (i >> 2) << '\n';
  const char* faces[12] = {"1 3 2", "2 3 4", "5 6 7", "6 8 7", "1 2 5", "2 6 5",
                           "3 7 4", "4 7 8", "1 5 3", "3 5 7", "2 4 6", "4 8 6"};
  for (int k = 0; k < 12 - missing; ++k) out << "f " << faces[k] << '\n';
  return path.string();
}
SmokeScene round_a_mesh(const std::string& file) {
  return {.dim = 3,
          .dt = 0.02,
          .min = "[0, 0, 0]",
          .max = "[1, 1, 1]",
          .gravity = "[0, -9.81, 0]",
          .more = R"(, "boundary": ["cube"], "sources": [{"temperature": 100,
              "shape": {"box": {"min": [0.2, 0, 0.2], "max": [0.7, 0.2, 0.7]}}}])",
          .objects = fmt::format(
              R"(, {{"name": "cube", "kind": "boundary", "shape": {{"mesh": {{"file": "{}"}},
              "transform": {{"translate": [0.33, 0.41, 0.27], "scale": 0.31}}}}}})",
              file)};
}

}  // namespace

TEST_CASE("smoke: a mesh with a hole is closed and told of, and a sheet is refused") {
  const TemporaryFolder folder;
  Running whole(round_a_mesh(cube(folder.path / "whole.obj", 0)).text(), Exec::cpu(2));
  Running holed(round_a_mesh(cube(folder.path / "holed.obj", 2)).text(), Exec::cpu(2));
  whole.advance(10), holed.advance(10);
  CHECK(whole.sim.pipeline.back().stage->warning(whole.world()) == "");
  CHECK_THAT(holed.sim.pipeline.back().stage->warning(holed.world()),
             Catch::Matchers::Contains("'cube' was mended: 1 hole of 4 edges"));
  const auto a = faces(whole, 1), b = faces(holed, 1);
  for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(std::abs(a[i] - b[i]) < 1e-4);
  CHECK(whole.measure("air.max_speed") > 0.1);
  CHECK_THROWS_WITH(Running(round_a_mesh(cube(folder.path / "sheet.obj", 10)).text(), Exec::cpu(2)),
                    Catch::Matchers::Contains("'cube': the surface encloses 0 m^3 in all: it is a "
                                              "sheet, and has no inside"));
}
