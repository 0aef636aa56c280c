#include "shapes/deforming_mesh.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <functional>

#include "base/error.h"
#include "base/numbered_files.h"
#include "boundary/place_bound.h"
#include "support/temporary_folder.h"

using namespace rtsim;

namespace {

using Places = std::vector<Vec3d>;

const Places unit_tet{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};

void write_tet(const std::filesystem::path& path, const Places& corners) {
  std::ofstream file(path);
  for (const Vec3d& x : corners) file << fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
  file << "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
}

Places moved(const std::function<Vec3d(const Vec3d&)>& map) {
  Places c;
  for (const Vec3d& x : unit_tet) c.push_back(map(x));
  return c;
}

struct Frames {
  TemporaryFolder folder;
  ShapeSpec shape;
  DeformationSpec spec;

  explicit Frames(const std::vector<Places>& frames) {
    for (std::size_t k = 0; k < frames.size(); ++k) write_tet(path(int(10 * k)), frames[k]);
    shape.mesh = MeshSpec{{path(0).string()}};
    spec.frames.pattern = (folder.path / "tet_##.obj").string();
    spec.fps = 20, spec.start = 1;
  }
  std::filesystem::path path(int number) const {
    return folder.path / fmt::format("tet_{:02}.obj", number);
  }
  std::string fault() const {
    try {
      DeformingMesh(shape, spec);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
};

double greatest(const Places& a, const Places& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, norm(a[i] - b[i]));
  return most;
}

}  // namespace

TEST_CASE("deforming mesh: corners move on straight lines, and stand before and after") {
  const auto shear = [](const Vec3d& x) { return Vec3d{{x[0] + 0.5 * x[1], x[1], 1.25 * x[2]}}; };
  const Frames f({unit_tet, moved(shear), moved(shear)});
  const DeformingMesh m(f.shape, f.spec);
  for (const double part : {0.125, 0.5, 0.71, 1.0}) {  // the frames are 0.5 s apart from 1 s on
    const auto s = m.at(1 + 0.5 * part);
    Places x, v;
    for (const Vec3d& c : unit_tet)
      x.push_back(c + part * (shear(c) - c)), v.push_back(2 * (shear(c) - c));
    CHECK(greatest(s.position, x) < 1e-14);
    CHECK(greatest(s.velocity, v) < 1e-14);
  }
  for (const double time : {-3., 0.5, 1.}) {
    CHECK(greatest(m.at(time).position, unit_tet) == 0);
    CHECK(greatest(m.at(time).velocity, Places(4)) == 0);
  }
  for (const double time : {1.8, 2.0, 7.0}) {
    CHECK(greatest(m.at(time).position, moved(shear)) < 1e-14);
    CHECK(greatest(m.at(time).velocity, Places(4)) == 0);
  }
  CHECK(m.greatest_stretch() == Approx(1.25));
}

// Whether it ends between frames, has passed some, or begins before the first or ends after the
// last.
TEST_CASE(
    "deforming mesh: over a step the velocity is that of the way, whatever frames it passes") {
  const Frames f({unit_tet, moved([](const Vec3d& x) {
                    return x + Vec3d{{1, 0, 0}};
                  }),
                  moved([](const Vec3d& x) {
                    return x + Vec3d{{1, 3, 0}};
                  })});
  const DeformingMesh m(f.shape, f.spec);
  for (const double dt : {0.03, 0.4, 0.7, 2.3})
    for (const double time : {1.2, 1.51, 1.9, 2.0, 2.02, 3.0}) {
      const auto now = m.at(time, {}, dt), earlier = m.at(time - dt);
      Places way;
      for (std::size_t i = 0; i < 4; ++i)
        way.push_back(1 / dt * (now.position[i] - earlier.position[i]));
      CHECK(greatest(now.velocity, way) < 1e-12);
    }
  CHECK(m.greatest_speed() == Approx(6));
}

TEST_CASE("deforming mesh: the transform holds for the frames, and a motion moves the whole") {
  Frames f({unit_tet, moved([](const Vec3d& x) { return x + Vec3d{{0, 1, 0}}; })});
  f.shape.transform.scale = 2, f.shape.transform.translate = {{1, 0, 0}};
  MotionSpec motion;
  motion.velocity = {{0, 0, 3}};
  const auto s = DeformingMesh(f.shape, f.spec).at(1.25, motion);
  CHECK(norm(s.position[1] - Vec3d{{3, 1, 3.75}}) < 1e-14);
  CHECK(norm(s.velocity[1] - Vec3d{{0, 4, 3}}) < 1e-14);
}

TEST_CASE("deforming mesh: what is no sequence of the mesh is told with the file") {
  Frames f({unit_tet, unit_tet, unit_tet});
  CHECK(f.fault() == "");
  write_tet(f.path(10), moved([](const Vec3d& x) { return -x; }));
  CHECK(f.fault().find("tet_10.obj: the mesh is turned inside out") != std::string::npos);
  std::ofstream(f.path(10)) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  CHECK(f.fault().find("tet_10.obj: has 3 corners and 1 triangles") != std::string::npos);
  std::filesystem::remove(f.path(10));
  CHECK(f.fault() == "");  // 0, 20
  write_tet(f.path(30), unit_tet);
  CHECK(f.fault().find("tet_10.obj is missing") != std::string::npos);
  CHECK(number_in(f.spec.frames.pattern, f.path(7).string()) == 7);
  CHECK_FALSE(number_in(f.spec.frames.pattern, (f.folder.path / "tet_7.obj").string()));
  CHECK_FALSE(number_in(f.spec.frames.pattern, (f.folder.path / "tet_007.obj").string()));
  CHECK(number_in(f.spec.frames.pattern, (f.folder.path / "tet_123.obj").string()) == 123);
}

// x(t + e) - x(t - e) over 2 e, of a triangle that stretches and turns, for places off it.
TEST_CASE("deforming mesh: samples bound to a triangle have the velocity of their way") {
  const Vec<3> p[3] = {{{0, 0, 0}}, {{1, 0.2f, 0}}, {{0.1f, 0.9f, 0.3f}}};
  const Vec<3> v[3] = {{{1, -0.5f, 0.2f}}, {{0.3f, 0.8f, -1}}, {{-0.4f, 0.6f, 0.7f}}};
  const std::vector<boundary::Bound> bound{
      {{{0, 1, 2}}, {{Real(0.2), Real(0.5), Real(0.3)}}, {{Real(0.1), Real(-0.05), Real(-0.2)}}}};
  const auto place = [&](Real t, Vec<3>& velocity) {
    std::vector<Vec<3>> x(3), u(v, v + 3), to(1), rate(1);
    for (int k = 0; k < 3; ++k) x[std::size_t(k)] = p[k] + t * v[k];
    boundary::place_bound(Exec::cpu(1), {bound.data(), 1}, {x.data(), 3}, {u.data(), 3},
                          {to.data(), 1}, {rate.data(), 1});
    velocity = rate[0];
    return widen(to[0]);
  };
  const Real e = Real(0.01);
  Vec<3> there, before, after;
  const Vec3d low = place(-e, before), high = place(e, after);
  place(0, there);
  CHECK(norm((0.5 / double(e)) * (high - low) - widen(there)) < 1e-3);
}
