#include <numbers>

#include "support/fem_scenes.h"

// Pressure on faces.
using namespace rtsim;
using namespace rtsim::testing;

namespace {

const std::string still = R"("newton_iterations": 1, "cg_tolerance": 1e-6, "cg_iterations": 20000)";
constexpr double E = 1e6;

MeshScene scene_of(const std::string& mesh, const std::string& more, double dt) {
  return {.mesh = mesh,
          .weight = R"("density": 1000)",
          .stages = fem_stage(R"("youngs_modulus": 1e6, )" + more),
          .dt = dt,
          .gravity = "[0, 0, 0]"};
}

// A ring of radii 1 and 2 in the plane, of cells along and through it.
std::string ring(int along, int through, int order) {
  std::string positions, triangles;
  for (int j = 0; j <= through; ++j)
    for (int i = 0; i < along; ++i) {
      const double angle = 2 * std::numbers::pi * i / along, r = 1 + double(j) / through;
      positions += fmt::format("{}[{}, {}, 0]", positions.empty() ? "" : ", ", r * std::cos(angle),
                               r * std::sin(angle));
    }
  for (int j = 0; j < through; ++j)
    for (int i = 0; i < along; ++i) {
      const int a = i + along * j, b = (i + 1) % along + along * j, c = a + along, d = b + along;
      triangles +=
          fmt::format("{}{}, {}, {}, {}, {}, {}", triangles.empty() ? "" : ", ", a, d, b, a, c, d);
    }
  return fmt::format(R"("nodes": {{"positions": [{}], "triangles": [{}]}}, "order": {})", positions,
                     triangles, order);
}

}  // namespace

TEST_CASE("fem: pressure all round shrinks a block by p / K, and moves it nowhere") {
  const double p = 1000, K = E / (3 * (1 - 0.6));
  Running r(scene_of(block("[0.5, 0.3, 0.2]", "[3, 2, 2]") +
                         R"(, "transform": {"axis": [1, 2, 3], "angle": 40})",
                     R"("material": "linear", "pressures": [{"pressure": 1000}], )" + still, 0.05)
                .text(),
            Exec::cpu(1));
  r.advance(40);
  CHECK(r.measure("m.volume_ratio_min") == Approx(1 - p / K).epsilon(1e-5));
  CHECK(r.measure("m.von_mises_max") < 3e-3 * p);  // places round to 3e-8 m
  // The faces are smaller then, by p / K of a third each way.
  CHECK(r.measure("m.elastic_energy") ==
        Approx(0.03 * p * p / (2 * K) * (1 - 4 * p / (3 * K))).epsilon(5e-4));
}

TEST_CASE("fem: a thick ring under pressure opens as Lame's, nearly incompressible too") {
  // u(a) = (1 + nu) / E p a^2 / (b^2 - a^2) ((1 - 2 nu) a + b^2 / a), in plane strain.
  struct Case {
    int order;
    double nu;
  };
  for (const Case& c : {Case{1, 0.3}, Case{2, 0.3}, Case{2, 0.49}, Case{2, 0.499}}) {
    const double p = 1000;
    const MeshScene s = scene_of(ring(48 / c.order, 8 / c.order, c.order),
                                 fmt::format(R"("material": "linear", "poissons_ratio": {},
                       "pressures": [{{"pressure": {},
                           "inside": {{"sphere": {{"centre": [0, 0, 0], "radius": 1.001}}}}}}], {})",
                                             c.nu, p, still),
                                 0.05);
    Running r(s.text(), Exec::cpu(1));
    const auto rest = places(r);
    r.advance(60);
    const auto x = places(r);
    double opens = 0, n = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (norm(rest[i]) < 1.0001 && norm(rest[i]) > 0.9999)
        opens += norm(x[i]) - norm(rest[i]), n += 1;
    INFO("order " << c.order << ", nu " << c.nu);
    const double exact = (1 + c.nu) / E * p / 3 * ((1 - 2 * c.nu) + 4);
    CHECK(opens / n == Approx(exact).epsilon(0.02));
  }
}

TEST_CASE("fem: pressure turns with its face, and follows its times") {
  // On the face x = 1 of a stiff cube that is turned by 90 degrees about z: then it pushes along
  // -y.
  MeshScene s = scene_of(
      block("[1, 1, 1]", "[2, 2, 2]"),
      R"("material": "corotational", "integrator": "newmark", "pressures": [{"pressure": 500,
                             "inside": {"box": {"min": [0.999, -1, -1], "max": [9, 9, 9]}},
                             "times": [0, 0.1, 0.3], "factors": [0, 1, 1]}])",
      0.01);
  Running r(s.text(), Exec::cpu(1));
  put(r, "position", [](std::size_t, const Vec3d& x) { return Vec3d{{-x[1], x[0], x[2]}}; });
  r.advance(10);
  CHECK(motion(r).momentum[1] == Approx(-500 * 0.05).epsilon(1e-3));
  CHECK(std::abs(motion(r).momentum[0]) < 1e-2);
  r.advance(10);
  CHECK(motion(r).momentum[1] == Approx(-500 * 0.15).epsilon(1e-3));
  // What it feeds is what is there.
  CHECK(r.measure("m.fed_energy") ==
        Approx(r.measure("m.kinetic_energy") + r.measure("m.elastic_energy")).epsilon(0.02));
}

TEST_CASE("fem: pressure on no face is refused") {
  CHECK(refusal(scene_of(block("[1, 1, 1]", "[1, 1, 1]"),
                         R"("pressures": [{"pressure": 1,
                             "inside": {"sphere": {"centre": [9, 9, 9], "radius": 1}}}])",
                         0.01)
                    .text(),
                0)
            .find("\"pressures\" 0 is on no face of 'm'") != std::string::npos);
}
