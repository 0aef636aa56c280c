#include <catch2/catch.hpp>
#include <fstream>

#include "boundaries/contact_solid.h"
#include "shapes_support.h"
#include "support/source_folder.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// A shape as a boundary of a world, and its kernel form.
struct Touched {
  World world{Exec::cpu(1), 3};
  std::unique_ptr<ContactSolid> solid;

  explicit Touched(const ShapeSpec& s) {
    world.objects.push_back({"solid", Kind::boundary, 0, false});
    world.objects.back().shape = make_shape(s, 3);
    solid = std::make_unique<ContactSolid>(world, std::vector<std::string>{"solid"});
  }
};

// Against the host's distances at places all around; normals against its central differences where
// the distance is smooth.
void agree(const ShapeSpec& s) {
  const Touched t(s);
  int smooth = 0;
  for (const Vec3d& x : scatter(400, 1.2)) {
    const contact::Nearest q = nearest(t.solid->view(), narrow<3>(x));
    const Vec3d at = widen(narrow<3>(x));
    CHECK(double(q.distance) == Approx(t.world.objects[0].shape->distance(at)).margin(2e-6));
    Vec3d gradient;
    const double e = 1e-5;
    for (int a = 0; a < 3; ++a) {
      Vec3d before = at, after = at;
      before[a] -= e, after[a] += e;
      gradient[a] =
          (t.world.objects[0].shape->distance(after) - t.world.objects[0].shape->distance(before)) /
          (2 * e);
    }
    if (std::abs(norm(gradient) - 1) > 1e-6 || std::abs(q.distance) < 0.01) continue;
    ++smooth;
    CHECK(norm(widen(q.normal) - gradient) < 1e-3);
  }
  CHECK(smooth > 200);
}

}  // namespace

TEST_CASE("contact: kernels measure the distance of every shape as the shape does") {
  ShapeSpec s = box({{-0.6, -0.3, -0.4}}, {{0.5, 0.3, 0.4}});
  agree(s);
  s.transform = {{{0.1, 0.2, -0.1}}, {{1, 2, 3}}, 50, 0.8};
  agree(s);
  s.inside = true;
  agree(s);
  agree(sphere({{0.1, 0, 0.2}}, 0.6));
  ShapeSpec plane, capsule, cylinder, ellipsoid;
  plane.plane = PlaneSpec{{{0, 0.1, 0}}, {{0.3, 1, -0.2}}};
  agree(plane);
  capsule.capsule = CapsuleSpec{{{-0.4, 0, 0}}, {{0.4, 0.2, 0.1}}, 0.3};
  agree(capsule);
  cylinder.cylinder = CylinderSpec{{{-0.4, 0, 0}}, {{0.4, 0.2, 0.1}}, 0.3};
  agree(cylinder);
  ellipsoid.ellipsoid = EllipsoidSpec{{{0, 0.1, 0}}, {{0.7, 0.3, 0.5}}};
  agree(ellipsoid);
  ShapeSpec both;
  both.difference = {box({{-0.6, -0.3, -0.4}}, {{0.5, 0.3, 0.4}}), capsule, ellipsoid};
  agree(both);
  both.difference.clear();
  both.any_of = {cylinder, sphere({{0.5, 0.5, 0}}, 0.3)};
  both.transform.angle = 30;
  agree(both);
  ShapeSpec nested;
  nested.all_of = {both, box({{-1, -1, -1}}, {{0.4, 1, 1}})};
  nested.transform.scale = 0.9;
  agree(nested);
}

TEST_CASE("contact: kernels measure the distance of meshes as the mesh does, closed and open") {
  ShapeSpec s;
  s.mesh = MeshSpec{{source_folder() + "/configs/smoke/ball.obj"}};
  s.transform = {{{0.1, 0, 0}}, {{0, 1, 1}}, 20, 0.6};
  agree(s);
  const TemporaryFolder folder;
  const std::string file = (folder.path / "leaf.obj").string();
  std::ofstream(file) << "v -1 0 -1\nv 1 0 -1\nv 1 0.2 1\nv -1 0 1\nf 1 2 3\nf 1 3 4\n";
  s.mesh->file.path = file;
  agree(s);
}

TEST_CASE("contact: a height map has its ground and its walls") {
  ShapeSpec s;
  s.height_map = HeightMapSpec{
      {source_folder() + "/configs/shallow_water/valley.png"}, {{-1, -0.3, -1}}, {{1, 0.3, 1}}};
  agree(s);
}
