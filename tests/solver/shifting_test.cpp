#include "cache/checkpoint.h"
#include "particles/particle_shifting.h"
#include "support/still_particles.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

constexpr int n = 16;
constexpr double d = 0.1, middle = n * d / 2;

// A block whose rows stand up to `jitter` spacings off their lattice.
template <int D>
std::vector<Vec<D>> jittered(double jitter) {
  auto x = block<D>(n, d);
  const auto off = noise<D>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] + Real(jitter * d) * off[i];
  return x;
}

template <int D>
struct Shifted {
  Still<D> still;
  std::vector<Vec<D>> before, after, velocity_before, velocity_after;

  Shifted(const std::vector<Vec<D>>& x, const std::function<Vec<D>(const Vec<D>&)>& flow, double dt)
      : still(x, d, 3, {}) {
    still.set_velocity(flow);
    SphFluid<D>& f = *still.fluid;
    f.watch(still.world, 1e30, {}, "");  // keeps the greatest speed
    f.pack_motion(still.world, f.density(still.world));
    before = still.position(), velocity_before = still.velocity();
    ParticleShifting<D> shifting(still.world.exec, ShiftingParams{});
    shifting.find(still.world, f, f.motion_rows(), dt);
    shifting.apply(still.world, f);
    after = still.position(), velocity_after = still.velocity();
  }
};

// Distance to the nearest face of the block [spacings].
template <int D>
double depth(const Vec<D>& x) {
  double least = 1e9;
  for (int a = 0; a < D; ++a) least = std::min(least, middle - std::abs(double(x[a]) - middle));
  return least / d;
}

template <int D>
Vec<D> linear(const Vec<D>& x) {
  Vec<D> v{};
  for (int a = 0; a < D; ++a)
    for (int b = 0; b < D; ++b) v[a] += Real(0.3 * (a + 1) - 0.2 * b * b) * x[b];
  return v;
}

// How uneven rows inside stand: the root mean square of rho / rho0 - 1.
template <int D>
double unevenness(Still<D>& s) {
  const auto x = s.position();
  const auto rho = s.world.table("fluid").template download<Real>("density");
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (depth<D>(x[i]) > 4) sum += std::pow(double(rho[i]) / 1000 - 1, 2), ++count;
  return std::sqrt(sum / count);
}

// Vortices in a box that repeats.
std::string vortices(const std::string& solver) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0], "time": {{"dt": 0.01, "steps_per_frame": 1, "frames": 90}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": 0.05,
                  "fill": {{"box": {{"min": [0, 0], "max": [1, 1]}}}},
                  "flow": {{"taylor_green": {{"speed": 1, "wave_length": 1}}}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "support": 3, "particle_mass": 2.4875, "substeps": {},
                 "shifting": {{}},
                 "periodic": {{"min": [0, 0], "max": [1, 1], "axes": ["x", "y"]}}}}],
    "output": []}})",
      solver, solver == "wcsph" ? 8 : 1);
}

}  // namespace

TEST_CASE("shifting: solvers resume and thread to the same bytes") {
  for (const char* solver : {"dfsph", "iisph", "pcisph", "wcsph"}) {
    INFO(solver);
    const TemporaryFolder folder;
    Running whole(vortices(solver), Exec::cpu(2)), half(vortices(solver), Exec::cpu(1)),
        again(vortices(solver), Exec::cpu(2)),
        device(vortices(solver), Exec::cpu(2).device_shaped());
    whole.advance(20);
    half.advance(10);
    // Sums in another order, and gradients of 16 bits in the one; the lattice has not yet given way
    // to the vortices, after which 1e-4 of the speed make 1 % of the energy.
    device.advance(10);
    CHECK(device.measure("water.kinetic_energy") ==
          Approx(half.measure("water.kinetic_energy")).epsilon(1e-4));
    save_checkpoint(folder.path, half.world(), {.step = 10});
    std::string warnings;
    load_checkpoint(find_checkpoint(folder.path, warnings).value().file, again.world());
    again.steps = 10;
    again.refresh();
    again.advance(10);
    CHECK(again.world().state_hash() == whole.world().state_hash());
    half.advance(10);
    CHECK(half.world().state_hash() == whole.world().state_hash());
  }
}

TEMPLATE_TEST_CASE_SIG("shifting: rows at the surface and within reach of it stay", "",
                       ((int D), D), 2, 3) {
  const Shifted<D> s(jittered<D>(0.2), linear<D>, 0.01);
  int moved = 0;
  for (std::size_t i = 0; i < s.before.size(); ++i) {
    const double step = norm(widen(s.after[i] - s.before[i]));
    CHECK(step <= 0.1 * d * 1.001);
    if (depth<D>(s.before[i]) < 2) CHECK(step == 0);
    moved += step > 0;
    if (depth<D>(s.before[i]) > 5) CHECK(step > 0);  // of 3 spacings from a surface row 1.3 deep
  }
  CHECK(moved > 0);
}

TEMPLATE_TEST_CASE_SIG("shifting: a linear flow is carried along exactly", "", ((int D), D), 2, 3) {
  const Shifted<D> s(jittered<D>(0.2), linear<D>, 0.01);
  double worst = 0;
  for (std::size_t i = 0; i < s.before.size(); ++i)
    worst = std::max(worst, norm(widen(s.velocity_after[i] - linear<D>(s.after[i]))));
  // Speeds reach 2 m/s; sums of 30 to 110 differences of them with weights of 1/d.
  CHECK(worst < 200 * eps);
  double without = 0;  // what would be lost if velocities stayed as they are
  for (std::size_t i = 0; i < s.before.size(); ++i)
    without = std::max(without, norm(widen(s.velocity_before[i] - linear<D>(s.after[i]))));
  CHECK(without > 100 * worst);
}

TEMPLATE_TEST_CASE_SIG("shifting: rows without order spread out", "", ((int D), D), 2, 3) {
  const auto even = [](const Vec<D>&) { return Vec<D>{{Real(1)}}; };
  Still<D> start(jittered<D>(0.3), d, 3, {});
  const double first = unevenness<D>(start);
  auto x = start.position();
  for (int k = 0; k < 20; ++k) x = Shifted<D>(x, even, 0.005).after;
  Still<D> end(x, d, 3, {});
  CHECK(unevenness<D>(end) < 0.5 * first);
}

TEST_CASE("shifting: a lattice stays, and fluid at rest") {
  const auto still = [](const Vec<2>&) { return Vec<2>{}; };
  const Shifted<2> rest(jittered<2>(0.3), still, 0.01);
  for (std::size_t i = 0; i < rest.before.size(); ++i) CHECK(rest.after[i] == rest.before[i]);
  const Shifted<2> lattice(block<2>(n, d), linear<2>, 0.01);
  // Sums of the lattice cancel to round-off, times F of 6 h^2 and 1/d, where all neighbours have
  // all of theirs.
  for (std::size_t i = 0; i < lattice.before.size(); ++i)
    if (depth<2>(lattice.before[i]) > 6)
      CHECK(norm(widen(lattice.after[i] - lattice.before[i])) < 100 * eps * d);
}
