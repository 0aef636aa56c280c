#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "support/still_particles.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// A disc that turns: v = omega(r) r, with a core of solid rotation.
struct Vortex {
  static constexpr double core = 0.15, omega = 4;
  static Vec<2> at(const Vec<2>& x) {
    const double r2 = double(dot(x, x)), w = r2 < core * core ? omega : omega * core * core / r2;
    return {{Real(-w * double(x[1])), Real(w * double(x[0]))}};
  }
  // Kinetic energy left after 0.6 s in a round tank.
  static double energy_left(const std::string& groups) {
    Running r(drop_scene(2, R"("sphere": {"centre": [0, 0], "radius": 0.29})", 0.02, 0.005,
                         R"("kinematic_viscosity": 0.001)" + groups,
                         R"(, {"name": "wall", "kind": "boundary",
                            "shape": {"sphere": {"centre": [0, 0], "radius": 0.3}, "inside": true}})"),
              Exec::cpu(2));
    Table& t = r.world().table("water");
    std::vector<Vec<2>> v;
    for (const auto& x : t.download<Vec<2>>("position")) v.push_back(at(x));
    r.world().exec.upload(t.column<Vec<2>>("velocity").data, v.data(), v.size() * sizeof(v[0]));
    r.refresh();
    const double start = r.measure("water.kinetic_energy");
    r.advance(120);
    return r.measure("water.kinetic_energy") / start;
  }
};

}  // namespace

TEST_CASE("vorticity and micropolar: a vortex keeps its energy for longer") {
  const double plain = Vortex::energy_left("");
  const double confined = Vortex::energy_left(R"(, "vorticity": {"strength": 0.1})");
  const double polar = Vortex::energy_left(
      R"(, "micropolar": {"transfer_viscosity": 0.01, "inverse_inertia": 100})");
  CHECK(confined > 1.2 * plain);
  CHECK(confined < 1);
  CHECK(polar > 1.1 * plain);
  CHECK(polar < 1);
}

TEST_CASE("vorticity: a row of even vorticity is left alone, and confinement does no work on it") {
  SphForcesParams p;
  p.vorticity = {0.1};
  const double d = 0.05;
  Still<2> s(block<2>(20, d), d, 3, p);
  s.set_velocity([](const Vec<2>& x) { return Vec<2>{{-2 * x[1], 2 * x[0]}}; });
  const auto before = s.velocity(), x = s.position();
  s.apply(0.01);
  const auto after = s.velocity();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool inside =
        std::abs(double(x[i][0]) - 0.5) < 0.15 && std::abs(double(x[i][1]) - 0.5) < 0.15;
    if (inside) CHECK(double(norm(widen(after[i]) - widen(before[i]))) < 1e-5);
  }
}

TEMPLATE_TEST_CASE_SIG("micropolar: spin and flow exchange without a change of momentum", "",
                       ((int D), D), 2, 3) {
  SphForcesParams p;
  p.micropolar = {.transfer_viscosity = 0.05, .inverse_inertia = 50, .smoothing = 0.1};
  const double d = 0.05, dt = 0.002;
  Still<D> s(block<D>(D == 2 ? 20 : 8, d), d, 2, p);
  const auto v = noise<D>(s.position().size());
  s.set_velocity(v);
  for (int i = 0; i < 10; ++i) s.apply(dt);
  const auto after = s.velocity();
  const double n = double(v.size());
  CHECK(norm(total(after) - total(v)) <= 4 * eps * std::sqrt(10 * n) * 2);
  double spin = 0;
  for (const auto& w :
       s.world.table("fluid").template download<typename SphForces<D>::Spin>("angular_velocity"))
    spin += double(dot(w, w));
  CHECK(spin > 0);
}

TEST_CASE("micropolar: spin follows half the vorticity of a solid rotation") {
  SphForcesParams p;
  p.micropolar = {.transfer_viscosity = 0.1, .inverse_inertia = 1000, .smoothing = 0};
  const double d = 0.05;
  Still<2> s(block<2>(20, d), d, 3, p);
  const auto turning = [](const Vec<2>& x) { return Vec<2>{{-2 * x[1], 2 * x[0]}}; };
  for (int i = 0; i < 50; ++i) {  // far longer than Theta / (2 nu_t) = 0.005 s
    s.set_velocity(turning);
    s.apply(0.002);
  }
  const auto x = s.position();
  const auto omega = s.world.table("fluid").download<Vec<1>>("angular_velocity");
  // curl v = 4; the gradient of the kernel on a lattice of support 3 sums to 2 % of it.
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::abs(double(x[i][0]) - 0.5) < 0.3 && std::abs(double(x[i][1]) - 0.5) < 0.3)
      CHECK(double(omega[i][0]) == Approx(2).epsilon(0.02));
}
