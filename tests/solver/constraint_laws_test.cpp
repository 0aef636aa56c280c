#include "deformables/constraints.h"
#include "pbd/constraints.h"
#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// Four points of different masses without any symmetry.
struct Corners4 {
  std::vector<Vec3d> x{{{0.1, 0, 0.2}}, {{1.1, 0.3, 0}}, {{0.4, 0.2, 0.9}}, {{0.7, -0.1, -0.8}}};
  double w[4] = {1, 0.5, 2, 0.8};

  // One projection, in place; checks that it is free of force and of moment.
  template <class Law>
  void project(const Law& law, const std::array<Real, Law::numbers>& numbers) {
    pbd::Point<Real> p[Law::corners];
    for (std::size_t k = 0; k < Law::corners; ++k)
      p[k] = {Real(x[k][0]), Real(x[k][1]), Real(x[k][2]), Real(w[k])};
    pbd::Arrow<Real> shift[Law::corners];
    Real lambda[Law::multipliers]{};
    law.project(p, numbers.data(), lambda, shift);
    Vec3d force, moment;
    double size = 0;
    for (std::size_t k = 0; k < Law::corners; ++k) {
      const Vec3d d{{double(shift[k].x), double(shift[k].y), double(shift[k].z)}};
      force = force + (1 / w[k]) * d, moment = moment + (1 / w[k]) * cross(x[k], d);
      size += norm(d) / w[k];
      x[k] = x[k] + d;
    }
    CHECK(size > 0);
    CHECK(norm(force) < 10 * eps * size + 10 * eps);
    CHECK(norm(moment) < 20 * eps * size + 20 * eps);
  }
};

const std::vector<Hinge> one_hinge{{0, 1, 2, 3}};

// What is left of a violation of 1/20 after a projection, over that violation: some first slope
// times 1/20 where the gradient is right, and of order 1 where it is not.
template <class Law, class Numbers>
double left_of(const Law& law, const Numbers& numbers_of, double violation) {
  Corners4 c;
  auto numbers = numbers_of(c.x);
  numbers[0] += Real(violation);
  c.project(law, numbers);
  return std::abs(double(numbers[0] - numbers_of(c.x)[0]) / violation);
}

}  // namespace

TEST_CASE("constraint_laws: a projection solves its constraint to first order, without a force") {
  const auto length = [](const auto& x) { return edge_lengths(x, {{0, 1}}).numbers[0]; };
  const auto volume = [](const auto& x) { return tet_volumes(x, {{0, 1, 2, 3}}).numbers[0]; };
  const auto angle = [](const auto& x) {
    return dihedral_bends(x, one_hinge, RestShape::as_built).numbers[0];
  };
  for (const double d : {-0.02, 0.02}) {
    CHECK(left_of(pbd::Distance{}, length, d) < 1e-4);
    CHECK(left_of(pbd::TetVolume{}, volume, d / 4) < 0.1);
    CHECK(left_of(pbd::DihedralBend{}, angle, d) < 0.05);
  }
}

TEST_CASE("constraint_laws: a projected hinge is flat, or as bent as at rest") {
  Corners4 c;
  c.project(pbd::FlatBend{}, flat_bends(Corners4{}.x, one_hinge).numbers[0]);
  const auto k = flat_bends(Corners4{}.x, one_hinge).numbers[0];
  const Vec3d s = double(k[0]) * (c.x[1] - c.x[0]) + double(k[1]) * (c.x[2] - c.x[0]) +
                  double(k[2]) * (c.x[3] - c.x[0]);
  CHECK(norm(s) < 10 * eps);

  auto bent = curved_bends(Corners4{}.x, one_hinge).numbers[0];
  const double rest = double(bent[3]);
  bent[3] *= Real(1.1);
  Corners4 d;
  d.project(pbd::CurvedBend{}, bent);
  const Vec3d t = double(k[0]) * (d.x[1] - d.x[0]) + double(k[1]) * (d.x[2] - d.x[0]) +
                  double(k[2]) * (d.x[3] - d.x[0]);
  CHECK(norm(t) == Approx(1.1 * rest).epsilon(1e-5));
}

TEST_CASE("constraint_laws: a cylinder of equilateral triangles has B/2 curvature^2 an area") {
  const double side = 0.01, row = side * std::sqrt(0.75), curvature = 1.5;
  // Three rows of points across x about a hinge of the middle one: a column of area side x row.
  const auto at = [&](double x, double z) {
    return Vec3d{
        {std::sin(curvature * x) / curvature, (1 - std::cos(curvature * x)) / curvature, z}};
  };
  for (const bool bent : {false, true}) {
    const auto place = [&](double x, double z) { return bent ? at(x, z) : Vec3d{{x, 0, z}}; };
    const std::vector<Vec3d> x{place(0, 0), place(0, side), place(row, side / 2),
                               place(-row, side / 2)};
    const std::vector<Vec3d> flat{
        {{0, 0, 0}}, {{0, 0, side}}, {{row, 0, side / 2}}, {{-row, 0, side / 2}}};
    const auto k = flat_bends(flat, one_hinge).numbers[0];
    const Vec3d s =
        double(k[0]) * (x[1] - x[0]) + double(k[1]) * (x[2] - x[0]) + double(k[2]) * (x[3] - x[0]);
    CHECK(0.5 * dot(s, s) ==
          Approx(bent ? 0.5 * curvature * curvature * side * row : 0).epsilon(1e-3).margin(1e-12));
    const auto angle = dihedral_bends(x, one_hinge, RestShape::as_built).numbers[0];
    CHECK(0.5 * double(angle[0]) * double(angle[0]) / double(angle[1]) ==
          Approx(bent ? 0.5 * curvature * curvature * side * row : 0).epsilon(1e-3).margin(1e-12));
  }
}
