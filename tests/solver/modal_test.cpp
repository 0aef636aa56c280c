#include <numbers>

#include "modal/oscillator.h"
#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

std::string modal_stage(const std::string& more) {
  return R"({"type": "modal", "mesh": "m", )" + more + "}";
}
std::string block(const std::string& max, const std::string& cells) {
  return fmt::format(R"("block": {{"min": [0, 0, 0], "max": {}, "cells": {}}})", max, cells);
}
const std::string clamp = R"("inside": {"box": {"min": [-1, -1, -1], "max": [1e-5, 9, 9]}})";

std::vector<double> column(Running& r, const char* name) {
  return r.world().table("modal.modes").download<double>(name);
}
void set(Running& r, const char* name, const std::vector<double>& values) {
  const Span<double> to = r.world().table("modal.modes").column<double>(name);
  r.world().exec.upload(to.data, values.data(), values.size() * sizeof(double));
}
std::vector<double> frequencies(const std::string& scene) {
  Running r(scene, Exec::cpu(1));
  return column(r, "frequency");
}

// 1 x 0.1 x 0.1 m, of 1000 kg/m^3, held at x = 0.
struct Beam {
  double E = 1e7, nu = 0.3, length = 1, side = 0.1;
  int along = 20, through = 2;
  bool held = true;
  std::string gravity = "[0, -9.81, 0]";

  MeshScene scene(const std::string& more, double dt = 0.01, const std::string& others = "") const {
    return {.mesh = block(fmt::format("[{0}, {1}, {1}]", length, side),
                          fmt::format("[{0}, {1}, {1}]", along, through)),
            .weight = R"("density": 1000)",
            .stages = (held ? hold(clamp) + ", " : "") + others +
                      modal_stage(fmt::format(R"("youngs_modulus": {}, "poissons_ratio": {}, {})",
                                              E, nu, more)),
            .dt = dt,
            .gravity = gravity};
  }
  Vec3d tip(Running& r) const {
    Vec3d sum;
    const auto rows = std::size_t((through + 1) * (through + 1));
    const auto x = places(r);
    for (std::size_t k = 0; k < rows; ++k)
      sum = sum + 1. / double(rows) * x[std::size_t(along) + k * std::size_t(along + 1)];
    return sum - Vec3d{{length, side / 2, side / 2}};
  }
};

// Timoshenko's beam, clamped at one end and free at the other: the roots of its determinant, found
// from the shapes cosh(a x), sinh(a x), cos(b x), sin(b x) (Han, Benaroya & Wei, "Dynamics
// of Transversely Vibrating Beams Using Four Engineering Theories", JSV 1999).
struct Timoshenko {
  double E, nu, rho, side, length, shear = 5. / 6;  // a square section, of slow shear

  double determinant(double w) const {
    const double I = std::pow(side, 4) / 12, A = side * side, G = E / (2 * (1 + nu)), k = shear;
    const double p = rho * w * w / E, s = rho * w * w / (k * G), f = rho * A * w * w / (E * I);
    const double half = (p + s) / 2, rest = std::sqrt((p - s) * (p - s) / 4 + f);
    const double a = std::sqrt(rest - half), b = std::sqrt(rest + half), L = length;
    // The turn of the section that goes with each: w' turned by the shear.
    const double ta = (a * a + s) / a, tb = (b * b - s) / b;
    // Clamped: w = C (cosh - cos) + D (sinh - ta/tb sin), turn likewise zero. At the free end the
    // moment psi' and the shear w' - psi are zero.
    const double moment_c = ta * a * std::cosh(a * L) + tb * b * std::cos(b * L),
                 moment_d = ta * a * std::sinh(a * L) + ta * b * std::sin(b * L),
                 shear_c = (a - ta) * std::sinh(a * L) + (b - tb) * std::sin(b * L),
                 shear_d = (a - ta) * std::cosh(a * L) - (b - tb) * ta / tb * std::cos(b * L);
    return moment_c * shear_d - moment_d * shear_c;
  }
  // The root nearest above, in Hz.
  double next(double from_hertz) const {
    double low = from_hertz, step = 1e-3 * from_hertz;
    const auto at = [&](double hz) { return determinant(2 * std::numbers::pi * hz); };
    while (at(low) * at(low + step) > 0) low += step;
    double high = low + step;
    for (int k = 0; k < 60; ++k) {
      const double middle = (low + high) / 2;
      (at(low) * at(middle) > 0 ? low : high) = middle;
    }
    return low;
  }
};

}  // namespace

TEST_CASE("modal: a step of an oscillator is exact, however damped and however long") {
  // Against the three closed forms, from 1 and with 0.4 under the force 0.7.
  for (const double w : {0.3, 2., 71.})
    for (const double zeta : {0., 0.1, 0.9, 1., 1.2, 7.})
      for (const double h : {1e-5, 0.03, 1.7}) {
        INFO(w << " " << zeta << " " << h);
        const auto m = modal::propagator(w, zeta, h);
        const double c = zeta * w, rest = 0.7 / (w * w), y = 1 - rest, v = 0.4;
        double exact = 0, rate = 0;
        if (zeta < 1) {
          const double d = w * std::sqrt(1 - zeta * zeta), decay = std::exp(-c * h);
          const double B = (v + c * y) / d;
          exact = decay * (y * std::cos(d * h) + B * std::sin(d * h));
          rate = -c * exact + decay * d * (B * std::cos(d * h) - y * std::sin(d * h));
        } else if (zeta == 1) {
          exact = std::exp(-w * h) * (y + (v + w * y) * h);
          rate = -w * exact + std::exp(-w * h) * (v + w * y);
        } else {
          const double k = w * std::sqrt(zeta * zeta - 1), slow = -w * w / (c + k), fast = -c - k;
          const double a = (v - fast * y) / (slow - fast), b = y - a;
          exact = a * std::exp(slow * h) + b * std::exp(fast * h);
          rate = a * slow * std::exp(slow * h) + b * fast * std::exp(fast * h);
        }
        CHECK(m.a * y + m.b * v == Approx(exact).epsilon(1e-12).margin(1e-12));
        CHECK(m.c * y + m.d * v == Approx(rate).epsilon(1e-12).margin(1e-11 * w));
        CHECK(m.lag == Approx((1 - m.a) / (w * w)).epsilon(1e-4).margin(1e-15 / (w * w)));
        // Critical damping is no special place.
        if (zeta == 1)
          for (const double near : {1 - 1e-7, 1 + 1e-7})
            CHECK(modal::propagator(w, near, h).a == Approx(m.a).epsilon(1e-5).margin(1e-12));
      }
}

TEST_CASE("modal: a rod without Poisson's ratio rings along itself, at second order in the mesh") {
  // (2 n - 1) / (4 L) root(E / rho)
  const auto off = [](int along, int n) {
    const Beam b{.nu = 0, .along = along, .through = 1};
    const double exact = (2 * n - 1) / 4. * std::sqrt(b.E / 1000);
    double nearest = 1e30;
    for (const double f : frequencies(b.scene(R"("modes": 40)").text()))
      if (std::abs(f - exact) < std::abs(nearest)) nearest = f - exact;
    return std::abs(nearest) / exact;
  };
  for (int n = 1; n <= 2; ++n) {
    INFO(off(10, n) << " " << off(20, n));
    CHECK(off(10, n) < 0.02);
    CHECK(std::log2(off(10, n) / off(20, n)) > 1.7);
  }
}

TEST_CASE("modal: a slender beam rings as Timoshenko's, at second order in the mesh") {
  const Timoshenko exact{1e7, 0.3, 1000, 0.1, 1};
  // The slender limit, b_n^2 / (2 pi L^2) root(E I / (rho A)), is a little higher.
  CHECK(exact.next(1.2) == Approx(1.6154).epsilon(0.02));
  const double bending[] = {exact.next(1.2), exact.next(6), exact.next(20)};
  const auto at = [&](int through) {
    return frequencies(
        Beam{.along = 10 * through, .through = through}.scene(R"("modes": 10)").text());
  };
  const auto coarse = at(2), fine = at(4);
  // Bending comes in pairs; the torsion and the stretch between them are single.
  const std::size_t pair[] = {0, 2, 6};
  for (int n = 0; n < 3; ++n) {
    const double f2 = coarse[pair[n]], f4 = fine[pair[n]];
    INFO(f2 << " " << f4 << " " << bending[n]);
    CHECK(fine[pair[n] + 1] == Approx(f4).epsilon(1e-3));
    CHECK(f4 + (f4 - f2) / 3 == Approx(bending[n]).epsilon(0.02));
  }
}

TEST_CASE("modal: a free bar rings as a free beam, and its lowest mode is no rigid one") {
  // Euler's free beam has (4.73004 / 1.875104)^2 = 6.3633 times the held one's lowest frequency;
  // slender, so that shear counts for little, and both are as much too stiff by their elements.
  const Beam slender{.side = 0.02, .along = 100, .through = 2};
  Beam loose = slender;
  loose.held = false;
  const double held = frequencies(slender.scene(R"("modes": 2)").text())[0];
  const auto ring = frequencies(loose.scene(R"("modes": 4)").text());
  CHECK(ring[0] / held == Approx(6.3633).epsilon(0.005));
  CHECK(ring[2] / ring[0] == Approx(2.75654).epsilon(0.01));  // (7.8532 / 4.73004)^2
}

TEST_CASE("modal: modes are those of a dense solve, pairs of equal frequency among them") {
  // A rod of a square section whose mesh is the same along y and z but for the diagonals: pairs lie
  // close by, and more unknowns than are solved densely. All modes of fewer unknowns, from the top.
  const Beam sparse{.nu = 0, .along = 12, .through = 3}, few{.along = 2, .through = 1};
  const auto some = frequencies(sparse.scene(R"("modes": 12)").text()),
             more = frequencies(sparse.scene(R"("modes": 40)").text());
  for (std::size_t k = 0; k < some.size(); ++k) CHECK(some[k] == Approx(more[k]).epsilon(1e-9));
  CHECK(std::ranges::is_sorted(more));
  CHECK(frequencies(few.scene(R"("modes": 24)").text()).size() == 24);
  CHECK(frequencies(sparse.scene(R"("modes": 40, "highest_frequency": 30)").text()).back() <= 30);
}

TEST_CASE("modal: a damped mode decays as it should in steps longer than its period") {
  const Beam b{.along = 6, .gravity = "[0, 0, 0]"};
  Running r(b.scene(R"("modes": 3, "damping_ratio": 0.01, "rayleigh_mass": 0.3,
                        "rayleigh_stiffness": 2e-4)",
                    0.9)
                .text(),
            Exec::cpu(1));
  const double w = 2 * std::numbers::pi * column(r, "frequency")[0];
  set(r, "amplitude", {0.02, 0, 0});
  r.refresh();
  r.advance(7);
  const double zeta = 0.01 + (0.3 / w + 2e-4 * w) / 2, c = zeta * w, t = 7 * 0.9;
  const double d = w * std::sqrt(1 - zeta * zeta);
  CHECK(
      column(r, "amplitude")[0] ==
      Approx(0.02 * std::exp(-c * t) * (std::cos(d * t) + c / d * std::sin(d * t))).epsilon(1e-9));
  CHECK(column(r, "amplitude")[1] == 0);
}

TEST_CASE("modal: an undamped beam keeps its energy to round-off for 100,000 steps") {
  const Beam b{.along = 4, .through = 1, .gravity = "[0, 0, 0]"};
  Running r(b.scene(R"("modes": 6)", 0.0137).text(), Exec::cpu(1));
  set(r, "amplitude", {0.02, -0.01, 0.003, 0, 0.001, 0.002});
  r.refresh();
  const auto energy = [&] { return r.measure("m.kinetic_energy") + r.measure("m.elastic_energy"); };
  const double first = energy();
  r.advance(100000);
  CHECK(energy() == Approx(first).epsilon(1e-10));  // each of its steps rounds by 1e-16
}

TEST_CASE("modal: all modes of a block do what finite elements do, as their step goes to zero") {
  const Beam b{.along = 3, .through = 1};
  const auto end = [&](const std::string& stage, double dt) {
    MeshScene s = b.scene(R"("modes": 36)", dt);
    s.gravity = "[0, -0.01, 0]";
    if (!stage.empty()) s.stages = hold(clamp) + ", " + stage;
    Running r(s.text(), Exec::cpu(1));
    r.advance(std::lround(0.24 / dt));
    return b.tip(r)[1];
  };
  const auto fem = [&](double dt) {
    return end(R"({"type": "fem", "mesh": "m", "material": "linear", "youngs_modulus": 1e7,
                   "integrator": "newmark", "newton_iterations": 1, "cg_tolerance": 1e-7})",
               dt);
  };
  // One step of any length is exact under a constant load.
  const double exact = end("", 0.24);
  CHECK(end("", 0.01) == Approx(exact).epsilon(1e-4));
  const double coarse = std::abs(fem(0.02) - exact), fine = std::abs(fem(0.01) - exact);
  INFO(exact << " " << coarse << " " << fine);
  CHECK(std::abs(exact) > 1e-6);
  CHECK(std::log2(coarse / fine) > 1.5);
}

TEST_CASE("modal: what modes leave out goes to zero as there are more") {
  // Critically damped, long after: where the weight of the beam holds it, as all modes have it.
  const Beam b{.along = 8, .through = 1};
  const auto sag = [&](int modes) {
    Running r(b.scene(fmt::format(R"("modes": {}, "damping_ratio": 1)", modes), 10).text(),
              Exec::cpu(1));
    r.advance(3);
    return -b.tip(r)[1];
  };
  const double all = sag(96);
  double last = 1;
  for (const int modes : {2, 8, 24, 48}) {
    const double left = std::abs(sag(modes) / all - 1);
    INFO(modes << " " << left);
    CHECK(left <= last + 1e-5);  // places are floats
    last = left;
  }
  // One pair, since the mesh is not the same along y and z: but for 1.5 % a beam's weight is its.
  CHECK(std::abs(sag(2) / all - 1) < 0.05);
  CHECK(last < 1e-3);
}

TEST_CASE("modal: a load that stays comes to its static place, whatever the step") {
  const Beam b{.along = 8, .through = 1, .gravity = "[0, 0, 0]"};
  const std::string load = R"({"type": "attach", "name": "load", "mesh": "m", "points": [8],
                               "load": {"force": [0, 0.5, 0]}}, )";
  const auto tip = [&](double dt) {
    Running r(b.scene(R"("modes": 96, "damping_ratio": 1)", dt, load).text(), Exec::cpu(1));
    r.advance(std::lround(30 / dt));
    return b.tip(r)[1];
  };
  const double at = tip(3);
  CHECK(at > 1e-4);
  CHECK(tip(0.5) == Approx(at).epsilon(1e-4));  // velocities of points are floats
  CHECK(tip(0.01) == Approx(at).epsilon(1e-3));
}

TEST_CASE("modal: a base that starts to move leaves the beam behind") {
  // q = -(sum m phi) V sin(w t) / w from the base that moves with V at once.
  const Beam b{.along = 8, .through = 1, .gravity = "[0, 0, 0]"};
  MeshScene s = b.scene(R"("modes": 5)", 0.05);
  s.stages = hold(clamp, R"(, "motion": {"velocity": [0, 0.2, 0.1]})") + ", " +
             modal_stage(R"("youngs_modulus": 1e7, "modes": 5)");
  Running r(s.text(), Exec::cpu(1));
  const double w = 2 * std::numbers::pi * column(r, "frequency")[0];
  r.advance(1);
  const double first = column(r, "amplitude")[0] / std::sin(w * 0.05);
  r.advance(12);
  CHECK(column(r, "amplitude")[0] == Approx(first * std::sin(w * 0.65)).epsilon(1e-4));
  CHECK(std::abs(first) > 1e-3);
  CHECK(places(r)[0][1] == Approx(0.2 * 0.65).epsilon(1e-5));
}

// At once, by keyframes back and forth, and up against the weight; wind and the floor besides.
TEST_CASE("modal: what a base that moves does is fed") {
  const std::string motions[] = {
      R"("velocity": [0.1, 0.3, 0.1])",
      R"("keyframes": [{"time": 0}, {"time": 0.3, "translate": [0, 0.2, 0.1]},
                       {"time": 0.7, "translate": [0, -0.1, 0]}])"};
  for (const std::string& motion : motions)
    for (const double dt : {0.003, 0.05}) {
      CAPTURE(motion, dt);
      MeshScene s = Beam{.along = 8, .through = 1}.scene(R"("modes": 5)", dt);
      s.stages = hold(clamp, R"(, "motion": {)" + motion + "}") + ", " +
                 modal_stage(R"("youngs_modulus": 1e7, "modes": 5)");
      Running r(s.text(), Exec::cpu(1));
      const auto energy = [&] {
        return r.measure("m.kinetic_energy") + r.measure("m.elastic_energy") +
               r.measure("m.potential_energy");
      };
      const double first = energy();
      double most = 0;
      for (int k = 0; k < std::lround(1 / dt); ++k) {
        r.advance(1);
        most = std::max(most, r.measure("m.elastic_energy"));
        CHECK(energy() - r.measure("m.fed_energy") == Approx(first).margin(1e-4));
      }
      CHECK(most > 0.05);
    }
}

TEST_CASE("modal: warped shapes bend without growing longer") {
  // The elastica under a load at its end, alpha = P L^2 / (E I): delta/L = 0.162144, 0.301721 of
  // alpha = 0.5, 1; a linear beam has alpha / 3. Two linear cells bend by 64.3 % of what they
  // should.
  const auto bent = [](double alpha, bool warping) {
    Beam b{.nu = 0, .side = 0.05, .along = 40, .gravity = "[0, 0, 0]"};
    const std::string load = fmt::format(
        R"({{"type": "attach", "name": "load", "mesh": "m",
             "inside": {{"box": {{"min": [0.9999, -1, -1], "max": [2, 1, 1]}}}},
             "load": {{"force": [0, {}, 0]}}}}, )",
        -alpha / 0.643 * b.E * std::pow(b.side, 4) / 12);
    Running r(b.scene(fmt::format(R"("modes": 20, "damping_ratio": 1, "warping": {})", warping),
                      0.2, load)
                  .text(),
              Exec::cpu(1));
    r.advance(100);
    const auto x = places(r);
    double length = 0;
    for (int k = 0; k < b.along; ++k) {  // the middle line
      const auto at = std::size_t(k + 4 * (b.along + 1));
      length += norm(x[at + 1] - x[at]);
    }
    return std::array{-b.tip(r)[1], length};
  };
  CHECK(bent(1, false)[0] == Approx(1. / 3).epsilon(0.005));
  CHECK(bent(1, false)[1] > 1.05);
  CHECK(bent(0.5, true)[0] == Approx(0.162144).epsilon(0.015));
  CHECK(bent(1, true)[0] == Approx(0.301721).epsilon(0.04));  // it is not exact
  CHECK(bent(1, true)[1] == Approx(1).epsilon(0.015));
}

TEST_CASE("modal: says what it cannot have") {
  const Beam few{.along = 1, .through = 1}, b{.along = 4, .through = 1};
  Beam loose = few;
  loose.held = false;
  CHECK_THAT(refusal(few.scene(R"("modes": 13)").text(), 0),
             Catch::Contains("\"modes\": 13 of 'm', which has 12: 4 free points in 3 directions"));
  CHECK_THAT(refusal(loose.scene(R"("modes": 20)").text(), 0),
             Catch::Contains("which has 18: 8 free points in 3 directions, less 6 rigid motions"));
  CHECK_THAT(refusal(b.scene(R"("highest_frequency": 0.001)").text(), 0),
             Catch::Contains("\"highest_frequency\" leaves no mode of 'm', whose lowest has"));
  MeshScene s = b.scene(R"("modes": 4)");
  s.stages = hold(R"("points": [0])") + ", " + modal_stage(R"("modes": 4)");
  CHECK_THAT(refusal(s.text(), 0), Catch::Contains("the held points of 'm' let it turn"));
  s.stages = modal_stage(R"("modes": 4)") + ", " + hold(clamp);
  CHECK_THAT(refusal(s.text(), 2), Catch::Contains("put \"attach\" before \"modal\""));
  s.stages = hold(clamp, R"(, "end": 0.015)") + ", " + modal_stage(R"("modes": 4)");
  CHECK_THAT(refusal(s.text(), 4),
             Catch::Contains("is held otherwise than when its modes were found"));
  s.stages = hold(clamp, R"(, "motion": {"spin": 1})") + ", " + modal_stage(R"("modes": 4)");
  CHECK_THAT(refusal(s.text(), 4), Catch::Contains("held points of 'm' turn, or move apart"));
  s.mesh = line("[0, 0, 0]", "[1, 0, 0]", 5);
  s.weight = R"("vertex_mass": 1)";
  s.stages = modal_stage(R"("modes": 4)");
  CHECK_THAT(refusal(s.text(), 0), Catch::Contains("has neither tetrahedra nor triangles"));
  CHECK_THAT(refusal(loose.scene(R"("modes": 4, "warping": true)").text(), 0),
             Catch::Contains("\"warping\" of 'm', which is free"));
}

TEST_CASE("modal: elements of second order ring as Timoshenko's beam with two cells through it") {
  const Timoshenko exact{1e7, 0.3, 1000, 0.1, 1};
  MeshScene s = Beam{}.scene(R"("modes": 8)");
  s.mesh = R"("order": 2, )" + s.mesh;
  const auto f = frequencies(s.text());
  // What is held across a clamped end cannot narrow there, which stiffens the beam by a percent.
  const double bending[] = {exact.next(1.2), exact.next(6), exact.next(20)};
  const std::size_t pair[] = {0, 2, 6};
  for (int n = 0; n < 3; ++n) {
    INFO(f[pair[n]] << " " << bending[n]);
    CHECK(f[pair[n]] == Approx(bending[n]).epsilon(0.02));
  }
}
