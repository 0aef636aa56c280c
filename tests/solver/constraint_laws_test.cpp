#include "deformables/constraints.h"
#include "deformables/plates/plate_constraints.h"
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
    for (std::size_t k = 0; k < Law::corners; ++k) {
      const std::size_t i = k < 4 ? k : 0;
      p[k] = {Real(x[i][0]), Real(x[i][1]), Real(x[i][2]), Real(w[i])};
    }
    pbd::Arrow<Real> shift[Law::corners];
    Real lambda[Law::multipliers]{};
    law.project(p, numbers.data(), lambda, shift);
    Vec3d force, moment;
    double size = 0;
    for (std::size_t k = 0; k < (Law::corners < 4 ? Law::corners : 4); ++k) {
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

// Of the first of two triangles over one edge.
PlateStencil one_hinge(const std::vector<Vec3d>& x) {
  return plate_stencils(x, {{0, 1, 2}, {1, 0, 3}})[0];
}
std::array<Real, 15> dihedral_of(const std::vector<Vec3d>& x) {
  ConstraintList<pbd::NarrowDihedral> list;
  add_dihedral(x, one_hinge(x), false, list);
  return list.numbers[0];
}
template <bool bent>
auto plate_of(const std::vector<Vec3d>& x) {
  ConstraintList<pbd::IsometricPlate<4, bent>> list;
  add_plate(x, plate_weights(x, one_hinge(x)), list);
  return list.numbers[0];
}

// What is left of a violation of 1/20 after a projection, over that violation: some first slope
// times 1/20 where the gradient is right, and of order 1 where it is not.
template <class Law, class Numbers>
double left_of(const Law& law, const Numbers& numbers_of, double violation, std::size_t at = 0) {
  Corners4 c;
  auto numbers = numbers_of(c.x);
  numbers[at] += Real(violation);
  c.project(law, numbers);
  return std::abs(double(numbers[at] - numbers_of(c.x)[at]) / violation);
}

}  // namespace

TEST_CASE("constraint_laws: a projection solves its constraint to first order, without a force") {
  const auto length = [](const auto& x) { return edge_lengths(x, {{0, 1}}).numbers[0]; };
  const auto volume = [](const auto& x) { return tet_volumes(x, {{0, 1, 2, 3}}).numbers[0]; };
  for (const double d : {-0.02, 0.02}) {
    CHECK(left_of(pbd::Distance{}, length, d) < 1e-4);
    CHECK(left_of(pbd::TetVolume{}, volume, d / 4) < 0.1);
    CHECK(left_of(pbd::NarrowDihedral{}, dihedral_of, d, 2) < 0.05);
  }
}

TEST_CASE("constraint_laws: a projected hinge is flat, or as bent as at rest") {
  // The one constraint that a triangle with one neighbour has is the last.
  const auto bend = [](const auto& k, const Corners4& c) {
    Vec3d s;
    for (std::size_t i = 1; i < 4; ++i) s = s + double(k[5 + i]) * (c.x[i] - c.x[0]);
    return norm(s);
  };
  const auto k = plate_of<false>(Corners4{}.x);
  Corners4 c;
  CHECK(bend(k, c) > 0.1);
  c.project(pbd::FlatRestPlate<4>{}, k);
  CHECK(bend(k, c) < 20 * eps);

  auto bent = plate_of<true>(Corners4{}.x);
  const double rest = double(bent[11]);
  bent[11] *= Real(1.1);
  Corners4 d;
  d.project(pbd::CurvedRestPlate<4>{}, bent);
  CHECK(bend(k, d) == Approx(1.1 * rest).epsilon(1e-5));
}

TEST_CASE("constraint_laws: a constraint alone moves its points alike in either order") {
  Corners4 c;
  ConstraintList<pbd::NarrowDihedral> list;  // with places for two more points
  add_dihedral(c.x, one_hinge(c.x), false, list);
  list.numbers[0][2] += Real(0.05);
  std::vector<Row4> start;
  for (std::size_t i = 0; i < 4; ++i)
    start.push_back({Real(c.x[i][0]), Real(c.x[i][1]), Real(c.x[i][2]), Real(c.w[i])});
  const auto moved = [&](ProjectionOrder order) {
    Buffer<Row4> points(Exec::cpu(1), std::span<const Row4>(start));
    ConstraintSet<pbd::NarrowDihedral> set(Exec::cpu(1), 4, list, order, false);
    set.project({}, points.span());
    return points.download();
  };
  const auto one = moved(ProjectionOrder::gauss_seidel), all = moved(ProjectionOrder::jacobi);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(one[i].y != start[i].y);
    CHECK(one[i].x == Approx(all[i].x).margin(eps));
    CHECK(one[i].y == Approx(all[i].y).margin(eps));
    CHECK(one[i].z == Approx(all[i].z).margin(eps));
  }
}

namespace {

// Right-angled triangles on whole places, their inner points moved: no two alike.
struct UnevenSheet {
  static constexpr int n = 8;
  std::vector<Vec3d> x;
  std::vector<CellMesh::Triangle> triangles;

  explicit UnevenSheet(double moved) {
    unsigned random = 3;
    const auto draw = [&] {
      return double((random = random * 1664525u + 1013904223u) >> 8) / 0x1p24;
    };
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i)
        x.push_back({{i + moved * (2 * draw() - 1), j + moved * (2 * draw() - 1), 0}});
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const int p = i + (n + 1) * j, q = p + n + 1;
        if (draw() < 0.5)
          triangles.insert(triangles.end(), {{p, p + 1, q + 1}, {p, q + 1, q}});
        else
          triangles.insert(triangles.end(), {{p, p + 1, q}, {p + 1, q + 1, q}});
      }
  }
  bool inner(int p, int rim) const {
    const int i = p % (n + 1), j = p / (n + 1);
    return i >= rim && j >= rim && i <= n - rim && j <= n - rim;
  }
};

}  // namespace

TEST_CASE("constraint_laws: surfaces of constant curvature have a plate's energy and no force") {
  for (const double moved : {0.0, 0.25}) {
    const UnevenSheet s(moved);
    const auto stencils = plate_stencils(s.x, s.triangles);
    REQUIRE(stencils.size() == s.triangles.size());
    for (int k = 0; k < 6; ++k) {
      // Two cylinders, a saddle, a bowl, and what lies between.
      const double H[3] = {k != 1 ? 1.0 : 0, k == 1 || k == 3 ? 1.0 : (k == 4 ? -1 : 0),
                           k == 2 || k == 5 ? 0.7 : 0};
      std::vector<double> force(s.x.size());
      for (const PlateStencil& stencil : stencils) {
        const auto& p = stencil.patch.points;
        const PlateWeights w = plate_weights(s.x, stencil);
        double energy = 0;
        for (std::size_t j = 0; j < 3; ++j) {
          double c = 0;
          for (std::size_t i = 0; i < w.points.size(); ++i) {
            const Vec3d& x = s.x[std::size_t(w.points[i])];
            c += w.weights[i][j] *
                 (0.5 * H[0] * x[0] * x[0] + 0.5 * H[1] * x[1] * x[1] + H[2] * x[0] * x[1]);
          }
          energy += 0.5 * c * c;
          for (std::size_t i = 0; i < w.points.size(); ++i)
            force[std::size_t(w.points[i])] += c * w.weights[i][j];
        }
        if (!s.inner(p[0], 2) || !s.inner(p[1], 2) || !s.inner(p[2], 2)) continue;
        const double area = 0.5 * norm(cross(s.x[std::size_t(p[1])] - s.x[std::size_t(p[0])],
                                             s.x[std::size_t(p[2])] - s.x[std::size_t(p[0])]));
        CHECK(energy ==
              Approx(0.5 * area * (H[0] * H[0] + H[1] * H[1] + 2 * H[2] * H[2])).epsilon(1e-5));
      }
      for (int p = 0; p < int(s.x.size()); ++p)
        if (s.inner(p, 4)) CHECK(force[std::size_t(p)] == Approx(0).margin(1e-5));
    }
  }
}

TEST_CASE("constraint_laws: others bend beside a triangle that is nearly a line as without it") {
  const UnevenSheet s(0.25);
  const auto without = plate_stencils(s.x, s.triangles);
  for (const double height : {1e-6, 2e-5, 5e-4}) {
    UnevenSheet more = s;
    more.x.push_back(0.5 * (s.x[0] + s.x[1]) - Vec3d{{0, height, 0}});
    more.triangles.push_back({1, 0, int(s.x.size())});
    const auto with = plate_stencils(more.x, more.triangles);
    REQUIRE(with.size() == without.size());
    for (std::size_t t = 0; t < with.size(); ++t) {
      CHECK(with[t].patch.points == without[t].patch.points);
      CHECK(with[t].rows == without[t].rows);
    }
  }
}

TEST_CASE("constraint_laws: in a lattice every other triangle carries all of the bending") {
  const std::vector<Vec3d> x{{{0, 0, 0}}, {{1, 0, 0}}, {{2, 0, 0}}, {{0, 1, 0}}, {{1, 1, 0}},
                             {{2, 1, 0}}, {{0, 2, 0}}, {{1, 2, 0}}, {{2, 2, 0}}};
  const auto half = plate_stencils(
      x, {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}, {3, 4, 7}, {3, 7, 6}, {4, 5, 8}, {4, 8, 7}});
  CHECK(half.size() == 4);
  // A cylinder about y over an area of 4: the free sides cost nothing.
  double energy = 0;
  for (const PlateStencil& s : half) {
    const PlateWeights w = plate_weights(x, s);
    for (std::size_t j = 0; j < 3; ++j) {
      double c = 0;
      for (std::size_t i = 0; i < w.points.size(); ++i) {
        const double at = x[std::size_t(w.points[i])][0];
        c += w.weights[i][j] * 0.5 * at * at;
      }
      energy += 0.5 * c * c;
    }
  }
  CHECK(energy == Approx(0.5 * 2));  // the outer columns have hinges on one side alone
}
