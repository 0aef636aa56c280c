#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <numbers>

#include "fem/element.h"
#include "solvers/fem/fem_mesh.h"
#include "support/fem_scenes.h"

// Elements of second order.
using namespace rtsim;
using namespace rtsim::testing;

namespace {

using M = Mat3<double>;

const std::string still = R"("newton_iterations": 1, "cg_tolerance": 1e-6, "cg_iterations": 20000)";

std::vector<Vec3d> rest_places(const MeshScene& s) {
  Running r(s.text(), Exec::cpu(1));
  return places(r);
}

// Of a block whose points are shifted at random, in double.
CellMesh distorted_block() {
  CellMeshSpec spec;
  spec.block = BlockSpec{{}, {{1, 1, 1}}, {3, 3, 3}};
  CellMesh m = make_cells(spec);
  std::size_t n = 0;
  for (Vec3d& x : m.points) {
    bool inside = true;
    for (int a = 0; a < 3; ++a) inside = inside && x[a] > 0.01 && x[a] < 0.99;
    const double shift = inside ? 0.07 * std::sin(7. * double(++n)) : 0;
    x = x + Vec3d{{shift, -0.6 * shift, 0.3 * shift}};
  }
  NodesSpec nodes;
  nodes.positions = m.points;
  for (const auto& t : m.tets) nodes.tets.insert(nodes.tets.end(), t.begin(), t.end());
  CellMeshSpec again;
  again.nodes = nodes, again.order = 2;
  return make_cells(again);
}

fem::ElementRest<double> rest_of(const CellMesh& m, const CellMesh::TenNodes& e) {
  const auto x = [&](std::size_t k) { return m.points[std::size_t(e[k])]; };
  const M edges = transposed(M{x(1) - x(0), x(2) - x(0), x(3) - x(0)});
  const M inverse = (1 / fem::determinant(edges)) * transposed(fem::cofactor(edges));
  return {{inverse.row[0], inverse.row[1], inverse.row[2]}, fem::determinant(edges) / 6};
}

// Forces on the points of a mesh that is deformed to y, and the energy.
template <class Law>
double forces(const CellMesh& m, const fem::Lame<double>& lame, const std::vector<Vec3d>& y,
              std::vector<Vec3d>& f) {
  f.assign(y.size(), {});
  double energy = 0;
  for (const auto& e : m.ten_nodes) {
    fem::ElementHere<double> here{};
    here.rest = rest_of(m, e), here.lame = lame;
    for (std::size_t k = 0; k < 10; ++k) here.x[k] = y[std::size_t(e[k])] - y[std::size_t(e[0])];
    Vec3d of_nodes[10];
    energy += fem::element_forces<Law, fem::TenNodes>(here, of_nodes);
    for (std::size_t k = 0; k < 10; ++k) f[std::size_t(e[k])] = f[std::size_t(e[k])] + of_nodes[k];
  }
  return energy;
}

// A square beam of second order, held at x = 0, of E 10 MPa and 1000 kg/m^3.
struct Bar {
  double length = 1, side = 0.1, nu = 0.3, E = 1e7;
  int along = 20, through = 2;
  std::string material = "linear";

  MeshScene scene(const std::string& more, const std::string& others = "") const {
    return {.mesh = block(fmt::format("[{0}, {1}, {1}]", length, side),
                          fmt::format("[{0}, {1}, {1}]", along, through)) +
                    R"(, "order": 2)",
            .weight = R"("density": 1000)",
            .stages = hold(R"("inside": {"box": {"min": [-1, -1, -1], "max": [1e-5, 9, 9]}})") +
                      ", " + others +
                      fem_stage(fmt::format(R"("material": "{}", "youngs_modulus": {},
                          "poissons_ratio": {}, {})",
                                            material, E, nu, more)),
            .dt = 100};
  }
  double shear_stiffness() const { return 5. / 6 * E / (2 * (1 + nu)) * side * side; }
  double bending_stiffness() const { return E * std::pow(side, 4) / 12; }
  // Of the end's points.
  double sag(Running& r) const {
    double sum = 0, n = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
      if (start[i][0] > length - 1e-6) sum += start[i][1] - places(r)[i][1], n += 1;
    return sum / n;
  }
  double still_sag() {
    Running r(scene(still).text(), Exec::cpu(1));
    start = places(r);
    r.advance(2);
    return sag(r);
  }
  std::vector<Vec3d> start = {};
};

}  // namespace

TEST_CASE("fem: ten-node elements pass the patch test, turned and in any material") {
  const CellMesh m = distorted_block();
  const fem::Lame<double> lame{3.8e5, 5.7e5};
  const M F{Vec3d{{1.1, 0.2, -0.1}}, Vec3d{{0.05, 0.9, 0.1}}, Vec3d{{-0.1, 0.15, 1.2}}};
  std::vector<Vec3d> y, f;
  for (const Vec3d& x : m.points) y.push_back(fem::product(F, x) + Vec3d{{3, -1, 2}});
  const auto check = [&](auto law) {
    const double energy = forces<decltype(law)>(m, lame, y, f);
    // The density of the one stress there is, of a metre cubed.
    CHECK(energy == Approx(decltype(law)::respond(lame, F).energy).epsilon(1e-12));
    double within = 0, outside = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      bool inside = true;
      for (int a = 0; a < 3; ++a)
        inside = inside && m.points[i][a] > 1e-6 && m.points[i][a] < 1 - 1e-6;
      (inside ? within : outside) = std::max(inside ? within : outside, norm(f[i]));
    }
    CHECK(within < 1e-12 * outside);
  };
  check(fem::Linear{}), check(fem::Corotational{}), check(fem::Stvk{}), check(fem::NeoHookean{});
}

TEST_CASE("fem: forces of ten-node elements are the slope of their energy, of bent ones too") {
  CellMesh m = distorted_block();
  const fem::Lame<double> lame{3.8e5, 5.7e5};
  std::vector<Vec3d> y, f, none;
  for (const Vec3d& x : m.points)
    y.push_back(x + 0.1 * Vec3d{{std::sin(3 * x[1]), x[0] * x[2], std::cos(2 * x[0]) * x[1]}});
  forces<fem::NeoHookean>(m, lame, y, f);
  Vec3d sum, moment;
  double scale = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    sum = sum + f[i], moment = moment + cross(y[i], f[i]), scale += norm(f[i]);
  CHECK(norm(sum) < 1e-13 * scale);
  CHECK(norm(moment) < 1e-13 * scale);
  const double h = 1e-5;
  for (const std::size_t i : {std::size_t(5), std::size_t(70), y.size() - 3})
    for (int a = 0; a < 3; ++a) {
      std::vector<Vec3d> more = y, less = y;
      more[i][a] += h, less[i][a] -= h;
      const double slope = (forces<fem::NeoHookean>(m, lame, more, none) -
                            forces<fem::NeoHookean>(m, lame, less, none)) /
                           (2 * h);
      CHECK(-slope == Approx(f[i][a]).margin(1e-7 * scale));
    }
}

TEST_CASE("fem: ten-node tetrahedra weigh what they should, with no point of none") {
  Running r(MeshScene{.mesh = block("[0.5, 0.3, 0.2]", "[3, 2, 2]") + R"(, "order": 2)",
                      .weight = R"("density": 700)",
                      .stages = fem_stage("")}
                .text(),
            Exec::cpu(1));
  double mass = 0, first = 0;
  const auto x = places(r);
  const auto m = r.world().table("m").download<Real>("mass");
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(m[i] > 0);
    mass += double(m[i]), first += double(m[i]) * x[i][0];
  }
  CHECK(mass == Approx(700 * 0.03).epsilon(1e-6));
  CHECK(first / mass == Approx(0.25).epsilon(1e-6));
  // Eight parts each, which fill it, and four triangles of every face of one.
  CHECK(r.world().table("m.elements").rows() == 60);
  CHECK(r.world().table("m.tets").rows() == 480);
  CHECK(r.world().table("m.triangles").rows() == 4 * 2 * 2 * (6 + 6 + 4));
}

TEST_CASE(
    "fem: displacements of six-node triangles are of third order, of three-node ones second") {
  // u = grad of Re (x + i y)^4 has neither divergence nor Laplacian: it needs no loads, whatever
  // the material, and is not of second order itself. Held where it is given on all sides.
  const auto error = [](int order, int cells) {
    const auto exact = [](const Vec3d& x) {
      return 0.02 * Vec3d{{4 * x[0] * (x[0] * x[0] - 3 * x[1] * x[1]),
                           4 * x[1] * (x[1] * x[1] - 3 * x[0] * x[0]), 0}};
    };
    MeshScene s{
        .mesh = fmt::format(R"("sheet": {{"u": [1, 0, 0], "v": [0.2, 1, 0], "cells": [{0}, {0}]}},
                               "order": {1})",
                            cells, order),
        .weight = R"("density": 1e-3)",
        .stages = fem_stage(""),
        .dt = 100,
        .gravity = "[0, 0, 0]"};
    std::string rim;
    for (std::size_t i = 0; const Vec3d& x : rest_places(s)) {
      const double v = x[1], u = x[0] - 0.2 * v;
      if (std::min({u, v, 1 - u, 1 - v}) < 1e-5)
        rim += fmt::format("{}{}", rim.empty() ? "" : ", ", i);
      ++i;
    }
    s.stages = hold(fmt::format(R"("points": [{}])", rim)) + ", " +
               fem_stage(R"("material": "linear", "youngs_modulus": 1e6, )" + still);
    Running r(s.text(), Exec::cpu(1));
    const auto rest = places(r);
    put(r, "position", [&](std::size_t, const Vec3d& x) { return x + exact(x); });
    r.advance(3);
    // The root of the mean square over the elements, by three points in each.
    const auto y = places(r);
    double squares = 0, n = 0;
    const auto add = [&](const Vec3d& x, const Vec3d& u) {
      const Vec3d off = u - exact(x);
      squares += dot(off, off), n += 1;
    };
    const auto sum = [](const auto& cells, const auto& shape, const auto& of) {
      Vec3d all;
      for (std::size_t k = 0; k < cells.size(); ++k) all = all + shape[k] * of(cells[k]);
      return all;
    };
    const auto place = [&](auto i) { return rest[std::size_t(i)]; };
    const auto moved = [&](auto i) { return y[std::size_t(i)] - rest[std::size_t(i)]; };
    for (int q = 0; q < 3; ++q) {
      double L[3];
      for (int k = 0; k < 3; ++k) L[k] = k == q ? 2. / 3 : 1. / 6;
      const std::array<double, 6> six{L[0] * (2 * L[0] - 1), L[1] * (2 * L[1] - 1),
                                      L[2] * (2 * L[2] - 1), 4 * L[0] * L[1],
                                      4 * L[0] * L[2],       4 * L[1] * L[2]};
      const std::array<double, 3> three{L[0], L[1], L[2]};
      if (order == 2)
        for (const auto& e : corners_of<6>(r.world(), "m.elements"))
          add(sum(e, six, place), sum(e, six, moved));
      else
        for (const auto& e : corners_of<3>(r.world(), "m.triangles"))
          add(sum(e, three, place), sum(e, three, moved));
    }
    return std::sqrt(squares / n);
  };
  CHECK(std::log2(error(1, 8) / error(1, 16)) == Approx(2).margin(0.15));
  CHECK(std::log2(error(2, 4) / error(2, 8)) == Approx(3).margin(0.15));
}

TEST_CASE("fem: ten-node beams of two cells sink as Timoshenko's") {
  const auto share = [](double length, double nu) {
    Bar b{.length = length, .nu = nu, .along = int(20 * length)};
    const double q = 1000 * g * b.side * b.side;
    return b.still_sag() / (q * std::pow(length, 4) / (8 * b.bending_stiffness()) +
                            q * length * length / (2 * b.shear_stiffness()));
  };
  CHECK(share(1, 0) == Approx(1).epsilon(1e-3));
  // A held end cannot narrow, which Timoshenko knows nothing of: less of a longer beam.
  CHECK(share(2, 0.3) == Approx(1).epsilon(0.01));
  CHECK(share(2, 0.3) > share(1, 0.3));
  CHECK(share(2, 0.49) > 0.95);
}

TEST_CASE("fem: a load at the tip of a ten-node beam bends it as Timoshenko's") {
  Bar b{.nu = 0, .along = 10};
  MeshScene s = b.scene(R"("newton_tolerance": 1e-6, "cg_tolerance": 1e-4, "rayleigh_mass": 2)",
                        R"({"type": "attach", "name": "pull", "mesh": "m",
                            "inside": {"box": {"min": [0.999, -1, -1], "max": [9, 9, 9]}},
                            "load": {"force": [0, -0.3, 0]}}, )");
  s.dt = 0.1, s.gravity = "[0, 0, 0]";
  Running r(s.text(), Exec::cpu(1));
  b.start = places(r);
  r.advance(80);
  // The load comes as a velocity in every step, and goes again: what of it rounds is no push.
  CHECK(b.sag(r) ==
        Approx(0.3 / (3 * b.bending_stiffness()) + 0.3 / b.shear_stiffness()).epsilon(0.002));
}

TEST_CASE("fem: Cook's membrane comes to 23.96") {
  // (0, 0), (48, 44), (48, 60), (0, 44), E 1, nu 1/3, sheared by 1 N on the right, in plane stress:
  // plane strain of E (1 + 2 nu) / (1 + nu)^2 and nu / (1 + nu).
  const int n = 16;
  std::string positions, triangles;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const double u = double(i) / n, v = double(j) / n;
      positions += fmt::format("{}[{}, {}, 0]", positions.empty() ? "" : ", ", 48 * u,
                               44 * u * (1 - v) + (44 + 16 * u) * v);
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = i + (n + 1) * j, b = a + 1, c = a + n + 1, d = c + 1;
      triangles +=
          fmt::format("{}{}, {}, {}, {}, {}, {}", triangles.empty() ? "" : ", ", a, b, d, a, d, c);
    }
  const auto scene = [&](const std::string& loads) {
    return MeshScene{
        .mesh = fmt::format(R"("nodes": {{"positions": [{}], "triangles": [{}]}}, "order": 2)",
                            positions, triangles),
        .weight = R"("density": 1)",
        .stages =
            hold(R"("inside": {"box": {"min": [-1, -1, -1], "max": [1e-5, 99, 9]}})") + ", " +
            loads +
            fem_stage(
                R"("material": "linear", "youngs_modulus": 0.9375, "poissons_ratio": 0.25, )" +
                still),
        .dt = 100,
        .gravity = "[0, 0, 0]"};
  };
  // The load is the same along the side: 1/6, 4/6, 1/6 of an edge's at its points.
  Running probe(scene("").text(), Exec::cpu(1));
  const auto x = places(probe);
  std::string loads;
  std::size_t middle = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i][0] < 48 - 1e-4) continue;
    const double along = (x[i][1] - 44) / 16 * 2 * n;  // in halves of an edge
    const bool between = int(std::round(along)) % 2 == 1, end = along < 0.5 || along > 2 * n - 0.5;
    loads += fmt::format(R"({{"type": "attach", "name": "p{0}", "mesh": "m", "points": [{0}],
                              "load": {{"force": [0, {1}, 0]}}}}, )",
                         i,
                         (between ? 4.
                          : end   ? 1.
                                  : 2.) /
                             (6 * n));
    if (std::abs(x[i][1] - 52) < 1e-4) middle = i;
  }
  Running r(scene(loads).text(), Exec::cpu(1));
  r.advance(60);
  CHECK(places(r)[middle][1] - 52 == Approx(23.96).epsilon(0.003));
}

TEST_CASE("fem: a square bar resists being twisted by 0.1406 G a^4") {
  // The energy of two lengths at one rate, which leaves out what the ends add by being held flat.
  const auto energy_of = [](double length, double rate) {
    const Bar b{.length = length, .along = int(std::round(20 * length)), .through = 3};
    MeshScene s = b.scene(still);
    s.stages = hold(fmt::format(R"("inside": {{"box": {{"min": [{}, -1, -1], "max": [9, 9, 9]}}}})",
                                length - 1e-5)) +
               ", " + s.stages;
    s.gravity = "[0, 0, 0]";
    Running r(s.text(), Exec::cpu(1));
    put(r, "position", [&](std::size_t, const Vec3d& x) {
      const double t = rate * x[0], y = x[1] - 0.05, z = x[2] - 0.05;
      return x + t * Vec3d{{0, -z, y}};
    });
    r.advance(2);
    return r.measure("m.elastic_energy");
  };
  const double rate = 0.05, G = 1e7 / 2.6;
  const double stiffness =
      (energy_of(0.6, rate) - energy_of(0.3, rate)) / (0.5 * rate * rate * 0.3);
  CHECK(stiffness / (G * 1e-4) == Approx(0.1405770).epsilon(0.01));
}

namespace {

// K phi = omega^2 M phi for the lowest modes, of the matrices that the solver has.
std::vector<double> lowest_frequencies(const MeshScene& scene, double E, double nu, int wanted) {
  Running r(scene.text(), Exec::cpu(1));
  FemParams p;
  p.mesh.name = "m", p.material = fem::Material::linear;
  p.youngs_modulus = E, p.poissons_ratio = nu;
  const FemMesh mesh(p, r.world());
  const fem::Elements all = mesh.view();
  const auto x = places(r);
  std::vector<Row4> rows((x.size() + 7) / 8 * 8);
  const std::vector<Row4> zeros(rows.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    rows[i] = {Real(x[i][0]), Real(x[i][1]), Real(x[i][2]), 0};
  const Span<const Row4> at{rows.data(), Index(rows.size())}, none{zeros.data(), at.size};
  std::vector<Mat3<Real>> pairs(std::size_t(all.count * all.pairs()));
  fem::tangents(r.world().exec, all, {at, none, at, 0}, -1, {pairs.data(), Index(pairs.size())});
  const auto mass = r.world().table("m").download<Real>("mass");
  std::vector<Eigen::Triplet<double>> K;
  const auto add = [&](Index i, Index j, const Mat3<Real>& k, double sign) {
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) K.emplace_back(3 * i + a, 3 * j + b, sign * double(k.row[a][b]));
  };
  const auto elements = corners_of<10>(r.world(), "m.elements");
  std::size_t k = 0;
  for (const auto& e : elements)
    for (std::size_t n = 0; n < 10; ++n)
      for (std::size_t m = n + 1; m < 10; ++m, ++k) {
        const Mat3<Real>& block = pairs[k];
        add(e[n], e[m], block, 1), add(e[m], e[n], transposed(block), 1);
        add(e[n], e[n], block, -1), add(e[m], e[m], transposed(block), -1);
      }
  const auto size = 3 * Eigen::Index(x.size());
  Eigen::VectorXd M(size);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int a = 0; a < 3; ++a) {
      M(3 * Eigen::Index(i) + a) = double(mass[i]);
      if (x[i][0] < 1e-6) K.emplace_back(3 * int(i) + a, 3 * int(i) + a, 1e15);
    }
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(K.begin(), K.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(matrix);
  // Subspace iteration.
  Eigen::MatrixXd V = Eigen::MatrixXd::Random(size, wanted + 6);
  Eigen::VectorXd squares;
  for (int round = 0; round < 30; ++round) {
    V = solver.solve((M.asDiagonal() * V).eval());
    const Eigen::MatrixXd k_small = V.transpose() * (matrix * V),
                          m_small = V.transpose() * (M.asDiagonal() * V).eval();
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> small(k_small, m_small);
    V = V * small.eigenvectors();
    squares = small.eigenvalues();
  }
  std::vector<double> hertz;
  for (int n = 0; n < wanted; ++n) hertz.push_back(std::sqrt(squares(n)) / (2 * std::numbers::pi));
  return hertz;
}

}  // namespace

TEST_CASE("fem: the first three bending frequencies of a ten-node beam") {
  // beta_n L = 1.87510407, 4.69409113, 7.85475744 of a slender beam, in two planes each. Its length
  // is fifty times its side: shear and turning take 0.4 % off the third.
  const Bar b{.side = 0.02, .along = 25, .through = 1};
  const auto f = lowest_frequencies(b.scene(still), b.E, b.nu, 6);
  for (std::size_t n = 0; n < 3; ++n) {
    const double beta = std::array{1.87510407, 4.69409113, 7.85475744}[n];
    const double exact = beta * beta / (2 * std::numbers::pi) *
                         std::sqrt(b.bending_stiffness() / (1000 * b.side * b.side));
    CHECK(f[2 * n] == Approx(exact).epsilon(0.02));
    CHECK(f[2 * n + 1] == Approx(exact).epsilon(0.02));
  }
}

TEST_CASE("fem: ten-node elements fall, turn and meet the ground like others") {
  // Free fall strains nothing: what each point weighs is what falls with it.
  MeshScene s{.mesh = block("[0.4, 0.2, 0.2]", "[3, 2, 2]") +
                      R"(, "transform": {"axis": [1, 2, 3], "angle": 40}, "order": 2)",
              .weight = R"("density": 1000)",
              .stages = fem_stage(R"("youngs_modulus": 1e5, "cg_tolerance": 1e-5)")};
  Running r(s.text(), Exec::cpu(1));
  r.advance(10);
  CHECK(r.measure("m.elastic_energy") < 1e-6);
  // Spinning: momentum stays.
  s.gravity = "[0, 0, 0]";
  s.stages = fem_stage(R"("youngs_modulus": 1e5, "integrator": "newmark", "newton_tolerance": 1e-5,
                    "cg_tolerance": 1e-4)");
  s.dt = 0.002;
  Running spin(s.text(), Exec::cpu(1));
  put(spin, "velocity", [&](std::size_t i, const Vec3d&) {
    return Vec3d{{1, 0.5, -0.3}} + cross(Vec3d{{1, 4, 2}}, places(spin)[i]);
  });
  const Motion start = motion(spin);
  const double energy_at_start = energy(spin);
  spin.advance(50);
  CHECK(norm(motion(spin).momentum - start.momentum) < 1e-4 * start.scale);
  CHECK(norm(motion(spin).moment - start.moment) < 2e-3 * norm(start.moment));
  CHECK(energy(spin) == Approx(energy_at_start).epsilon(2e-3));
}
