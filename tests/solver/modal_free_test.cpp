#include "base/quaternion.h"
#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// A bar of 0.6 x 0.1 x 0.2 m that flies, with a speed and, in the table of its frame, a spin.
struct Bar {
  double E = 1e5;
  int modes = 12;
  std::string more = "", gravity = "[0, 0, 0]", velocity = "[0, 0, 0]";

  std::string text(double dt) const {
    const MeshScene s{
        .mesh = R"("block": {"min": [0, 0, 0], "max": [0.6, 0.1, 0.2], "cells": [6, 1, 2]})",
        .weight = R"("density": 1000, "velocity": )" + velocity,
        .stages = more + fmt::format(R"({{"type": "modal", "mesh": "m", "youngs_modulus": {},
                                         "modes": {}}})",
                                     E, modes),
        .dt = dt,
        .gravity = gravity};
    return s.text();
  }
};

void set(Running& r, const char* table, const char* column, const std::vector<double>& values) {
  Column& c = r.world().table(table).column_bytes(column);
  r.world().exec.upload(c.bytes.data(), values.data(), values.size() * sizeof(double));
}
std::vector<double> get(Running& r, const char* table, const char* column, std::size_t n) {
  std::vector<double> to(n);
  r.world().exec.download(to.data(), r.world().table(table).column_bytes(column).bytes.data(),
                          n * sizeof(double));
  return to;
}
// Gives all points the velocities of a spin w about the middle, which the next step takes up.
void spin(Running& r, const Vec3d& w, const Vec3d& middle = {{0.3, 0.05, 0.1}}) {
  const auto x = places(r), v = places(r, "velocity");
  std::vector<Vec<3>> now;
  for (std::size_t i = 0; i < x.size(); ++i)
    now.push_back(narrow<3>(v[i] + cross(w, x[i] - middle)));
  r.world().exec.upload(r.world().table("m").column<Vec<3>>("velocity").data, now.data(),
                        now.size() * sizeof(Vec<3>));
  r.advance(1);
}
double energy(Running& r) {
  return r.measure("m.kinetic_energy") + r.measure("m.elastic_energy") +
         r.measure("m.potential_energy");
}

}  // namespace

TEST_CASE("modal: a free bar that is thrown flies on its parabola, in steps of any length") {
  const Bar b{.gravity = "[0, -9.81, 0]", .velocity = "[3, 4, 1]"};
  for (const double dt : {0.5, 0.02}) {
    Running r(b.text(dt), Exec::cpu(1));
    r.advance(std::lround(2 / dt));
    const auto c = get(r, "modal.frame", "place", 3);
    CHECK(c[0] == Approx(0.3 + 3 * 2).epsilon(1e-6));  // velocities of points are floats
    CHECK(c[1] == Approx(0.05 + 4 * 2 - 9.81 * 2).epsilon(1e-6));
    CHECK(c[2] == Approx(0.1 + 1 * 2).epsilon(1e-6));
    CHECK(r.measure("m.elastic_energy") < 1e-9);
  }
}

TEST_CASE("modal: a free bar keeps momentum and angular momentum, turning and ringing as it may") {
  Running r(Bar{.velocity = "[1, 2, 0]"}.text(0.01), Exec::cpu(1));
  std::vector<double> q(12, 0.);
  q[0] = 0.1, q[2] = -0.05, q[5] = 0.03;
  set(r, "modal.modes", "amplitude", q);
  spin(r, {{3, -4, 5}});
  const double momentum = r.measure("m.momentum.y"), moment = r.measure("m.angular_momentum.z"),
               first = energy(r);
  r.advance(3000);
  CHECK(r.measure("m.momentum.y") == Approx(momentum).epsilon(1e-13));
  CHECK(r.measure("m.angular_momentum.z") == Approx(moment).epsilon(1e-10));
  CHECK(energy(r) == Approx(first).epsilon(0.05));  // of the splitting, at 0.07 rad a step
  // And so do the points, as they are written: by the rounding of floats.
  const Motion m = motion(r);
  CHECK(m.momentum[1] == Approx(momentum).epsilon(20 * eps));
  for (int a = 0; a < 3; ++a)
    CHECK(m.moment[a] ==
          Approx(r.measure(std::string("m.angular_momentum.") + "xyz"[a])).margin(1e-4 * m.scale));
}

TEST_CASE("modal: the energy of a bar that spins and rings comes right at second order") {
  const auto error = [](double dt) {
    Running r(Bar{}.text(dt), Exec::cpu(1));
    std::vector<double> q(12, 0.);
    q[0] = 0.1, q[1] = 0.05;
    set(r, "modal.modes", "amplitude", q);
    spin(r, {{3, -4, 5}});
    const double first = energy(r);
    double worst = 0;
    for (int k = 0; k < std::lround(0.4 / dt); ++k)
      r.advance(1), worst = std::max(worst, std::abs(energy(r) / first - 1));
    return worst;
  };
  const double coarse = error(0.004), fine = error(0.002);
  INFO(coarse << " " << fine);
  CHECK(fine < 1e-2);
  CHECK(std::log2(coarse / fine) == Approx(2).margin(0.3));
}

// Where a mode comes round by about half a turn in a step, half steps before and after the turning
// push it on in time with itself: without shorter steps such bars gain up to all that they have.
TEST_CASE("modal: spin feeds no mode, whatever part of its period a step is", "[long]") {
  for (const double spins : {0.1, 0.4, 2.}) {  // rad a step
    for (const double half_turns : {0.9, 0.98, 1., 1.02, 1.1, 3.}) {
      CAPTURE(spins, half_turns);
      const double first_mode = get(*std::make_unique<Running>(Bar{}.text(0.01), Exec::cpu(1)),
                                    "modal.modes", "frequency", 1)[0];
      const double dt = half_turns / 2 / first_mode;
      Running r(Bar{.velocity = "[1, 0, 0]"}.text(dt), Exec::cpu(1));
      spin(r, {{0.1 * spins / dt, 0.2 * spins / dt, spins / dt}});
      r.advance(1);
      const double flight = std::pow(r.measure("m.momentum.x"), 2) / 2 / r.measure("m.mass");
      const double first = energy(r) - flight;
      double most = first;
      for (int k = 0; k < 40; ++k) r.advance(10), most = std::max(most, energy(r) - flight);
      CHECK(most < 1.03 * first);
    }
  }
}

TEST_CASE("modal: a stiff free bar tumbles as a rigid body does") {
  // Euler's equations of the same mass and moments by Runge-Kutta's steps, in the body's axes.
  Running r(Bar{.E = 1e10, .modes = 3}.text(0.002), Exec::cpu(1));
  const auto x = places(r);
  const auto mass = r.world().table("m").download<Real>("mass");
  double I[3] = {0, 0, 0};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3d d = x[i] - Vec3d{{0.3, 0.05, 0.1}};
    for (int a = 0; a < 3; ++a) I[a] += double(mass[i]) * (dot(d, d) - d[a] * d[a]);
  }
  const double w0[3] = {0.3, 0.2, 5};
  // The axes of the box are principal but for the lumped corners of its diagonals: nearly.
  spin(r, {{w0[0], w0[1], w0[2]}});
  const double first = r.measure("m.kinetic_energy");
  CHECK(first == Approx((I[0] * w0[0] * w0[0] + I[1] * w0[1] * w0[1] + I[2] * w0[2] * w0[2]) / 2)
                     .epsilon(1e-2));
  r.advance(1000);
  CHECK(r.measure("m.kinetic_energy") == Approx(first).epsilon(1e-4));
  // I w' = I w x w, to where the frame has turned: q' = q (0, w) / 2.
  Vec3d w{{w0[0], w0[1], w0[2]}};
  VecT<double, 4> turn{{0, 0, 0, 1}};
  const double h = 0.002 / 4;
  const auto rate = [&](const Vec3d& a) {
    const Vec3d L{{I[0] * a[0], I[1] * a[1], I[2] * a[2]}}, t = cross(L, a);
    return Vec3d{{t[0] / I[0], t[1] / I[1], t[2] / I[2]}};
  };
  for (int k = 0; k < 4 * 1000 + 2; ++k) {  // the kick acts for a step: half of it is lost
    const Vec3d k1 = rate(w), k2 = rate(w + (h / 2) * k1), mid = w + (h / 2) * k1;
    const double angle = h * norm(mid);
    const Vec3d axis = (std::sin(angle / 2) / norm(mid)) * mid;
    turn = product(turn, {{axis[0], axis[1], axis[2], std::cos(angle / 2)}});
    w = w + h * k2;
  }
  const auto o = get(r, "modal.frame", "orientation", 4);
  const double same = std::abs(turn[0] * o[0] + turn[1] * o[1] + turn[2] * o[2] + turn[3] * o[3]);
  CHECK(2 * std::acos(std::min(1., same)) < 0.05);  // rad, of 10 turned
}

TEST_CASE("modal: a load on a point pushes and turns a free bar by what it is") {
  const Bar b{.more = R"({"type": "attach", "mesh": "m", "points": [0],
                          "load": {"force": [0, 2, 0]}}, )"};
  Running r(b.text(0.001), Exec::cpu(1));
  r.advance(20);
  CHECK(r.measure("m.momentum.y") == Approx(2 * 0.02).epsilon(1e-5));
  // From the corner to the middle: r x F = (-0.3, -0.05, -0.1) x (0, 2, 0), and the bar hardly
  // turned yet.
  const auto L = get(r, "modal.frame", "angular_momentum", 3);
  CHECK(L[0] == Approx(0.1 * 2 * 0.02).epsilon(1e-2));
  CHECK(L[2] == Approx(-0.3 * 2 * 0.02).epsilon(1e-2));
}

TEST_CASE("modal: triangles in a plane fly and turn in it") {
  const MeshScene s{
      .mesh = R"("sheet": {"u": [0.6, 0, 0], "v": [0, 0.1, 0], "cells": [6, 2]})",
      .weight = R"("density": 1000, "velocity": [1, 0, 0])",
      .stages = R"({"type": "modal", "mesh": "m", "youngs_modulus": 1e5, "modes": 6})",
      .dt = 0.01,
      .gravity = "[0, 0, 0]"};
  Running r(s.text(), Exec::cpu(1));
  spin(r, {{0, 0, 2}}, {{0.3, 0.05, 0}});
  const double moment = get(r, "modal.frame", "angular_momentum", 3)[2];
  CHECK(moment > 1);
  r.advance(100);
  for (const Vec3d& x : places(r)) CHECK(x[2] == 0);
  CHECK(r.measure("m.momentum.x") == Approx(60).epsilon(1e-6));
  CHECK(get(r, "modal.frame", "angular_momentum", 3)[2] == moment);
  CHECK(get(r, "modal.frame", "orientation", 4)[0] == 0);
}
