#include "meshes/stuffing.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "meshes/mesh_spec.h"
#include "meshes/tet_quality.h"
#include "support/source_folder.h"

using namespace rtsim;
using Catch::Contains;

namespace {

ShapeSpec ball(double radius) {
  ShapeSpec s;
  s.sphere = SphereSpec{{{0.3, -0.2, 0.1}}, radius};
  return s;
}

ShapeSpec box(const Vec3d& half) {
  ShapeSpec s;
  s.box = BoxSpec{-half, half};
  return s;
}

// A block with a bore through it and a dome on it.
ShapeSpec machined() {
  ShapeSpec bore, dome, all, cut;
  bore.cylinder = CylinderSpec{{{0, -2, 0.1}}, {{0, 2, 0.1}}, 0.31};
  dome.ellipsoid = EllipsoidSpec{{{0.2, 0.5, 0}}, {{0.6, 0.4, 0.5}}};
  all.any_of = {box({{1, 0.5, 0.7}}), dome};
  cut.difference = {all, bore};
  return cut;
}

ShapeSpec file(const char* path) {
  ShapeSpec s;
  s.mesh = MeshSpec{{source_folder() + "/" + path}};
  return s;
}

CellMesh stuffed(ShapeSpec shape, double spacing, const TransformSpec& t = {}) {
  shape.transform = t;
  CellMeshSpec s;
  s.solid = SolidSpec{{shape}, spacing, SolidSpec::Method::stuffing};
  return make_cells(s);
}

// Every face is of one tet or of two, and the faces of one alone make a closed surface.
void check_conforming(const CellMesh& m) {
  std::map<std::pair<int, int>, int> ways;
  double under = 0;
  for (const auto& t : boundary_of(m.tets)) {
    for (std::size_t k = 0; k < 3; ++k) ++ways[{t[k], t[(k + 1) % 3]}];
    const auto at = [&](int k) { return m.points[std::size_t(t[std::size_t(k)])]; };
    under += dot(at(0), cross(at(1), at(2))) / 6;
  }
  bool closed = true;
  for (const auto& [edge, count] : ways) closed &= ways[{edge.second, edge.first}] == count;
  CHECK(closed);
  CHECK(under == Approx(quality_of(m).volume).epsilon(1e-10));
}

const TransformSpec places[] = {{},
                                {{{0.37, -1.2, 3}}, {{1, 2, 3}}, 33, 1},
                                {{{-5, 0.01, 0.2}}, {{-2, 1, 0.3}}, 211, 1.3},
                                {{{0, 0, 0}}, {{0, 1, 0}}, 45, 0.9}};

}  // namespace

TEST_CASE("stuffing: every dihedral angle is within the method's bounds, and faces meet") {
  const ShapeSpec shapes[] = {ball(0.7),
                              box({{1, 0.6, 0.4}}),
                              box({{0.5, 0.5, 0.5}}),
                              machined(),
                              file("configs/smoke/ball.obj"),
                              file("configs/rigid/ring.obj"),
                              file("configs/couple/boat.obj")};
  for (ShapeSpec spec : shapes) {
    const Bounds b = make_shape(spec, 3)->bounds();
    for (const TransformSpec& t : places) {
      spec.transform = t;
      const auto shape = make_shape(spec, 3);
      for (const double cells : {12.1, 19.3}) {
        const CellMesh m = stuff(*shape, t.scale * norm(b.max - b.min) / cells);
        REQUIRE(m.tets.size() > 100);
        const TetQuality q = quality_of(m);
        INFO(tell_tets(m));
        CHECK(q.least_angle > least_stuffed_angle);
        CHECK(q.greatest_angle < greatest_stuffed_angle);
        check_conforming(m);
      }
    }
  }
}

TEST_CASE("stuffing: cells that grow inwards keep the surface, the volume and the angles",
          "[long]") {
  for (ShapeSpec spec : {ball(0.7), box({{1, 0.6, 0.4}}), machined()})
    for (const TransformSpec& t : places) {
      spec.transform = t;
      const auto shape = make_shape(spec, 3);
      const double spacing = t.scale / 23.7;
      const CellMesh fine = stuff(*shape, spacing);
      std::size_t before = fine.tets.size();
      for (const double times : {2., 4., 16.}) {
        const CellMesh m = stuff(*shape, spacing, times * spacing);
        INFO(tell_tets(m));
        const TetQuality q = quality_of(m);
        CHECK(q.least_angle > least_stuffed_angle);
        CHECK(q.greatest_angle < greatest_stuffed_angle);
        CHECK(q.pieces == 1);
        check_conforming(m);
        CHECK(q.volume == Approx(quality_of(fine).volume).epsilon(1e-11));  // as sums round
        CHECK(boundary_of(m.tets).size() == boundary_of(fine.tets).size());
        CHECK(m.tets.size() <= before);
        before = m.tets.size();
      }
      CHECK(4 * before < 3 * fine.tets.size());
    }
}

namespace {

// Waves so short that the lattice sees noise: signs and cuts as no smooth surface has them.
class Noise : public Shape {
 public:
  explicit Noise(double phase) : phase_(phase) {}
  double distance(const Vec3d& x) const override {
    const double wave = std::sin(91 * x[0] + 57 * x[1] + phase_) + std::sin(83 * x[1] - 71 * x[2]) +
                        std::sin(67 * x[2] + 79 * x[0] * x[1]);
    return std::max(0.2 * wave, norm(x) - 1);
  }
  Bounds bounds() const override { return {{{-1, -1, -1}}, {{1, 1, 1}}}; }

 private:
  double phase_;
};

}  // namespace

// The bounds hold for any function: no smoothness is asked for.
TEST_CASE("stuffing: the angles' bounds hold for noise") {
  for (const double phase : {0.0, 1.1, 2.7}) {
    const CellMesh m = stuff(Noise(phase), 0.11);
    CHECK(m.tets.size() > 5000);
    const TetQuality q = quality_of(m);
    CHECK(q.least_angle > least_stuffed_angle);
    CHECK(q.greatest_angle < greatest_stuffed_angle);
    check_conforming(m);
  }
}

// Chords of a round surface, and edges cut off: both lose of the order of spacing^2.
TEST_CASE("stuffing: the volume comes to the shape's at second order") {
  for (const auto& [shape, exact] :
       {std::pair{ball(0.7), 4.0 / 3 * 3.14159265358979 * 0.343}, {box({{1, 0.6, 0.4}}), 1.92}})
    for (const double angle : {17.0, 61.0}) {
      const TransformSpec t{{{0.1, 0.2, 0.3}}, {{1, -2, 0.7}}, angle, 1};
      const auto lost = [&](double spacing) {
        const CellMesh m = stuffed(shape, spacing, t);
        CHECK(m.shape_volume == Approx(exact).epsilon(2e-3));
        return exact - quality_of(m).volume;
      };
      const double order = std::log2(lost(0.2) / lost(0.05)) / 2;
      CHECK(order > 1.8);
      CHECK(order < 2.3);
    }
}

TEST_CASE("stuffing: the boundary's points lie on the surface") {
  const ShapeSpec spec = machined();
  const CellMesh m = stuffed(spec, 0.13);
  const auto shape = make_shape(spec, 3);
  double farthest = 0;
  for (const auto& t : boundary_of(m.tets))
    for (const auto p : t)
      farthest = std::max(farthest, std::abs(shape->distance(m.points[std::size_t(p)])));
  CHECK(farthest < 1e-6 * 0.13);
}

TEST_CASE("stuffing: a regular tet's and a cube corner's angles are those of the books") {
  CellMesh m;
  m.points = {{{1, 1, 1}}, {{1, -1, -1}}, {{-1, 1, -1}}, {{-1, -1, 1}}};
  m.tets = {{0, 1, 2, 3}};
  CHECK(quality_of(m).least_angle == Approx(std::acos(1.0 / 3) * 180 / 3.14159265358979));
  CHECK(quality_of(m).greatest_angle == Approx(quality_of(m).least_angle));
  m.points = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  CHECK(quality_of(m).greatest_angle == Approx(90));
  CHECK(quality_of(m).least_angle ==
        Approx(std::acos(1 / std::sqrt(3.0)) * 180 / 3.14159265358979));
  CHECK_THAT(tell_tets(m), Contains("1 tetrahedra with 4 points, 0.166667 m^3, dihedral angles of "
                                    "54.7 to 90 degrees"));
}

TEST_CASE("stuffing: a shape that falls into pieces is said to") {
  ShapeSpec pair, other = ball(0.3);
  other.sphere->centre[0] += 1;
  pair.any_of = {ball(0.3), other};
  CHECK_THAT(tell_tets(stuffed(pair, 0.1)), Contains(", in 2 pieces, dihedral"));
}

// Its tets are far smaller than its length cubed.
TEST_CASE("stuffing: a shape of 200 spacings' length is filled") {
  ShapeSpec rod;
  rod.capsule = CapsuleSpec{{{-1, 0.01, 0}}, {{1, 0, 0.02}}, 0.02};
  const CellMesh m = stuffed(rod, 0.01);
  CHECK(m.tets.size() > 1000);
  check_conforming(m);
}

TEST_CASE("stuffing: a shape that no lattice point is in, or that has no end, is refused") {
  CHECK_THROWS_WITH(stuffed(box({{1, 1, 0.01}}), 5), Contains("use a smaller spacing"));
  ShapeSpec plane;
  plane.plane = PlaneSpec{};
  CHECK_THROWS_WITH(stuffed(plane, 0.1), Contains("cut an infinite shape by a box"));
}
