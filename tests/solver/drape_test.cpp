#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

constexpr double pi = 3.14159265358979;

// Cusick's drapemeter (BS 5058): a disc of cloth of 0.3 m between two of 0.18 m, its rim hanging.
// So many rings of triangles; a millimetre of unevenness, from which folds may grow.
struct Disc {
  static constexpr double radius = 0.15, support = 0.09;
  std::string positions, triangles, held;
  int rim, points = 0;  // points of the rim, the last ones, and in all

  explicit Disc(int rings) : rim(6 * rings) {
    unsigned random = 1;
    for (int k = 0; k <= rings; ++k)
      for (int m = 0; m < std::max(1, 6 * k); ++m, ++points) {
        random = random * 1664525u + 1013904223u;
        const double r = radius * k / rings, a = 2 * pi * m / std::max(1, 6 * k);
        const bool flat = r < 1.001 * support;
        if (flat) held += fmt::format("{}{}", points ? ", " : "", points);
        positions += fmt::format("{}[{}, {}, {}]", points ? ", " : "", r * std::cos(a),
                                 flat ? 0 : 2e-3 * (random / 0x1p32 - 0.5), r * std::sin(a));
      }
    for (int k = 1; k <= rings; ++k)
      for (int s = 0; s < 6; ++s)
        for (int m = 0; m < k; ++m) {
          const int b = at(k, s * k + m + 1), c = at(k - 1, s * (k - 1) + m);
          add(at(k, s * k + m), b, c);
          if (m < k - 1) add(b, at(k - 1, s * (k - 1) + m + 1), c);
        }
  }
  // Shadow of what hangs over that of what might.
  double coefficient(const std::vector<Vec3d>& x) const {
    const auto area = [&](const auto& place) {
      double twice = 0;
      for (int m = 0; m < rim; ++m) {
        const Vec3d a = place(m), b = place((m + 1) % rim);
        twice += a[0] * b[2] - a[2] * b[0];
      }
      return twice / 2 - pi * support * support;
    };
    return area([&](int m) { return x[std::size_t(points - rim + m)]; }) / area([&](int m) {
             const double a = 2 * pi * m / rim;
             return Vec3d{{radius * std::cos(a), 0, radius * std::sin(a)}};
           });
  }

 private:
  static int at(int ring, int m) {
    return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + m % (6 * ring);
  }
  void add(int a, int b, int c) {
    triangles += fmt::format("{}{}, {}, {}", triangles.empty() ? "" : ", ", a, b, c);
  }
};

double drape_coefficient(int rings, double stiffness, const char* model) {
  const Disc d(rings);
  MeshScene s{.mesh = fmt::format(R"("nodes": {{"positions": [{}], "triangles": [{}]}})",
                                  d.positions, d.triangles),
              .weight = R"("density": 0.2)",
              .stages = hold(fmt::format(R"("points": [{}])", d.held)) +
                        fmt::format(R"(, {{"type": "xpbd", "mesh": "m", "bending": "{}",
                          "rest_shape": "flat", "bending_stiffness": {}, "damping": 3,
                          "substeps": 20}})",
                                    model, stiffness)};
  Running r(s.text(), Exec::cpu(1));
  r.advance(400);
  return d.coefficient(places(r));
}

}  // namespace

// Folds are many states of nearly one energy: real cloth scatters by some hundredths as well.
TEST_CASE("drape: the drape coefficient is the same on finer meshes and grows with stiffness",
          "[slow]") {
  double before = 0;
  for (const double stiffness : {5e-6, 2e-5, 8e-5, 3.2e-4}) {
    const double coarse = drape_coefficient(10, stiffness, "isometric");
    CHECK(coarse > before + 0.05);
    CHECK(drape_coefficient(15, stiffness, "isometric") == Approx(coarse).margin(0.05));
    before = coarse;
  }
  CHECK(before > 0.95);  // stiff cloth does not drape
  CHECK(before < 1);
}

TEST_CASE("drape: three meshes and both models of bending drape alike", "[slow]") {
  const double fine = drape_coefficient(20, 8e-5, "isometric");
  for (const char* model : {"isometric", "dihedral"})
    for (const int rings : {10, 15})
      CHECK(drape_coefficient(rings, 8e-5, model) == Approx(fine).margin(0.05));
}
