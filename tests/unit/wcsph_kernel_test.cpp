#include <catch2/catch.hpp>
#include <cmath>

#include "base/random.h"
#include "exec/sort.h"
#include "neighbours/neighbours.h"
#include "pressure/pressure.h"
#include "sph/density.h"
#include "sph/motion.h"
#include "sph/walls.h"
#include "wcsph/wcsph.h"

using namespace rtsim;

namespace {

// A jittered block of particles over a floor of samples, in cell order, with all that the two
// bodies read.
template <int D>
struct Block {
  Exec ex;
  double d = 0.1;
  wcsph::Law law;
  Buffer<Vec<D>> position, velocity, acceleration;
  Buffer<Row4> rows, motion, wall_rows, wall_motion;
  Buffer<Index> first, wall_first, count;
  Buffer<Real> density, pressure;
  CellGrid grid, wall_grid;
  neighbours::NeighbourLists lists;
  Index n = 0, walls = 0;
  std::vector<Vec<D>> floor_samples;
  Real limit = 0;  // of the floor's samples; zero: they mirror

  explicit Block(int threads, Index side = 9, bool floor = true, double viscosity = 0.01,
                 Index layers = 0)
      : ex(Exec::cpu(threads)),
        position(ex),
        velocity(ex),
        acceleration(ex),
        rows(ex),
        motion(ex),
        wall_rows(ex),
        wall_motion(ex),
        first(ex),
        wall_first(ex),
        count(ex),
        density(ex),
        pressure(ex),
        lists(ex) {
    const double h = d;  // support 2 d
    law = {sph::CubicSpline::of(D, 2 * d),
           {Real(1e5), Real(1e-3)},
           Real(1000 * std::pow(0.96 * d, D)),
           1000,
           Real(4 * (D + 2) * viscosity),
           Real(0.1 * viscosity),
           Real(0.01 * h * h),
           {Real(1000), Real(1 / d), Real(1e-10 * h * h)}};
    std::vector<Vec<D>> x, v, w;
    for (Index k = 0; k < (D == 2 ? 1 : layers > 0 ? layers : side); ++k)
      for (Index j = 0; j < side; ++j)
        for (Index i = 0; i < side; ++i) {
          const Index at[3] = {i, j, k};
          Vec<D> p, u;
          const Random4 r = philox(3, 0, 0, std::uint32_t(x.size())),
                        q = philox(4, 0, 0, std::uint32_t(x.size()));
          for (int a = 0; a < D; ++a) {
            p[a] = Real(0.96 * d * (at[a] + 0.5 + 0.3 * (uniform(r.c[a]) - 0.5)));
            u[a] = Real(uniform(q.c[a]) - 0.5);
          }
          x.push_back(p), v.push_back(u);
          if (j == 0) {
            p[1] = Real(-0.5 * d);
            w.push_back(p);
          }
        }
    n = Index(x.size());
    if (floor) floor_samples = w;
    set(x, v, floor_samples);
  }

  void bin(const std::vector<Vec<D>>& x, CellGrid& g, Buffer<Index>& starts, Buffer<Index>& order) {
    const Buffer<Vec<D>> points(ex, x);
    const auto box = neighbours::bounding_box<D>(ex, points.span());
    g = neighbours::make_grid(box, box, double(law.kernel.support), 1e6);
    Buffer<std::uint32_t> keys(ex, x.size());
    order.resize(x.size()), starts.resize(std::size_t(g.cells()) + 1);
    neighbours::cell_keys<D>(ex, g, points.span(), keys.span());
    bin_by_key(ex, "test", keys.span(), std::uint32_t(g.cells()), order.span(), starts.span());
  }

  void set(const std::vector<Vec<D>>& x, const std::vector<Vec<D>>& v,
           const std::vector<Vec<D>>& w) {
    Buffer<Index> order(ex);
    bin(x, grid, first, order);
    std::vector<Vec<D>> sx, sv;
    for (Index i : order.download())
      sx.push_back(x[std::size_t(i)]), sv.push_back(v[std::size_t(i)]);
    position.upload(sx), velocity.upload(sv);
    rows.resize(x.size() + lane_count), motion.resize(x.size() + lane_count);
    density.resize(x.size()), pressure.resize(x.size()), acceleration.resize(x.size()),
        count.resize(x.size());
    neighbours::pack_positions<D>(ex, position.span(), rows.span());
    walls = Index(w.size());
    if (w.empty()) return;
    const Buffer<Vec<D>> samples(ex, w), still(ex, std::vector<Vec<D>>(w.size()));
    bin(w, wall_grid, wall_first, order);
    wall_rows.resize(w.size() + lane_count), wall_motion.resize(w.size() + lane_count);
    const Buffer<Index> layer(ex, std::vector<Index>(w.size()));
    Buffer<Real> volume(ex, w.size());
    sph::pack_walls<D>(ex, {}, order.span(), samples.span(), still.span(), layer.span(), 0,
                       wall_rows.span(), wall_motion.span());
    sph::wall_volumes(ex, law.kernel, Real(0.7), wall_cells(), order.span(), volume.span(),
                      wall_rows.span());
  }

  CellRows cells() const { return {grid, first.span(), {rows.data(), n}}; }
  CellRows wall_cells() const { return {wall_grid, wall_first.span(), {wall_rows.data(), walls}}; }

  std::vector<Real> densities(bool by_lanes) {
    sph::density(by_lanes ? ex : ex.device_shaped(), law.kernel, law.mass, law.rest_density,
                 cells(), wall_cells(), lists, density.span(), count.span());
    return density.download();
  }
  std::vector<Vec<D>> accelerations(bool by_lanes, Vec<D> gravity = {}) {
    densities(true);
    sph::pack_motion<D>(ex, velocity.span(), density.span(), motion.span());
    wcsph::pressure(ex, law, density.span(), {}, pressure.span(), rows.span());
    const Buffer<Real> limits(ex, std::vector<Real>(std::size_t(walls), limit));
    wcsph::pressure_of_samples(ex, law, cells(), wall_cells(), limits.span(), wall_motion.span());
    wcsph::force<D>(by_lanes ? ex : ex.device_shaped(), law, {cells(), motion.span()},
                    {wall_cells(), wall_motion.span()}, lists, gravity, acceleration.span());
    return acceleration.download();
  }
  double internal_energy() {
    double sum = 0;
    for (Real rho : densities(true)) sum += double(law.mass) * law.tait.energy(double(rho));
    return limit > 0 ? sum + energy_of_samples() : sum;
  }
  // sum_b rho0 V_b e(rho0 + sum_j m W_bj - L_b)
  double energy_of_samples() const {
    double sum = 0;
    const auto near = wall_rows.download(), fluid = rows.download();
    for (std::size_t b = 0; b < std::size_t(walls); ++b) {
      double shapes = 0;
      for (std::size_t j = 0; j < std::size_t(n); ++j)
        shapes +=
            double(law.kernel.shape(sph::separation<Real>(near[b], fluid[j], PeriodicBox{}).r2));
      const double fluid_alone = double(law.mass) * double(law.kernel.scale) * shapes;
      sum += double(law.rest_density) * double(near[b].w) *
             law.tait.energy(double(law.rest_density) + fluid_alone - double(limit));
    }
    return sum;
  }
};

template <int D>
double largest(const std::vector<Vec<D>>& a) {
  double m = 0;
  for (const auto& v : a) m = std::max(m, double(norm(v)));
  return m;
}

}  // namespace

// Sums of about 30 terms in another order: some tens of rounding errors of Real.
constexpr double reorder = 50 * double(std::numeric_limits<Real>::epsilon());

TEMPLATE_TEST_CASE_SIG("wcsph: lanes over lists and rows over cells give one density", "",
                       ((int D), D), 2, 3) {
  Block<D> b(2);
  const auto lanes = b.densities(true);
  const auto lane_counts = b.count.download();
  const auto rows = b.densities(false);
  CHECK(b.count.download() == lane_counts);
  for (std::size_t i = 0; i < rows.size(); ++i)
    REQUIRE(double(lanes[i]) == Approx(double(rows[i])).epsilon(reorder));
}

TEMPLATE_TEST_CASE_SIG("wcsph: lanes over lists and rows over cells give one force", "",
                       ((int D), D), 2, 3) {
  Block<D> b(2);
  const auto lanes = b.accelerations(true), rows = b.accelerations(false);
  const double scale = largest(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    REQUIRE(double(norm(lanes[i] - rows[i])) <= reorder * scale);
}

TEST_CASE("wcsph: neighbours too far away in cell order for 16 bits are found as well") {
  Block<3> b(2, 134, true, 0.01, 4);  // two layers of cells with 36,000 rows each
  REQUIRE(b.densities(true).size() > 2 * 32768);
  CHECK(b.lists.slots(0).wide != nullptr);
  CHECK(b.lists.slots(b.n / 4).wide != nullptr);
  const auto lanes = b.accelerations(true), rows = b.accelerations(false);
  const double scale = largest(rows);
  Index wrong = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    wrong += !(double(norm(lanes[i] - rows[i])) <= reorder * scale);
  CHECK(wrong == 0);
}

// Some 30 pairs of a row err by up to half a step of 1/65535 of the greatest gradient each, mostly
// against one another: 5e-5 of the greatest sum at worst. In double they are kept as they are.
TEST_CASE("pressure: gradients kept beside the lists give the sums of those found anew") {
  Block<3> b(2);
  b.accelerations(true);
  const pressure::Pairs pairs{
      sph::Medium::of(3, double(b.law.mass), double(b.law.kernel.support), 1000),
      {b.cells(), b.motion.span()},
      {b.wall_cells(), b.wall_motion.span()},
      b.lists};
  const auto rates = [&] {
    pressure::rate(b.ex, pairs, b.pressure.span());
    return b.pressure.download();
  };
  CHECK(b.lists.chunk(0).kept() == nullptr);
  const auto anew = rates();
  Buffer<Real> diagonal(b.ex, std::size_t(b.n));
  pressure::push_diagonal(b.ex, pairs, 0, diagonal.span(), b.motion.span());
  REQUIRE(b.lists.chunk(0).kept() != nullptr);
  const auto kept = rates();
  double greatest = 0, off = 0;
  for (std::size_t i = 0; i < anew.size(); ++i) {
    greatest = std::max(greatest, std::abs(double(anew[i])));
    off = std::max(off, std::abs(double(kept[i]) - double(anew[i])));
  }
  CHECK(off <= (sizeof(Real) == 4 ? 1e-4 : 0) * greatest);
  CHECK((off > 0) == (sizeof(Real) == 4));
  b.densities(true);  // another search
  CHECK(b.lists.chunk(0).kept() == nullptr);
}

TEMPLATE_TEST_CASE_SIG("wcsph: densities and forces have the same bits on any number of threads",
                       "", ((int D), D), 2, 3) {
  const Index side = D == 2 ? 80 : 16;
  Block<D> one(1, side);
  const auto rho = one.densities(true);
  const auto a = one.accelerations(true);
  for (int threads : {2, 5}) {
    Block<D> many(threads, side);
    CHECK(many.densities(true) == rho);
    CHECK(many.accelerations(true) == a);
  }
}

TEMPLATE_TEST_CASE_SIG("wcsph: forces between particles sum to zero to round-off", "", ((int D), D),
                       2, 3) {
  Block<D> b(1, 9, false);
  const auto a = b.accelerations(true);
  Vec3d sum;
  for (const auto& v : a) sum = sum + widen(v);
  const double n = double(a.size());
  CHECK(norm(sum) <= 4 * double(std::numeric_limits<Real>::epsilon()) * std::sqrt(n) * largest(a));
}

TEST_CASE("wcsph: without viscosity the force is minus the gradient of the internal energy") {
  Block<3> b(1, 6, false, 0);
  const auto a = b.accelerations(true);
  const auto x = b.position.download();
  const auto v = b.velocity.download();
  const double step = 2e-2 * b.d;
  // Central differences are off by O(step^2) and by float energies: 2 % of the largest force.
  const double scale = largest(a) * double(b.law.mass);
  for (std::size_t i : {std::size_t(3), x.size() / 2, x.size() - 5})
    for (int k = 0; k < 3; ++k) {
      auto moved = x;
      moved[i][k] = Real(x[i][k] + step);
      b.set(moved, v, {});
      const double up = b.internal_energy();
      moved[i][k] = Real(x[i][k] - step);
      b.set(moved, v, {});
      const double down = b.internal_energy();
      CHECK(-(up - down) / (2 * step) == Approx(double(b.law.mass * a[i][k])).margin(0.02 * scale));
    }
}

// Half a layer of the lattice is above the limit, so that most samples push. Margin as above: rows
// of the first layer, where mirrored pressure is off by more than that.
TEST_CASE("wcsph: with pressure of samples the force at walls is the gradient of one energy, too") {
  const auto worst = [](Real limit) {
    Block<3> b(1, 6, true, 0);
    b.law.contact.strength = 0;
    b.limit = limit;
    const auto a = b.accelerations(true);
    const auto x = b.position.download(), v = b.velocity.download();
    const double step = 2e-2 * b.d, scale = largest(a) * double(b.law.mass);
    double off = 0;
    int tried = 0;
    for (std::size_t i = 0; i < x.size() && tried < 6; ++i) {
      if (!(x[i][1] < Real(b.d))) continue;
      ++tried;
      for (int k = 0; k < 3; ++k) {
        auto moved = x;
        moved[i][k] = Real(x[i][k] + step);
        b.set(moved, v, b.floor_samples);
        const double up = b.internal_energy();
        moved[i][k] = Real(x[i][k] - step);
        b.set(moved, v, b.floor_samples);
        const double force = -(up - b.internal_energy()) / (2 * step);
        off = std::max(off, std::abs(force - double(b.law.mass * a[i][k])) / scale);
      }
    }
    CHECK(tried == 6);
    return off;
  };
  CHECK(worst(75) < 0.02);
  CHECK(worst(0) > 0.1);
}

TEST_CASE("wcsph: samples with a pressure of their own get back what they push with") {
  Block<3> b(1, 6, true, 0);
  b.limit = 75;
  const auto a = b.accelerations(true), rows = b.accelerations(false);
  Buffer<Row4> force(b.ex, std::size_t(b.walls));
  force.zero();
  wcsph::force_on_walls(b.ex, b.law, {b.cells(), b.motion.span()},
                        {b.wall_cells(), b.wall_motion.span()}, force.span());
  Vec3d sum, on_walls;
  for (const auto& v : a) sum = sum + double(b.law.mass) * widen(v);
  for (const Row4& f : force.download())
    on_walls = on_walls + Vec3d{{double(f.x), double(f.y), double(f.z)}};
  const double scale = largest(a) * double(b.law.mass) * std::sqrt(double(a.size()));
  CHECK(norm(on_walls) > 0.01 * scale);
  CHECK(norm(sum + on_walls) <= 4 * double(std::numeric_limits<Real>::epsilon()) * scale);
  for (std::size_t i = 0; i < rows.size(); ++i)
    REQUIRE(double(norm(a[i] - rows[i])) <= reorder * largest(rows));
}

TEST_CASE("wcsph: two particles at one place push nowhere, and nothing is NaN") {
  Block<3> b(1, 3, false);
  auto x = b.position.download();
  x[1] = x[0];
  b.set(x, b.velocity.download(), {});
  for (bool by_lanes : {true, false})
    for (const auto& a : b.accelerations(by_lanes)) REQUIRE(std::isfinite(double(norm(a))));
}

TEST_CASE("wcsph: viscosity takes kinetic energy and never gives it") {
  Block<3> still(1, 6, false, 0), thick(1, 6, false, 0.1);
  const auto a0 = still.accelerations(true), a1 = thick.accelerations(true);
  const auto v = thick.velocity.download();
  double power = 0;
  for (std::size_t i = 0; i < v.size(); ++i) power += double(dot(v[i], a1[i] - a0[i]));
  CHECK(power < 0);
}
