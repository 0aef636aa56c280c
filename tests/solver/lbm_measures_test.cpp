#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "lbm/measures.h"
#include "support/running.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

std::string scene(int dim, const std::string& grid, const std::string& objects,
                  const std::string& stage, double dt) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
      "objects": [{{"name": "air", "kind": "grid", {}}}{}],
      "stages": [{{"type": "lbm", "grid": "air", "density": 2, {}}}], "output": []}})",
      dim, dt, grid, objects, stage);
}

const std::string periodic = R"("x_min": {"type": "periodic"}, "x_max": {"type": "periodic"},
    "y_min": {"type": "periodic"}, "y_max": {"type": "periodic"})";

// Taylor-Green vortices of speed 0.3 m/s in a box of 2 m, at the start: curl -2 k U cos kx cos ky.
// Central differences are short by sin(kh) / kh.
struct Vortices {
  int cells;
  double speed = 0.3, k = std::numbers::pi, h = 2.0 / cells;
  double slope() const { return std::sin(k * h) / (k * h); }
  Running running() const {
    return Running(scene(2, fmt::format(R"("spacing": {}, "min": [0, 0], "max": [2, 2])", h), "",
                         R"("vorticity": true, "vortices": {"speed": 0.3}, )" + periodic, 0.01),
                   Exec::cpu(2));
  }
};

// A shaft that turns in a still tube, both round; the torque on either is 4 pi mu w R1^2 R2^2 /
// (R2^2 - R1^2) per metre.
struct Bearing {
  double inner = 0.1, outer = 0.25, spin = 2, nu = 0.02, density = 2;
  double torque() const {
    const double a = inner * inner, b = outer * outer;
    return 4 * std::numbers::pi * nu * density * spin * a * b / (b - a);
  }
  double speed(double r) const {
    const double a = inner * inner, b = outer * outer;
    return spin * a / (b - a) * (b / r - r);
  }
  Running running() const {
    const std::string walls = fmt::format(
        R"(, {{"name": "shaft", "kind": "boundary",
             "shape": {{"sphere": {{"centre": [0.3, 0.3], "radius": {}}}}},
             "motion": {{"spin": {}, "centre": [0.3, 0.3]}}}},
           {{"name": "tube", "kind": "boundary", "shape": {{
             "sphere": {{"centre": [0.3, 0.3], "radius": {}}}, "inside": true}}}})",
        inner, spin, outer);
    return Running(
        scene(2, R"("spacing": 0.01, "min": [0, 0], "max": [0.6, 0.6])", walls,
              R"("boundary": ["shaft", "tube"], "kinematic_viscosity": 0.02, "substeps": 2,
                 "boundary_forces": true)",
              0.002),
        Exec::cpu(2));
  }
};

}  // namespace

TEST_CASE("lbm: vorticity and enstrophy of Taylor-Green vortices are those of their fields") {
  const Vortices v{32};
  Running r = v.running();
  const auto curl = r.world().table("air").download<Real>("vorticity");
  const double most = 2 * v.k * v.speed * v.slope();
  double worst = 0;
  for (int j = 0; j < v.cells; ++j)
    for (int i = 0; i < v.cells; ++i) {
      const double x = (i + 0.5) * v.h, y = (j + 0.5) * v.h;
      const double exact = -most * std::cos(v.k * x) * std::cos(v.k * y);
      worst = std::max(worst, std::abs(double(curl[std::size_t(i + v.cells * j)]) - exact));
    }
  // Velocities are rounded to 3e-8 m/s, over two cells of 0.06 m.
  CHECK(worst < 1e-5);
  // The mean of cos^2 cos^2 is a quarter, over 4 m^2.
  CHECK(r.measure("air.enstrophy") == Approx(0.5 * most * most).epsilon(1e-5));
}

TEST_CASE("lbm: vorticity in space points along the axis of the shear") {
  Running r(
      scene(3, R"("spacing": 1, "min": [0, 0, 0], "max": [4, 6, 4])", "",
            R"("vorticity": true, "kinematic_viscosity": 0.3, "y_max": {"velocity": [0, 0, 0.06]},
                     "x_min": {"type": "periodic"}, "x_max": {"type": "periodic"},
                     "z_min": {"type": "periodic"}, "z_max": {"type": "periodic"})",
            1),
      Exec::cpu(2));
  r.advance(2000);
  // u_z = 0.06 y / 6: the curl is du_z/dy along x, beside the walls too.
  for (const Vec<3>& w : r.world().table("air").download<Vec<3>>("vorticity")) {
    CHECK(double(w[0]) == Approx(0.01).epsilon(1e-3));
    CHECK(std::abs(double(w[1])) + std::abs(double(w[2])) < 1e-6);
  }
}

namespace {

// A field of no order round a few solid cells.
template <int D>
void check_same_curls() {
  const Exec ex = Exec::cpu(2);
  const lbm::Layout layout({37, 6, D == 3 ? 5 : 1}, D);
  std::vector<std::uint8_t> solid(std::size_t(layout.slots()), 1);
  std::vector<Vec<D>> u(std::size_t(layout.cells()));
  std::vector<Real> p(u.size());
  for (Index c = 0; c < layout.cells(); ++c) {
    solid[std::size_t(layout.slot_of(c))] = c % 29 == 7;
    for (int a = 0; a < D; ++a) u[std::size_t(c)][a] = Real(std::sin(1.7 * c + 5 * a));
    p[std::size_t(c)] = Real(std::cos(0.3 * c));
  }
  const lbm::Flow<D> flow{layout,
                          {solid.data(), Index(solid.size())},
                          {true, false, false},
                          Real(0.1),
                          {u.data(), Index(u.size())}};
  const Span<const Real> pressure{p.data(), Index(p.size())};
  const auto one = lbm::totals<D>(ex, flow, pressure),
             other = lbm::totals<D>(ex.device_shaped(), flow, pressure);
  CHECK(one.cells == other.cells);
  CHECK(one.pressure == other.pressure);
  CHECK(one.speed2 == other.speed2);
  CHECK(one.curl2 == other.curl2);
  CHECK(one.velocity[D - 1] == other.velocity[D - 1]);
  std::vector<lbm::Curl<D>> curls(u.size()), others(u.size());
  lbm::vorticity<D>(ex, flow, {curls.data(), Index(curls.size())});
  lbm::vorticity<D>(ex.device_shaped(), flow, {others.data(), Index(others.size())});
  CHECK(curls == others);
}

}  // namespace

TEST_CASE("lbm: curls of eight cells side by side are those of one cell, to the last bit") {
  check_same_curls<2>();
  check_same_curls<3>();
}

// Stairs of cells make the shaft rough by a part of a cell of its ten.
TEST_CASE("lbm: a turning shaft in a tube is braked by the torque of viscosity") {
  const Bearing b;
  Running r = b.running();
  r.advance(600);  // ten times (R2 - R1)^2 / (pi^2 nu)
  const double shaft = r.measure("shaft.torque.z"), tube = r.measure("tube.torque.z");
  // About the origin; forces sum to none, so the place does not matter.
  CHECK(std::abs(r.measure("shaft.force.x")) < 0.02 * b.torque() / b.inner);
  CHECK(-shaft == Approx(b.torque()).epsilon(0.05));
  CHECK(tube == Approx(-shaft).epsilon(0.01));
  // What a coupler reads: the mean over both substeps, steady by now.
  Table& forces = r.world().table("shaft.forces@air");
  CHECK(forces.download<VecT<double, 1>>("torque")[0][0] == Approx(shaft).epsilon(1e-3));
  const auto u = r.world().table("air").download<Vec<2>>("velocity");
  for (const int i : {43, 46, 50}) {  // to the right of the shaft
    const double x = (i + 0.5) * 0.01 - 0.3;
    CHECK(double(u[std::size_t(i + 60 * 30)][1]) == Approx(b.speed(x)).epsilon(0.06));
  }
}

TEST_CASE("lbm: probes read between cells, and pressures against each other") {
  Running r(scene(2, R"("spacing": 0.03125, "min": [0, 0], "max": [2, 2])", "",
                  R"("vortices": {"speed": 0.3}, "probes": [
                      {"name": "side", "at": [0, 0.5]},
                      {"name": "drop", "at": [0, 0.5], "against": {"at": [0.5, 0.5]}}], )" +
                      periodic,
                  0.01),
            Exec::cpu(2));
  // u_x = U cos kx sin ky, p = -rho U^2 / 4 (cos 2kx + cos 2ky). Half a cell from the rim cos is
  // 0.9988 of its greatest, and lines between cells cut as much off tops.
  const double p = 0.25 * 2 * 0.3 * 0.3;
  CHECK(r.measure("air.side.velocity.x") == Approx(0.3).epsilon(3e-3));
  CHECK(r.measure("air.side.pressure") == Approx(0).margin(5e-3 * p));
  CHECK(r.measure("air.drop.pressure") == Approx(-2 * p).epsilon(6e-3));
  CHECK_THROWS_WITH(Running(scene(2, R"("spacing": 0.1, "min": [0, 0], "max": [1, 1])", "",
                                  R"("probes": [{"name": "far", "at": [1.2, 0.5]}])", 0.01),
                            Exec::cpu(2)),
                    Contains("probe \"far\": 1.2 m along x is outside of the grid"));
}
