#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/particle_scenes.h"

using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());
constexpr double pi = 3.14159265358979323846;

}  // namespace

TEST_CASE("sph_bodin: viscosity is an implicit step of a pair, stable however large") {
  for (double nu : {0.1, 1e6}) {
    Running r(fmt::format(R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0],
      "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
      "objects": [{{"name": "water", "kind": "particles", "spacing": 0.1,
                    "fill": {{"box": {{"min": [0, 0], "max": [0.2, 0.1]}}}}}}],
      "stages": [{{"type": "sph_bodin", "fluid": "water", "tension": false,
                   "kinematic_viscosity": {}}}], "output": []}})",
                          nu),
              Exec::cpu(1));
    const auto x = download<Vec<2>>(r, "position");
    const Real side = x[1][0] > x[0][0] ? Real(1) : Real(-1);
    upload(r, "velocity", std::vector<Vec<2>>{{{side, Real(0.5)}}, {{-side, Real(0.25)}}});
    r.refresh();
    r.advance(1);
    const auto v = download<Vec<2>>(r, "velocity");
    // c = 2 (D + 2) nu V |W'| / r, where |W'| / r = 6 k / H^2 (1 - q^2)^2, at q = 1/2.
    const double H = 0.2, k = 4 / (pi * H * H);
    const double c = 8 * nu * 0.01 * 6 * k / (H * H) * 0.75 * 0.75;
    CHECK(double(v[0][0] - v[1][0]) * double(side) ==
          Approx(2 / (1 + 2 * c * 0.001)).epsilon(20 * eps).margin(20 * eps));
    CHECK(double(v[0][1]) == Approx(0.5));
    CHECK(double(v[1][1]) == Approx(0.25));
  }
}

TEST_CASE("sph_bodin: shear decays at the rate of its viscosity") {
  // v_x = cos(pi y) between free surfaces at y = 0 and 1, where it has no shear: exp(-nu pi^2 t).
  // A mass of 0.98 rho0 spacing^2, so that nothing is dense enough to push.
  const double nu = 0.05, dt = 0.0002, steps = 300;
  Running r(fmt::format(R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0],
      "time": {{"dt": {}, "steps_per_frame": 1, "frames": 300}},
      "objects": [{{"name": "water", "kind": "particles", "spacing": 0.04,
                    "fill": {{"box": {{"min": [0, 0], "max": [4, 1]}}}}}}],
      "stages": [{{"type": "sph_bodin", "fluid": "water", "tension": false,
                   "particle_mass": 1.568, "kinematic_viscosity": {}}}], "output": []}})",
                        dt, nu),
            Exec::cpu(2));
  const auto wave = [](const Vec<2>& x) { return std::cos(pi * double(x[1])); };
  std::vector<Vec<2>> v;
  for (const auto& x : download<Vec<2>>(r, "position")) v.push_back({{Real(0.01 * wave(x)), 0}});
  upload(r, "velocity", v);
  r.refresh();
  const auto amplitude = [&] {  // away from the ends, which shear as well
    const auto x = download<Vec<2>>(r, "position"), u = download<Vec<2>>(r, "velocity");
    double both = 0, square = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::abs(double(x[i][0]) - 2) < 0.8)
        both += wave(x[i]) * double(u[i][0]), square += wave(x[i]) * wave(x[i]);
    return both / square;
  };
  const double start = amplitude();
  r.advance(300);
  // On a square lattice only the diagonal neighbours, q^2 = 1/2, see this shear. Their sum is
  // 8 V 6 k / H^2 (1 - q^2)^2 spacing^2 = 3 / pi of nu, at 0.98 of the volume. Implicit steps of
  // single pairs take up to 2 c dt = 1.2 % off.
  const double exact = nu * pi * pi * dt * steps * 0.98 * 3 / pi;
  CHECK(std::log(start / amplitude()) == Approx(exact).epsilon(0.01));
}
