#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "support/mesh_scenes.h"
#include "support/source_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// Held by its six highest points along an axis; checks that it starts and stays free of
// intersections.
void hang(const std::filesystem::path& file, int up, int steps) {
  INFO(file.string());
  const auto scene = [&](const std::string& held) {
    return MeshScene{.mesh = fmt::format(R"("surface": {{"file": "{}"}})", file.string()),
                     .weight = R"("density": 0.3)",
                     .stages = hold(fmt::format(R"("points": [{}])", held)) +
                               R"(, {"type": "xpbd", "mesh": "m", "stretch_compliance": 1e-6,
                        "bending_stiffness": 5e-5, "damping": 1, "substeps": 10, "tethers": 2,
                        "thickness": 0.005, "self_contact": true})",
                     .gravity = up == 1 ? "[0, -9.81, 0]" : "[0, 0, -9.81]"};
  };
  Running start(scene("0").text(), Exec::cpu(1));
  const auto x = places(start);
  std::vector<int> highest(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) highest[i] = int(i);
  std::ranges::stable_sort(
      highest, [&](int a, int b) { return x[std::size_t(a)][up] > x[std::size_t(b)][up]; });
  std::string held;
  for (std::size_t k = 0; k < 6; ++k) held += fmt::format("{}{}", k ? ", " : "", highest[k]);
  Running r(scene(held).text(), Exec::cpu(1));
  CHECK(r.measure("m.intersections") == 0);
  for (int k = 0; k < 5; ++k) {
    r.advance(steps / 5);
    CHECK(r.measure("m.intersections") == 0);
  }
  CHECK(r.measure("m.mean_strain") < 0.02);
  // An edge beside a held point bears much of the weight; of the poncho it was 1.25 without
  // tethers.
  CHECK(r.measure("m.max_strain") < 0.35);
}

struct Capsule {
  Vec3d a, b;
  double radius;
};
struct Worn {
  std::filesystem::path file;
  int up;              // axis
  double most_strain;  // of any edge, at any time
  std::vector<Capsule> body;
};

double distance(const Vec3d& x, const std::vector<Capsule>& body) {
  double least = 1e9;
  for (const Capsule& c : body) {
    const Vec3d along = c.b - c.a;
    const double l2 = dot(along, along);
    const double s = l2 > 0 ? std::clamp(dot(x - c.a, along) / l2, 0., 1.) : 0;
    least = std::min(least, norm(x - c.a - s * along) - c.radius);
  }
  return least;
}

// Of corners and middles of triangles and edges from the body.
double nearest(Running& r, const std::vector<Capsule>& body) {
  const auto x = places(r);
  double least = 1e9;
  for (const auto& t : r.world().table("m.triangles").download<Corners<3>>("corners")) {
    const Vec3d &a = x[std::size_t(t[0])], &b = x[std::size_t(t[1])], &c = x[std::size_t(t[2])];
    for (const Vec3d& p :
         {a, b, c, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), 1. / 3 * (a + b + c)})
      least = std::min(least, distance(p, body));
  }
  return least;
}

std::vector<double> edges(Running& r) {
  std::vector<double> length;
  const auto x = places(r);
  for (const auto& e : r.world().table("m.edges").download<Corners<2>>("corners"))
    length.push_back(norm(x[std::size_t(e[0])] - x[std::size_t(e[1])]));
  return length;
}

const char* const xpbd_cloth =
    R"("type": "xpbd", "stretch_compliance": 1e-6, "bending_stiffness": 5e-5, "damping": 1, "substeps": 20)";
const char* const implicit_cloth = R"("type": "cloth_implicit", "stretch_change": 0.05, "drag": 1)";

std::string boundary(const std::string& name, const Capsule& c) {
  const auto at = [](const Vec3d& p) { return fmt::format("[{}, {}, {}]", p[0], p[1], p[2]); };
  const bool ball = norm(c.b - c.a) == 0;
  const std::string form =
      ball ? fmt::format(R"("sphere": {{"centre": {}, "radius": {}}})", at(c.a), c.radius)
           : fmt::format(R"("capsule": {{"a": {}, "b": {}, "radius": {}}})", at(c.a), at(c.b),
                         c.radius);
  return fmt::format(R"({{"name": "{}", "kind": "boundary", "shape": {{{}}}}})", name, form);
}

double mean_height(Running& r, int up) {
  double sum = 0;
  const auto x = places(r);
  for (const Vec3d& p : x) sum += p[up];
  return sum / double(x.size());
}

void wear(const Worn& w, const std::string& solver, int steps) {
  INFO(w.file.string() << " " << solver);
  std::string body, names;
  for (std::size_t k = 0; k < w.body.size(); ++k) {
    const std::string name = fmt::format("b{}", k);
    body += ", " + boundary(name, w.body[k]);
    names += fmt::format(R"({}"{}")", k ? ", " : "", name);
  }
  const std::string text = fmt::format(
      R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": 0.01, "steps_per_frame": 1,
           "frames": 1000000}}, "objects": [{{"name": "m", "kind": "mesh",
           "mesh": {{"surface": {{"file": "{}"}}}}, "density": 0.3}}{}],
           "stages": [{{"mesh": "m", {}, "boundary": [{}], "touch": "faces", "thickness": 0.005,
                        "friction": 0.4, "self_contact": true}}], "output": []}})",
      w.up == 1 ? "[0, -9.81, 0]" : "[0, 0, -9.81]", w.file.string(), body, solver, names);
  Running r(text, Exec::cpu(2));
  CHECK(r.measure("m.intersections") == 0);
  const auto rest = edges(r);
  const double start = mean_height(r, w.up);
  double fastest = 0;
  for (int k = 0; k < 20; ++k) {
    r.advance(steps / 20);
    CHECK(r.measure("m.intersections") == 0);
    // Triangles stop short at four fifths of the 5 mm; a few places of each are looked at.
    CHECK(nearest(r, w.body) > 0.0039);
    double mean = 0, most = 0;
    const auto l = edges(r);
    for (std::size_t e = 0; e < l.size(); ++e) {
      const double strain = std::abs(l[e] / rest[e] - 1);
      mean += strain / double(l.size()), most = std::max(most, strain);
    }
    CHECK(mean < 0.025);
    CHECK(most < w.most_strain);
    fastest = std::max(fastest, r.measure("m.kinetic_energy"));
  }
  CHECK(nearest(r, w.body) < 0.006);
  CHECK(r.measure("m.kinetic_energy") < 0.1 * fastest);
  CHECK(start - mean_height(r, w.up) < 0.5);  // it would have fallen by 1.7 m and more
}

}  // namespace

// Flat, so that all are as high and the first six hold it, on the rim of the neck.
TEST_CASE("garments: a poncho hangs by its neck free of intersections", "[long]") {
  hang(source_folder() + "/configs/xpbd/poncho.obj", 1, 50);
}

// Nothing holds it but a body, made of capsules and put inside it.
TEST_CASE("garments: a poncho falls over a head and lies on shoulders and arms", "[long]") {
  const Worn poncho{source_folder() + "/configs/xpbd/poncho.obj",
                    1,
                    0.45,
                    {{{{0, 0.08, 0}}, {{0, 0.08, 0}}, 0.09},
                     {{{0, -0.2, 0}}, {{0, 0.05, 0}}, 0.05},
                     {{{-0.12, -0.22, 0}}, {{0.12, -0.22, 0}}, 0.07},
                     {{{0, -0.25, 0}}, {{0, -0.6, 0}}, 0.14},
                     {{{-0.18, -0.22, 0}}, {{-0.36, -0.6, 0.05}}, 0.05},
                     {{{0.18, -0.22, 0}}, {{0.36, -0.6, 0.05}}, 0.05}}};
  for (const char* solver : {xpbd_cloth, implicit_cloth}) wear(poncho, solver, 60);
}

// Garments by others, in the folder RTSIM_GARMENTS.
TEST_CASE("garments: those by others hang by the shoulders free of intersections", "[slow]") {
  const char* folder = std::getenv("RTSIM_GARMENTS");
  if (!folder) {
    WARN("RTSIM_GARMENTS is not set: skipped");
    return;
  }
  struct Garment {
    const char* file;
    int up;  // axis
  };
  for (const Garment& garment : {Garment{"tshirt.obj", 2}, {"robe.obj", 1}, {"dress3.obj", 2}}) {
    const auto path = std::filesystem::path(folder) / garment.file;
    if (std::filesystem::exists(path))
      hang(path, garment.up, 100);
    else
      FAIL_CHECK(path.string() << " is missing");
  }
}

TEST_CASE("garments: those by others are worn free of intersections", "[slow]") {
  const char* folder = std::getenv("RTSIM_GARMENTS");
  if (!folder) {
    WARN("RTSIM_GARMENTS is not set: skipped");
    return;
  }
  const Worn shirt{"tshirt.obj",
                   2,
                   0.15,
                   {{{{0, 0, -0.35}}, {{0, 0, 0.13}}, 0.1},
                    {{{-0.17, 0.005, 0.21}}, {{0.18, 0.005, 0.21}}, 0.055},
                    {{{-0.17, 0.005, 0.21}}, {{-0.6, 0, 0.17}}, 0.04},
                    {{{0.18, 0.005, 0.21}}, {{0.6, 0, 0.17}}, 0.04},
                    {{{0.015, 0, 0.2}}, {{0.015, 0, 0.45}}, 0.045}}};
  const Worn robe{"robe.obj",
                  1,
                  0.2,
                  {{{{0, -0.8, 0}}, {{0, 0.1, 0}}, 0.17},
                   {{{-0.2, 0.28, 0}}, {{0.2, 0.28, 0}}, 0.08},
                   {{{-0.2, 0.29, 0}}, {{-1.2, 0.25, -0.02}}, 0.06},
                   {{{0.2, 0.29, 0}}, {{1.2, 0.23, -0.03}}, 0.06},
                   {{{0.05, 0.3, -0.02}}, {{0.05, 0.5, -0.04}}, 0.05},
                   {{{0.06, 0.58, -0.05}}, {{0.06, 0.58, -0.05}}, 0.11}}};
  // A few edges of its straps catch all of it, and it bounces on them.
  const Worn dress{"dress3.obj",
                   2,
                   0.6,
                   {{{{-0.335, -0.183, 0.7}}, {{-0.335, -0.183, 1.03}}, 0.1},
                    {{{-0.335, -0.27, 1.1}}, {{-0.335, -0.09, 1.1}}, 0.045},
                    {{{-0.335, -0.09, 1.12}}, {{-0.335, 0.2, 1.1}}, 0.035},
                    {{{-0.335, -0.275, 1.12}}, {{-0.335, -0.56, 1.1}}, 0.035},
                    {{{-0.315, -0.183, 1.05}}, {{-0.315, -0.183, 1.3}}, 0.04}}};
  for (Worn worn : {shirt, robe, dress}) {
    worn.file = std::filesystem::path(folder) / worn.file;
    if (std::filesystem::exists(worn.file))
      for (const char* solver : {xpbd_cloth, implicit_cloth}) wear(worn, solver, 120);
    else
      FAIL_CHECK(worn.file.string() << " is missing");
  }
}
