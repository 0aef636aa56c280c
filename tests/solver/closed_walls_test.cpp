#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <vector>

#include "support/running.h"
#include "support/temporary_folder.h"

// Closed meshes as walls: no row gets in, however the samples lie.
using namespace rtsim;

namespace {

struct Triangle {
  Vec3d corners[3];
};

// A ring of a round cross-section with a blade on top that thins out to nothing, turned by angles
// that fit no lattice.
struct Ring {
  double radius, tube, angle;
  int around = 18, across = 8;

  Vec3d at(int i, int j) const {
    const double pi = 3.14159265358979323846;
    const double u = 2 * pi * i / around, v = 2 * pi * j / across;
    const double blade = j == 2 ? 2.2 : 1;  // of the cross-section's top corner
    const double r = radius + tube * std::cos(v), h = blade * tube * std::sin(v);
    return turned({{r * std::cos(u), h, r * std::sin(u)}});
  }
  // About x, then about z.
  Vec3d turned(const Vec3d& x) const {
    const double c = std::cos(angle), s = std::sin(angle), c2 = std::cos(1.7 * angle),
                 s2 = std::sin(1.7 * angle);
    const Vec3d y{{x[0], c * x[1] - s * x[2], s * x[1] + c * x[2]}};
    return {{c2 * y[0] - s2 * y[1] + 0.5, s2 * y[0] + c2 * y[1] + 0.3, y[2] + 0.3}};
  }
  std::vector<Triangle> triangles() const {
    std::vector<Triangle> all;
    for (int i = 0; i < around; ++i)
      for (int j = 0; j < across; ++j) {
        const Vec3d a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
        all.push_back({{a, b, c}}), all.push_back({{a, c, d}});
      }
    return all;
  }
  void write(const std::string& file) const {
    std::ofstream out(file);
    for (int i = 0; i < around; ++i)
      for (int j = 0; j < across; ++j) {
        const Vec3d x = at(i, j);
        out << fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
      }
    const auto index = [&](int i, int j) { return 1 + i % around * across + j % across; };
    for (int i = 0; i < around; ++i)
      for (int j = 0; j < across; ++j)
        out << fmt::format("f {} {} {} {}\n", index(i, j), index(i + 1, j), index(i + 1, j + 1),
                           index(i, j + 1));
  }
};

// How often the surface goes round x: the sum of the solid angles of its triangles over 4 pi (Van
// Oosterom & Strackee, IEEE Trans. Biomed. Eng. 30, 1983).
double winding(const std::vector<Triangle>& surface, const Vec3d& x) {
  double sum = 0;
  for (const Triangle& t : surface) {
    const Vec3d a = t.corners[0] - x, b = t.corners[1] - x, c = t.corners[2] - x;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    sum += 2 * std::atan2(dot(a, cross(b, c)),
                          la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4 * 3.14159265358979323846);
}

int inside(Running& r, const std::vector<Triangle>& surface) {
  int n = 0;
  for (const auto& x : r.world().table("water").download<Vec<3>>("position"))
    n += std::abs(winding(surface, widen(x))) > 0.5;
  return n;
}

std::string poured(const std::string& type, const std::string& mesh, double spacing, double dt) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1000}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": {}, "velocity": [0, -2, 0],
        "fill": {{"box": {{"min": [0.1, 0.75, 0], "max": [0.9, 1, 0.6]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, -0.3, 0], "max": [1, 2, 0.6]}}, "inside": true}}}},
      {{"name": "ring", "kind": "boundary", "shape": {{"mesh": {{"file": "{}"}}}}}}],
    "stages": [{{{}, "fluid": "water", "boundary": ["tank", "ring"]}}], "output": []}})",
      dt, spacing, mesh, type);
}

}  // namespace

TEST_CASE("closed walls: no row gets into a mesh, turned anyhow and as thin as it likes",
          "[long]") {
  struct Case {
    const char* type;
    double spacing, dt, angle;
  };
  const Case cases[] = {{R"("type": "dfsph")", 0.053, 0.0031, 0.37},
                        {R"("type": "iisph")", 0.047, 0.0023, 1.13},
                        {R"("type": "pcisph", "substeps": 2)", 0.059, 0.0029, 2.41},
                        {R"("type": "wcsph", "substeps": 7)", 0.061, 0.0021, 0.71},
                        {R"("type": "pbf")", 0.057, 0.0033, 1.97},
                        {R"("type": "sph_clavet", "substeps": 3)", 0.055, 0.0027, 0.19},
                        {R"("type": "sph_mueller", "substeps": 4)", 0.058, 0.0025, 2.9},
                        {R"("type": "sph_bodin")", 0.054, 0.0024, 0.53}};
  const TemporaryFolder folder;
  const std::string mesh = folder.path / "ring.obj";
  for (const Case& c : cases) {
    INFO(c.type << " at " << c.spacing << " m");
    const Ring ring{0.28, 0.07, c.angle};
    ring.write(mesh);
    Running r(poured(c.type, mesh, c.spacing, c.dt), Exec::cpu(2));
    for (int look = 0; look < 4; ++look) {
      r.advance(std::lround(0.1 / c.dt));
      CHECK(inside(r, ring.triangles()) == 0);
      CHECK(r.measure("water.rows_in_walls") == 0);
    }
  }
}

TEST_CASE("closed walls: rows_in_walls counts what is inside, however deep") {
  const TemporaryFolder folder;
  const Ring ring{0.28, 0.12, 0.37};
  ring.write(folder.path / "ring.obj");
  Running r(poured(R"("type": "dfsph")", folder.path / "ring.obj", 0.03, 0.001), Exec::cpu(1));
  Table& t = r.world().table("water");
  auto x = t.download<Vec<3>>("position");
  // Every seventh row goes to a circle through the middle of the tube, four spacings deep.
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i % 7 == 0) {
      const double u = 0.01 * double(i);
      x[i] = narrow<3>(ring.turned({{0.28 * std::cos(u), 0, 0.28 * std::sin(u)}}));
    }
  r.world().exec.upload(t.column<Vec<3>>("position").data, x.data(), x.size() * sizeof x[0]);
  const int known = inside(r, ring.triangles());
  REQUIRE(known == int((x.size() + 6) / 7));
  CHECK(r.measure("water.rows_in_walls") == known);
}
