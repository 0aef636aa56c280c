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

// Four points, each joined to each by unequal springs; point 0 is held. In one slice, so that four
// rows are empty.
struct Square {
  Exec ex = Exec::cpu(1);
  Buffer<Index> first{ex, std::vector<Index>{0, 3}};
  Buffer<mass_spring::Slot> slots{ex, 3};
  Buffer<Real> mass{ex, std::vector<Real>{1, 2, Real(0.5), 1}};
  Buffer<Real> inverse_mass{ex, std::vector<Real>{0, Real(0.5), 2, 1}};
  Buffer<Vec<3>> x{ex, std::vector<Vec<3>>{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{1, 1, 1}}}};
  Buffer<Vec<3>> v{
      ex, std::vector<Vec<3>>{{{0, 0, 0}}, {{1, 2, 0}}, {{0, -1, 0}}, {{Real(0.3), 1, 1}}}};
  Real damping;
  mass_spring::Field field{{{0, -10, 0}}, Real(0.7)};

  explicit Square(Real c) : damping(c) {
    // Springs (i, j): stiffness 100 + 30 (i + j), rest 0.7 and, of the diagonals, 2.2.
    slots.zero();
    for (Index i = 0; i < 4; ++i)
      for (Index e = 0; e < 3; ++e) {
        const Index j = (i + 1 + e) % 4;
        mass_spring::Slot& s = slots.span()[e];
        s.other[i] = j, s.stiffness[i] = Real(100 + 30 * (i + j));
        s.rest[i] = i + j == 3 ? Real(2.2) : Real(0.7);
      }
  }
  mass_spring::Network network() { return {first.span(), slots.span(), damping}; }
  mass_spring::Points points() { return {mass.span(), inverse_mass.span(), x.span(), v.span()}; }
  Buffer<Row4> packed(const Buffer<Vec<3>>& from) {
    Buffer<Row4> to(ex, std::size_t(lane_count));
    mass_spring::pack(ex, from.span(), to.span());
    return to;
  }
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
  s.inverse_mass.upload(std::vector<Real>{1, 1, 1, 1});
  s.mass.upload(std::vector<Real>{1, 1, 1, 1});
  const Buffer<Row4> x = s.packed(s.x), v = s.packed(s.v);
  for (const Exec& ex : {s.ex, s.ex.device_shaped()}) {
    Buffer<Vec<3>> a(s.ex, 4);
    mass_spring::accelerate(
        ex, {s.network(), {{}, 0}, s.inverse_mass.span(), x.span(), v.span(), a.span()});
    Vec<3> sum{};
    Real size = 0;
    for (Index i = 0; i < 4; ++i) sum = sum + a.span()[i], size += norm(a.span()[i]);
    // Only the sums of three forces each round.
    CHECK(norm(sum) < 8 * std::numeric_limits<Real>::epsilon() * size);
    CHECK(size > 100);
  }
}

TEST_CASE("mass_spring: the implicit residual is the slope of phi") {
  Square s(3);
  const Real h = Real(0.02);
  Buffer<Row4> v = s.packed(s.v), g(s.ex, 8), b(s.ex, 8);
  v.span()[3] = {-1, 2, Real(0.5), 0};
  const auto descend = [&](Span<Row4> out) {
    return mass_spring::gradient(s.ex, s.network(), {}, s.points(), s.field, h, v.span(), out);
  };
  descend(g.span());
  // Central differences of phi: e^2 of truncation against the rounding of phi, about 300 J.
  const double e = sizeof(Real) == 8 ? 1e-4 : 0.05, near = sizeof(Real) == 8 ? 2e-5 : 0.4;
  for (Index i = 1; i < 4; ++i)
    for (int a = 0; a < 3; ++a) {
      Real& at = (&v.span()[i].x)[a];
      const Real before = at;
      at = before + Real(e);
      const double up = descend(b.span()).energy;
      at = before - Real(e);
      const double down = descend(b.span()).energy;
      at = before;
      CHECK(-(up - down) / (2 * e) == Approx(double((&g.span()[i].x)[a])).margin(near));
    }
}

TEST_CASE("mass_spring: the system is the slope of the residual, in lanes and point by point") {
  // The blocks hold damping along the springs' present directions, the residual along those of the
  // start, and compressed springs give way: without either the two are one.
  Square s(0);
  for (Index e = 0; e < 3; ++e)
    for (Index l = 0; l < 4; ++l) s.slots.span()[e].rest[l] = Real(0.5);
  const Real h = Real(0.02);
  const double step = sizeof(Real) == 8 ? 1e-4 : 0.05, near = sizeof(Real) == 8 ? 1e-6 : 2e-2;
  Buffer<Row4> v = s.packed(s.v), b(s.ex, 8), unit(s.ex, 8), q(s.ex, 8);
  Buffer<mass_spring::BlockSlot> blocks(s.ex, 3);
  Buffer<Real> inertia(s.ex, 8);
  Buffer<Sym3Slot> inverse_diagonal(s.ex, 1);
  Buffer<Row4> filter(s.ex, 8);
  mass_spring::assemble(s.ex, {s.network(),
                               s.points(),
                               {s.x.span(), v.span(), h},
                               s.field.drag,
                               h,
                               {},
                               blocks.span(),
                               inertia.span(),
                               inverse_diagonal.span(),
                               filter.span()});
  const mass_spring::System A{s.first.span(), blocks.span(), inertia.span(), {}};
  const auto descend = [&] {
    mass_spring::gradient(s.ex, s.network(), {}, s.points(), s.field, h, v.span(), b.span());
    return b.download();
  };
  for (int a = 0; a < 3; ++a) {
    unit.zero();
    (&unit.span()[2].x)[a] = 1;
    Real& at = (&v.span()[2].x)[a];
    const Real before = at;
    at = before + Real(step);
    const std::vector<Row4> up = descend();
    at = before - Real(step);
    const std::vector<Row4> down = descend();
    at = before;
    for (const Exec& ex : {s.ex, s.ex.device_shaped()}) {
      const double pq = mass_spring::multiply(ex, A, unit.span(), q.span());
      CHECK(pq == Approx(double((&q.span()[2].x)[a])));
      CHECK(norm(mass_spring::vec(q.span()[0])) == 0);  // held
      for (std::size_t i = 1; i < 4; ++i)
        for (int c = 0; c < 3; ++c)
          CHECK(double((&q.span()[Index(i)].x)[c]) ==
                Approx(-double((&up[i].x)[c] - (&down[i].x)[c]) / (2 * step)).margin(near));
    }
    // The preconditioner turns the diagonal block's column into a unit vector.
    const Vec<3> one = inverse_diagonal.span()[0][2] * mass_spring::vec(q.span()[2]);
    for (int c = 0; c < 3; ++c) CHECK(double(one[c]) == Approx(c == a ? 1 : 0).margin(1e-4));
  }
}

TEST_CASE("mass_spring: omega's bound counts a spring to a held point once") {
  Square s(2);
  const mass_spring::Rates r =
      mass_spring::rates(s.ex, s.network(), Real(0.7), s.inverse_mass.span(), {});
  // Row 2 is the greatest: springs of 160 to the held point, 190 and 250, mass 0.5.
  CHECK(r.omega2 == Approx((160 + 2 * 190 + 2 * 250) / 0.5));
  CHECK(r.damping == Approx((1 + 2 + 2) * 2 / 0.5 + 0.7));
}
