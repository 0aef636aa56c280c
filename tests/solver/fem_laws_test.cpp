#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "fem/element.h"

// Energies, forces and stiffness of single elements, in double.
using namespace rtsim;

namespace {

using M = Mat3<double>;
using V = Vec3d;

const fem::Lame<double> lame{3.8e5, 5.7e5};

M matrix(std::initializer_list<double> c) {
  M m;
  int k = 0;
  for (const double x : c) m.row[k / 3][k % 3] = x, ++k;
  return m;
}
M turn(const V& axis, double angle) {  // Rodrigues
  const V n = 1 / norm(axis) * axis;
  const M cross_n = matrix({0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0});
  return diagonal(1.) + std::sin(angle) * cross_n +
         (1 - std::cos(angle)) * fem::product(cross_n, cross_n);
}
double size(const M& m) { return std::sqrt(fem::contraction(m, m)); }
M minus(const M& a, const M& b) { return a + (-1.) * b; }

// Near rest, far from it, turned, flat, inside out.
const std::vector<M> deformations{matrix({1.01, 0.02, -0.01, 0.0, 0.99, 0.015, 0.01, -0.02, 1.005}),
                                  matrix({1.4, 0.3, -0.2, 0.1, 0.7, 0.4, -0.3, 0.2, 1.1}),
                                  matrix({-0.1, -1.1, 0.2, 0.9, 0.05, -0.3, 0.2, 0.3, 1.3}),
                                  matrix({0.6, 0.1, 0, 0.05, 0.5, 0.1, 0, 0.1, 0.4}),
                                  matrix({1.1, 0.2, 0.1, 0.1, 0.9, 0.0, 0.2, 0.1, -0.3})};

// The second slope of Psi along D, as the tangent has it.
M along(const fem::PrincipalTangent<double>& t, const M& D) {
  const M d = fem::product(fem::transposed_product(t.u, D), t.v);
  M h;
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    h.row[a][a] =
        t.a.row[a][0] * d.row[0][0] + t.a.row[a][1] * d.row[1][1] + t.a.row[a][2] * d.row[2][2];
    h.row[b][c] = t.same[a] * d.row[b][c] + t.crossed[a] * d.row[c][b];
    h.row[c][b] = t.same[a] * d.row[c][b] + t.crossed[a] * d.row[b][c];
  }
  return fem::product_transposed(fem::product(t.u, h), t.v);
}

template <class Law>
M stress(const M& F) {
  return Law::respond(lame, F).stress;
}

// Errors of central differences over h and h / 2.
struct Orders {
  double coarse, fine;
  bool second() const { return fine < coarse / 3.5 || fine < 1e-9; }
};

template <class Law>
void check_slopes() {
  const M D = matrix({0.3, -0.7, 0.2, 0.5, 0.4, -0.6, -0.1, 0.8, 0.35});
  for (std::size_t n = 0; n < deformations.size(); ++n) {
    const M& F = deformations[n];
    INFO("deformation " << n);
    const auto energy = [&](double h) { return Law::respond(lame, F + h * D).energy; };
    const double slope = fem::contraction(stress<Law>(F), D);
    const auto off = [&](double h) {
      return std::abs((energy(h) - energy(-h)) / (2 * h) - slope) / lame.mu;
    };
    CHECK(Orders{off(2e-3), off(1e-3)}.second());
    CHECK(off(1e-3) < 1e-4);
    const M H = along(Law::tangent(lame, F, false), D);
    const auto off2 = [&](double h) {
      const M d = (1 / (2 * h)) * minus(stress<Law>(F + h * D), stress<Law>(F + (-h) * D));
      return size(minus(d, H)) / lame.mu;
    };
    // Inside out the rotation of least stretch turns fast: more of the third order.
    CHECK(Orders{off2(1e-3), off2(5e-4)}.second());
    CHECK(off2(5e-4) < 1e-3);
  }
}

// Four corners in the unit cube, of some shape.
struct Tet {
  V rest[4] = {{{0.1, 0, 0.2}}, {{0.9, 0.1, 0.1}}, {{0.3, 0.8, 0}}, {{0.2, 0.3, 0.9}}};
  fem::ElementRest<double> made() const {
    const M edges = transposed(M{rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]});
    const M inverse = (1 / fem::determinant(edges)) * transposed(fem::cofactor(edges));
    return {{inverse.row[0], inverse.row[1], inverse.row[2]}, fem::determinant(edges) / 6};
  }
};

template <class Law>
std::vector<V> forces(const std::vector<V>& x) {
  const auto rest = Tet{}.made();
  const V d[3] = {x[1] - x[0], x[2] - x[0], x[3] - x[0]};
  const M P = stress<Law>(fem::deformation(rest, d, 0.));
  std::vector<V> f(4);
  for (int k = 1; k < 4; ++k)
    f[std::size_t(k)] = fem::corner_force(rest, P, k), f[0] = f[0] - f[std::size_t(k)];
  return f;
}

std::vector<V> deformed(const M& F) {
  std::vector<V> x;
  for (const V& p : Tet{}.rest) x.push_back(fem::product(F, p) + V{{0.3, -2, 1}});
  return x;
}

}  // namespace

TEST_CASE("fem: svd gives rotations and ordered stretches of any matrix") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<M> all = deformations;
  all.push_back(diagonal(0.)), all.push_back(diagonal(1.)), all.push_back(diagonal(-1.));
  all.push_back(matrix({1, 2, 3, 2, 4, 6, 3, 6, 9}));  // of rank one
  all.push_back(matrix({1, 0, 0, 0, 1, 0, 0, 0, 0}));
  for (int k = 0; k < 1000; ++k) {
    M m;
    for (auto& row : m.row)
      for (double& c : row.c) c = normal(random);
    all.push_back(m);
  }
  double unorthogonal = 0, off = 0;
  int unordered = 0;
  for (const M& F : all) {
    const auto f = fem::svd(F);
    const double scale = 1 + size(F);
    M us = f.u;
    for (auto& row : us.row)
      for (int a = 0; a < 3; ++a) row[a] *= f.s[a];
    off = std::max(off, size(minus(fem::product_transposed(us, f.v), F)) / scale);
    for (const M& r : {f.u, f.v})
      unorthogonal = std::max({unorthogonal, std::abs(fem::determinant(r) - 1),
                               size(minus(fem::product_transposed(r, r), diagonal(1.)))});
    unordered += !(f.s[0] >= f.s[1] - 1e-12 * scale && f.s[1] >= std::abs(f.s[2]) - 1e-7 * scale);
  }
  CHECK(unorthogonal < 1e-14);
  // Stretches below a root of rounding are found from squares: to that of the greatest.
  CHECK(off < 1e-12);
  CHECK(unordered == 0);
}

TEST_CASE("fem: stress is the slope of the energy, stiffness that of stress, at second order") {
  SECTION("linear") { check_slopes<fem::Linear>(); }
  SECTION("corotational") { check_slopes<fem::Corotational>(); }
  SECTION("stvk") { check_slopes<fem::Stvk>(); }
  SECTION("neo_hookean") { check_slopes<fem::NeoHookean>(); }
}

TEST_CASE("fem: with plastic strain stress is the slope of the energy still, and has no moment") {
  const M plastic = matrix({0.1, 0.08, -0.05, 0.08, -0.16, 0.04, -0.05, 0.04, 0.06});
  const M D = matrix({0.3, -0.7, 0.2, 0.5, 0.4, -0.6, -0.1, 0.8, 0.35});
  // The last is inside out: where two stretches add up to nothing there is no R.
  for (std::size_t n = 0; n + 1 < deformations.size(); ++n) {
    const M& F = deformations[n];
    INFO("deformation " << n);
    const auto energy = [&](double h) {
      return fem::Plastic::respond(lame, F + h * D, plastic).energy;
    };
    const M P = fem::Plastic::respond(lame, F, plastic).stress;
    const auto off = [&](double h) {
      return std::abs((energy(h) - energy(-h)) / (2 * h) - fem::contraction(P, D)) / lame.mu;
    };
    CHECK(Orders{off(2e-3), off(1e-3)}.second());
    CHECK(off(1e-3) < 1e-4);
    const M turning = fem::product_transposed(P, F);
    CHECK(size(minus(turning, transposed(turning))) < 1e-12 * size(P));
  }
  const M none{};
  CHECK(size(minus(fem::Plastic::respond(lame, deformations[1], none).stress,
                   stress<fem::Corotational>(deformations[1]))) < 1e-10 * lame.mu);
}

TEST_CASE("fem: Gram-Schmidt's axes are those of a turn, and have a moment where it shears") {
  const M R = turn({{0.3, -1, 0.7}}, 2);
  CHECK(size(minus(fem::GramSchmidt::axes(R), R)) < 1e-14);
  CHECK(size(stress<fem::GramSchmidt>(R)) < 1e-12 * lame.mu);
  const M& F = deformations[1];
  const auto moment = [&](const M& P) {
    const M t = fem::product_transposed(P, F);
    return size(minus(t, transposed(t))) / size(P);
  };
  CHECK(moment(stress<fem::Corotational>(F)) < 1e-12);
  CHECK(moment(stress<fem::GramSchmidt>(F)) > 0.1);
}

TEST_CASE("fem: projected stiffness is never negative, and the same where it was positive") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto check = [&](auto law) {
    using Law = decltype(law);
    double least = 1e30, changed = 0;
    for (int k = 0; k < 300; ++k) {
      M F, D;
      for (auto* m : {&F, &D})
        for (auto& row : m->row)
          for (double& c : row.c) c = normal(random);
      least = std::min(least, fem::contraction(D, along(Law::tangent(lame, F, true), D)));
      const M near =
          fem::product(turn({{1, 2, 3}}, k), diagonal(1.) + 1e-3 * fem::symmetric_part(D));
      // Stretched along all axes: nothing to leave out.
      const M wide = near + 0.1 * turn({{1, 2, 3}}, k);
      changed = std::max(changed, size(minus(along(Law::tangent(lame, wide, true), D),
                                             along(Law::tangent(lame, wide, false), D))));
    }
    CHECK(least > -1e-9 * lame.mu);
    CHECK(changed < 1e-9 * lame.mu);
  };
  check(fem::Linear{}), check(fem::Corotational{}), check(fem::Stvk{}), check(fem::NeoHookean{});
}

TEST_CASE("fem: small strains give Hooke's stress, whatever the material") {
  const M e = matrix({3, 1, -2, 1, -4, 0.5, -2, 0.5, 2});
  const double t = 1e-6;
  const M hooke = fem::quadratic_stress(lame, t * e);
  const auto off = [&](const M& P) { return size(minus(P, hooke)) / size(hooke); };
  const M F = diagonal(1.) + t * e;
  CHECK(off(stress<fem::Linear>(F)) < 1e-9);
  CHECK(off(stress<fem::Corotational>(F)) < 1e-9);
  // Of second order: t times some ten of e.
  CHECK(off(stress<fem::Stvk>(F)) < 1e-4);
  CHECK(off(stress<fem::NeoHookean>(F)) < 1e-4);
}

TEST_CASE("fem: what only turns has no stress, but the linear material's") {
  for (const double angle : {0.3, 2.0, 3.1, 3.141592653589793}) {
    const M R = turn({{0.3, -1, 0.7}}, angle);
    CHECK(size(stress<fem::Corotational>(R)) < 1e-13 * lame.mu * 10);
    CHECK(size(stress<fem::Stvk>(R)) < 1e-13 * lame.mu * 10);
    CHECK(size(stress<fem::NeoHookean>(R)) < 1e-13 * lame.mu * 10);
    // About an axis by a: e = cos a - 1 across it.
    const double expected = 2 * (lame.mu + lame.lambda) * (std::cos(angle) - 1);
    const M P = stress<fem::Linear>(turn({{0, 0, 1}}, angle));
    CHECK(P.row[0][0] == Approx(expected));
  }
}

TEST_CASE("fem: forces of an element sum to nothing, and so do their moments") {
  const auto check = [&](auto law) {
    using Law = decltype(law);
    for (const M& F : deformations) {
      const std::vector<V> x = deformed(F), f = forces<Law>(x);
      V sum, moment;
      double scale = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        sum = sum + f[k], moment = moment + cross(x[k], f[k]);
        scale += norm(f[k]) * (1 + norm(x[k]));
      }
      CHECK(norm(sum) < 1e-14 * scale);
      // The linear material knows no turns: P F^T is symmetric for the others.
      if (!std::is_same_v<Law, fem::Linear>) CHECK(norm(moment) < 1e-13 * scale);
    }
  };
  check(fem::Linear{}), check(fem::Corotational{}), check(fem::Stvk{}), check(fem::NeoHookean{});
}

TEST_CASE("fem: stiffness between corners is the slope of their forces") {
  const auto rest = Tet{}.made();
  const M F = deformations[1];
  const auto t = fem::NeoHookean::tangent(lame, F, false);
  V g[4];
  fem::principal_gradients(t, rest, g);
  const std::vector<V> x = deformed(F);
  const double h = 1e-5;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (int b = 0; b < 3; ++b) {
        std::vector<V> more = x, less = x;
        more[j][b] += h, less[j][b] -= h;
        const V df =
            (1 / (2 * h)) * (forces<fem::NeoHookean>(more)[i] - forces<fem::NeoHookean>(less)[i]);
        const M k = rest.volume * fem::corner_tangent(t, g[i], g[j]);
        for (int a = 0; a < 3; ++a) CHECK(-df[a] == Approx(k.row[a][b]).margin(1e-6 * lame.mu));
      }
}

TEST_CASE("fem: neo-Hookean rods and sheets stretch as their energy's closed form says") {
  // Held to a stretch s, free across: the stretch across has no stress there. Of the shifted
  // constants, c = mu (1 - 1 / (I_C + 1)) and e = lambda (J - 1) - 3/4 mu.
  const fem::Lame<double> k = fem::NeoHookean::shifted_constants(lame);
  for (const double s : {0.5, 0.8, 1.3, 3.0}) {
    double low = 0.1, high = 3;
    const auto across = [&](double t) {
      const double c = k.mu * (1 - 1 / (s * s + 2 * t * t + 1));
      return c * t + (k.lambda * (s * t * t - 1) - 0.75 * k.mu) * s * t;
    };
    for (int n = 0; n < 200; ++n) (across((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
    const double t = low, c = k.mu * (1 - 1 / (s * s + 2 * t * t + 1));
    const double pull = c * s + (k.lambda * (s * t * t - 1) - 0.75 * k.mu) * t * t;
    const M P = stress<fem::NeoHookean>(matrix({s, 0, 0, 0, t, 0, 0, 0, t}));
    CHECK(P.row[0][0] == Approx(pull).epsilon(1e-10));
    CHECK(std::abs(P.row[1][1]) < 1e-8 * lame.mu);
  }
}

TEST_CASE("fem: collapsed and mirrored elements have finite forces and stiffness") {
  const auto check = [&](auto law) {
    using Law = decltype(law);
    for (const M& F : {diagonal(0.), diagonal(-1.), matrix({1, 0, 0, 0, 1, 0, 0, 0, 0}),
                       matrix({1, 0, 0, 0, 0, 0, 0, 0, 0}), diagonal(1e-20), diagonal(1e3)}) {
      const auto r = Law::respond(lame, F);
      CHECK(std::isfinite(r.energy));
      CHECK(std::isfinite(size(r.stress)));
      const M D = matrix({0.3, -0.7, 0.2, 0.5, 0.4, -0.6, -0.1, 0.8, 0.35});
      CHECK(std::isfinite(size(along(Law::tangent(lame, F, true), D))));
      // In float as well.
      Mat3<float> G;
      for (int a = 0; a < 9; ++a) G.row[a / 3][a % 3] = float(F.row[a / 3][a % 3]);
      const fem::Lame<float> k{float(lame.mu), float(lame.lambda)};
      CHECK(std::isfinite(fem::contraction(Law::respond(k, G).stress, G)));
      CHECK(std::isfinite(Law::tangent(k, G, true).a.row[0][0]));
    }
  };
  check(fem::Linear{}), check(fem::Corotational{}), check(fem::Stvk{}), check(fem::NeoHookean{});
}
