#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "cloth_implicit/weave.h"
#include "exec/buffer.h"
#include "plate_bending/plate.h"

// Energies, forces and tangents of one triangle and one patch, in double.
using namespace rtsim;

namespace {

using V = Vec3d;
using Places = std::vector<V>;

const cloth::TriangleRest<double> rest{2.1, -0.4, 0.3, 1.7, 0.14};
const Places triangle{{{0.1, -0.2, 0.3}}, {{0.7, 0.1, 0.2}}, {{0.05, 0.5, 0.6}}};
const Places before{{{0.1, -0.2, 0.3}}, {{0.6, 0.1, 0.25}}, {{0.05, 0.4, 0.7}}};
// A triangle and two neighbours, with some weights that sum to nothing and curvatures at rest.
const Places patch{{{0.1, -0.2, 0.3}},
                   {{0.7, 0.1, 0.2}},
                   {{0.05, 0.5, 0.6}},
                   {{0.9, 0.7, 0.5}},
                   {{-0.4, 0.2, 0.1}}};
const V weights[5] = {{{-0.7, 1.1, -1.3}},
                      {{1.2, -0.4, -0.1}},
                      {{0.9, -0.6, 1.4}},
                      {{-1.4, 0.2, 0.5}},
                      {{0, -0.3, -0.5}}};
const Mat3<double> bent{{{{0.1, -0.3, 0.8}}, {{0.2, 0.05, -0.6}}, {{-0.15, 0.1, 0.5}}}};

cloth::Threads<double> threads_at(const Places& x) {
  return cloth::threads(rest, x[1] - x[0], x[2] - x[0]);
}

struct Woven {
  cloth::Fabric<double> k;
  cloth::Conditions<double> e(const Places& x) const {
    return cloth::damped(k, cloth::conditions(k, threads_at(x)),
                         cloth::conditions(k, threads_at(before)));
  }
  double energy(const Places& x) const {
    const auto c = cloth::conditions(k, threads_at(x)),
               c0 = cloth::conditions(k, threads_at(before));
    const auto a = cloth::energies(k, c),
               d = cloth::energies(k, {c.u - c0.u, c.v - c0.v, c.shear - c0.shear});
    return rest.area * (a.u + a.v + a.shear + k.lag * (d.u + d.v + d.shear));
  }
  Places forces(const Places& x) const {
    const auto f = cloth::corner_forces(rest, cloth::pulls(k, threads_at(x), e(x)));
    return {-(f.u + f.v), f.u, f.v};
  }
  Mat3<double> tangent(const Places& x, int i, int j, bool positive) const {
    return cloth::corner_tangent(rest, cloth::weave_tangent(k, threads_at(x), e(x), positive), i,
                                 j);
  }
};

// Stretch along the warp, along the weft, and shear alone; then all of them, damped.
const Woven kinds[] = {{{700, 0, 0, 1, 1, 0}},
                       {{0, 500, 0, 1, 1, 0}},
                       {{0, 0, 60, 1, 1, 0}},
                       {{700, 500, 60, 0.9, 1.1, 1.5}}};

struct Bend {
  Mat3<double> c{}, rest;
  plate::PlateFrame<double> frame;
  explicit Bend(const Places& x, const Mat3<double>& at_rest = bent)
      : frame(plate::frame(x[1] - x[0], x[2] - x[0])) {
    for (std::size_t i = 1; i < 5; ++i) c = c + outer(weights[i], x[i] - x[0]);
    rest = frame.out(at_rest);
  }
  double energy() const { return 0.5 * plate::square(c + -1. * rest); }
  V force(const Places& x, std::size_t i) const {
    V f, torque;
    for (int j = 0; j < 3; ++j) {
      f = f - weights[i][j] * (c.row[j] - rest.row[j]);
      torque = torque + cross(rest.row[j], c.row[j]);
    }
    if (i > 2) return f;
    return f + plate::corner_forces(frame, x[1] - x[0], x[2] - x[0], torque).row[i];
  }
};

// Central differences of f by coordinate a of point i.
double slope(const std::function<double(const Places&)>& f, Places x, std::size_t i, int a,
             double e) {
  x[i][a] += e;
  const double up = f(x);
  x[i][a] -= 2 * e;
  return (up - f(x)) / (2 * e);
}

// The slope is `exact`, with an error of second order, of which rounding leaves no less than
// `least`.
void check_slope(const std::function<double(const Places&)>& f, const Places& x, std::size_t i,
                 int a, double exact, double least) {
  const double coarse = std::abs(slope(f, x, i, a, 2e-3) - exact),
               fine = std::abs(slope(f, x, i, a, 1e-3) - exact);
  if (coarse < least)
    CHECK(fine < least);
  else
    CHECK(std::log2(coarse / fine) == Approx(2).margin(0.05));
}

}  // namespace

TEST_CASE("cloth_implicit: forces of stretch and shear are minus the slopes of their energies") {
  for (const Woven& w : kinds)
    for (std::size_t i = 0; i < 3; ++i)
      for (int a = 0; a < 3; ++a)
        check_slope([&](const Places& x) { return w.energy(x); }, triangle, i, a,
                    -w.forces(triangle)[i][a], 1e-8);
}

TEST_CASE("cloth_implicit: blocks of stretch and shear are minus the slopes of their forces") {
  for (const Woven& w : kinds)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            check_slope([&](const Places& x) { return -w.forces(x)[std::size_t(i)][a]; }, triangle,
                        std::size_t(j), b, w.tangent(triangle, i, j, false).row[a][b], 1e-7);
}

TEST_CASE("plate: forces of a patch are minus the slope of its energy") {
  for (std::size_t i = 0; i < 5; ++i)
    for (int a = 0; a < 3; ++a)
      check_slope([](const Places& x) { return Bend(x).energy(); }, patch, i, a,
                  -Bend(patch).force(patch, i)[a], 1e-8);
}

namespace {

// That patch as the kernels have it.
struct Packed {
  Exec ex = Exec::cpu(1);
  std::vector<Index> first{0, 5}, points{0, 1, 2, 3, 4};
  std::vector<Vec<3>> k, x, force{5};
  std::vector<Row4> v{5};
  std::vector<Mat3<Real>> rest{cast(bent)}, before{cast(-0.4 * bent)};

  Packed() {
    for (const V& w : weights) k.push_back(narrow<3>(w));
    for (const V& p : patch) x.push_back(narrow<3>(p));
  }
  static Mat3<Real> cast(const Mat3<double>& m) {
    return {{narrow<3>(m.row[0]), narrow<3>(m.row[1]), narrow<3>(m.row[2])}};
  }
  template <class T>
  static Span<const T> view(const std::vector<T>& all) {
    return {all.data(), Index(all.size())};
  }
  plate::Energies forces(Real stiffness, Real lag) {
    const Span<const Mat3<Real>> start = lag > 0 ? view(before) : Span<const Mat3<Real>>{};
    return plate::forces(ex, {view(first), view(points), view(k), view(rest), {}, {}},
                         {stiffness, lag}, start, {view(x), view(v), 0}, {force.data(), 5});
  }
};

}  // namespace

// Damping takes it back to the curvature before as bending does to that at rest: the law is linear
// in them.
TEST_CASE("plate: the kernel's forces and energies are those of the law") {
  const Mat3<double> before = -0.4 * bent;
  for (const double lag : {0., 2.5}) {
    Packed kernel;
    const plate::Energies e = kernel.forces(3, Real(lag));
    CHECK(e.bending == Approx(3 * Bend(patch).energy()).epsilon(1e-5));
    CHECK(e.damping == Approx(3 * lag * Bend(patch, before).energy()).epsilon(1e-5));
    for (std::size_t i = 0; i < 5; ++i) {
      const V exact = 3 * (Bend(patch).force(patch, i) + lag * Bend(patch, before).force(patch, i));
      CHECK(norm(widen(kernel.force[i]) - exact) < 1e-5 * (1 + norm(exact)));
    }
  }
}

TEST_CASE("plate: forces of a patch neither push nor turn it as a whole") {
  V sum, moment;
  for (std::size_t i = 0; i < 5; ++i) {
    const V f = Bend(patch).force(patch, i);
    sum = sum + f, moment = moment + cross(patch[i], f);
  }
  CHECK(norm(sum) < 1e-14);
  CHECK(norm(moment) < 1e-14);
}

TEST_CASE("plate: a triangle without area has no frame, and no force of one") {
  Places line = patch;
  line[2] = line[0];
  CHECK(plate::square(Bend(line).rest) == 0);
  for (std::size_t i = 0; i < 5; ++i) CHECK(std::isfinite(norm(Bend(line).force(line, i))));
}

TEST_CASE("cloth_implicit: positive blocks take no energy, and are the others where those are") {
  // x^T K x over many x: of the whole nothing negative, but of what was left out.
  double least = 0, least_before = 0;
  Woven w = kinds[3];
  w.k.lag = 0, w.k.warp_length = 3;  // a compressed warp
  std::uint32_t seed = 1;
  const auto random = [&] {
    return double((seed = seed * 1664525u + 1013904223u) >> 8) / 8388608 - 1;
  };
  for (int k = 0; k < 2000; ++k) {
    Places d(3);
    for (V& x : d) x = V{{random(), random(), random()}};
    for (const bool positive : {true, false}) {
      double sum = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          sum += dot(d[std::size_t(i)], w.tangent(triangle, i, j, positive) * d[std::size_t(j)]);
      double& to = positive ? least : least_before;
      to = std::min(to, sum);
    }
  }
  CHECK(least >= 0);
  CHECK(least_before < -1);
  Woven stretched = kinds[0];
  for (int a = 0; a < 3; ++a)
    CHECK(norm(stretched.tangent(triangle, 0, 1, true).row[a] -
               stretched.tangent(triangle, 0, 1, false).row[a]) == 0);
}

TEST_CASE("cloth_implicit: a turn of the whole makes no force") {
  // By 1.2 rad about (1, 2, 2) / 3, of a triangle and a patch at rest.
  const V n{{1. / 3, 2. / 3, 2. / 3}};
  const auto turn = [&](const V& x) {
    return std::cos(1.2) * x + std::sin(1.2) * cross(n, x) + (1 - std::cos(1.2)) * dot(n, x) * n;
  };
  // w_u and w_v are units at right angles.
  const double det = rest.a1 * rest.b2 - rest.a2 * rest.b1;
  const Places flat{
      {{0, 0, 0}}, {{rest.b2 / det, -rest.a2 / det, 0}}, {{-rest.b1 / det, rest.a1 / det, 0}}};
  Places turned, turned_patch;
  for (const V& x : flat) turned.push_back(turn(x));
  for (const V& x : patch) turned_patch.push_back(turn(x));
  Woven w = kinds[3];
  w.k.lag = 0, w.k.warp_length = w.k.weft_length = 1;
  for (const V& f : w.forces(turned)) CHECK(norm(f) < 1e-12);
  CHECK(Bend(turned_patch).energy() == Approx(Bend(patch).energy()).epsilon(1e-14));
  CHECK(norm(threads_at(turned).u - turn(V{{1, 0, 0}})) < 1e-14);
}
