#include <catch2/catch.hpp>
#include <cmath>

#include "exec/buffer.h"
#include "mass_spring/implicit.h"
#include "mass_spring/mass_spring.h"
#include "mass_spring/spring.h"

// Forces, energies and tangents of springs, one by one and in a network.
using namespace rtsim;
using mass_spring::reach;

namespace {

using V = Vec3d;

constexpr double k = 700, rest = 0.8;

double energy(const V& d) { return mass_spring::spring_energy(reach(d), k, rest); }
V force(const V& d) { return mass_spring::spring_force(reach(d), V{}, k, 0.0, rest); }  // on i

const V ends[] = {{{0.9, -0.3, 0.4}}, {{0.2, 0.1, -0.3}}};  // stretched, compressed

V moved(V d, int axis, double by) {
  d[axis] += by;
  return d;
}

// A square with its diagonals, of unequal springs; point 0 is held.
struct Square {
  Exec ex = Exec::cpu(1);
  Buffer<Index> first{ex, std::vector<Index>{0, 3, 6, 9, 12}};
  Buffer<mass_spring::Half> halves{ex};
  Buffer<Real> mass{ex, std::vector<Real>{1, 2, Real(0.5), 1}};
  Buffer<Real> inverse_mass{ex, std::vector<Real>{0, Real(0.5), 2, 1}};
  Buffer<Vec<3>> x{ex, std::vector<Vec<3>>{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{1, 1, 1}}}};
  Buffer<Vec<3>> v{
      ex, std::vector<Vec<3>>{{{0, 0, 0}}, {{1, 2, 0}}, {{0, -1, 0}}, {{Real(0.3), 1, 1}}}};
  Real damping;
  mass_spring::Field field{{{0, -10, 0}}, Real(0.7)};

  explicit Square(Real c) : damping(c) {
    // Springs (i, j): stiffness 100 + 30 (i + j), rest 0.7 and, of the diagonals, 2.2.
    std::vector<mass_spring::Half> h;
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j)
        if (i != j) h.push_back({j, Real(100 + 30 * (i + j)), i + j == 3 ? Real(2.2) : Real(0.7)});
    halves.upload(h);
  }
  mass_spring::Network network() { return {first.span(), halves.span(), damping}; }
  mass_spring::Points points() { return {mass.span(), inverse_mass.span(), x.span(), v.span()}; }
};

}  // namespace

TEST_CASE("mass_spring: forces are minus the slope of the energy") {
  for (const V& d : ends)
    for (int a = 0; a < 3; ++a) {
      // f_i = -dE/dx_i = dE/dd
      const auto off = [&](double e) {
        return std::abs((energy(moved(d, a, e)) - energy(moved(d, a, -e))) / (2 * e) - force(d)[a]);
      };
      CHECK(off(1e-3) < 0.05);
      CHECK(std::log2(off(2e-3) / off(1e-3)) == Approx(2).margin(0.01));
    }
}

TEST_CASE("mass_spring: the tangent is the slope of the force") {
  for (const V& d : ends) {
    const auto r = reach(d);
    const auto t = mass_spring::tangent(r, k, rest);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        const double exact =
            (t.along - t.across) * r.along[a] * r.along[b] + (a == b ? t.across : 0);
        const auto off = [&](double e) {
          return std::abs((force(moved(d, b, e))[a] - force(moved(d, b, -e))[a]) / (2 * e) - exact);
        };
        CHECK(off(1e-4) < 1e-2);
        CHECK(std::log2(off(2e-3) / off(1e-3)) == Approx(2).margin(0.02));
      }
  }
}

TEST_CASE("mass_spring: positive tangents leave stretched springs and take compressed ones' push") {
  const auto stretched = mass_spring::tangent(reach(ends[0]), k, rest);
  CHECK(stretched.across > 0);
  CHECK(mass_spring::positive(stretched).across == stretched.across);
  const auto compressed = mass_spring::tangent(reach(ends[1]), k, rest);
  CHECK(compressed.across < 0);
  CHECK(mass_spring::positive(compressed).across == 0);
  CHECK(mass_spring::positive(compressed).along == k);
}

TEST_CASE("mass_spring: a spring whose ends meet pushes nowhere") {
  CHECK(norm(force(V{})) == 0);
  CHECK(mass_spring::tangent(reach(V{}), k, rest).across == 0);
  CHECK(mass_spring::tangent(reach(V{}), k, 0.0).across == k);  // an ideal spring of no length
}

TEST_CASE("mass_spring: damping acts along the spring alone, and takes energy") {
  const V d = ends[0], n = reach(d).along;
  const V dv{{1, 2, -0.5}};
  const V f = mass_spring::spring_force(reach(d), dv, 0.0, 3.0, rest);
  CHECK(norm(f - 3 * dot(n, dv) * n) < 1e-15);
  const V across = dv - dot(n, dv) * n;
  CHECK(norm(mass_spring::spring_force(reach(d), across, 0.0, 3.0, rest)) < 1e-15);
  CHECK(dot(f, dv) > 0);  // f acts on i, dv is of j: power of the pair -f . dv
}

TEST_CASE("mass_spring: both ends of a spring get the same bits, of opposite sign") {
  Square s(2);
  Buffer<Vec<3>> a(s.ex, 4);
  s.inverse_mass.upload(std::vector<Real>{1, 1, 1, 1});
  s.mass.upload(std::vector<Real>{1, 1, 1, 1});
  mass_spring::accelerate(s.ex, s.network(), {{}, 0}, s.inverse_mass.span(), s.x.span(), s.v.span(),
                          a.span());
  Vec<3> sum{};
  Real size = 0;
  for (Index i = 0; i < 4; ++i) sum = sum + a.span()[i], size += norm(a.span()[i]);
  // Only the sums of three forces each round.
  CHECK(norm(sum) < 8 * std::numeric_limits<Real>::epsilon() * size);
}

TEST_CASE("mass_spring: the implicit residual is the slope of phi, and the system its slope") {
  Square s(3);
  const Real h = Real(0.02);
  Buffer<Vec<3>> v(s.ex, s.v.download()), g(s.ex, 4), b(s.ex, 4);
  Buffer<mass_spring::Block> blocks(s.ex, 12);
  Buffer<Sym3> inverse_diagonal(s.ex, 4);
  v.span()[3] = Vec<3>{{-1, 2, Real(0.5)}};
  const auto descend = [&](Span<Vec<3>> out) {
    return mass_spring::descend(s.ex, s.network(), s.points(), s.field, h, v.span(), out);
  };
  descend(g.span());
  // Central differences of phi: e^2 of truncation against the rounding of phi, about 300 J.
  const double e = sizeof(Real) == 8 ? 1e-4 : 0.05, near = sizeof(Real) == 8 ? 1e-6 : 2e-2;
  for (Index i = 1; i < 4; ++i)
    for (int a = 0; a < 3; ++a) {
      const Real at = v.span()[i][a];
      v.span()[i][a] = at + Real(e);
      const double up = descend(b.span()).energy;
      v.span()[i][a] = at - Real(e);
      const double down = descend(b.span()).energy;
      v.span()[i][a] = at;
      CHECK(-(up - down) / (2 * e) == Approx(double(g.span()[i][a])).margin(near * 20));
    }

  // The blocks hold damping along the springs' present directions, phi along those of the start:
  // without damping, and with no spring compressed, the system is the slope of the residual.
  s.damping = 0;
  for (Index j = 0; j < 12; ++j) s.halves.span()[j].rest = Real(0.5);
  descend(g.span());
  mass_spring::assemble(s.ex, s.network(), s.points(), s.field.drag, h, {s.x.span(), v.span(), h},
                        blocks.span(), inverse_diagonal.span());
  const mass_spring::System A{s.first.span(), s.halves.span(),       blocks.span(),
                              s.mass.span(),  s.inverse_mass.span(), 1 + h * s.field.drag};
  Buffer<Vec<3>> unit(s.ex, 4);
  for (int a = 0; a < 3; ++a) {
    unit.zero();
    unit.span()[2][a] = 1;
    const Real at = v.span()[2][a];
    v.span()[2][a] = at + Real(e);
    descend(b.span());
    const std::vector<Vec<3>> up = b.download();
    v.span()[2][a] = at - Real(e);
    descend(b.span());
    v.span()[2][a] = at;
    for (Index i = 1; i < 4; ++i)
      for (int c = 0; c < 3; ++c)
        CHECK(double(A(i, unit.span())[c]) ==
              Approx(-double(up[std::size_t(i)][c] - b.span()[i][c]) / (2 * e)).margin(near));
  }
}

TEST_CASE("mass_spring: omega's bound counts a spring to a held point once") {
  Square s(2);
  const mass_spring::Rates r =
      mass_spring::rates(s.ex, s.network(), Real(0.7), s.inverse_mass.span());
  // Row 2 is the greatest: springs of 160 to the held point, 190 and 250, mass 0.5.
  CHECK(r.omega2 == Approx((160 + 2 * 190 + 2 * 250) / 0.5));
  CHECK(r.damping == Approx((1 + 2 + 2) * 2 / 0.5 + 0.7));
}
