#include "advection/advection.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "advection/transport.h"
#include "base/vec.h"
#include "exec/buffer.h"
#include "mac/margin.h"
#include "mac/open_area.h"

// Advection on a staggered grid, and the shares of faces that walls leave open.
using namespace rtsim;

namespace {

using mac::Domain;

// A field on the cells of a flow that never changes.
struct Carried {
  enum class Scheme { semi_lagrangian, mac_cormack, fluxes };

  Exec ex;
  Domain domain;
  mac::Layout layout;
  std::vector<Buffer<Real>> velocity, padded;  // padded: field, carried, low, high
  std::vector<Buffer<Real>> open, wall, flows;
  Buffer<Real> rows;

  // velocity(axis, x) at x in cells.
  template <class Velocity>
  Carried(const Domain& d, const Velocity& u)
      : ex(Exec::cpu(2)), domain(d), layout(mac::Layout::of(d)), rows(ex) {
    for (int a = 0; a < d.dims; ++a) {
      std::vector<Real> faces(std::size_t(d.rows(a)));
      for (Index r = 0; r < Index(faces.size()); ++r)
        faces[std::size_t(r)] = Real(u(a, place(a, r)));
      Buffer<Real> from(ex, std::span<const Real>(faces));
      velocity.emplace_back(ex, std::size_t(layout.size));
      mac::to_padded(ex, d, a, from.span(), velocity.back().data());
      mac::fill_velocity_margin(ex, d, a, velocity.back().data());
      const std::vector<Real> all(faces.size(), 1);
      open.emplace_back(ex, std::span<const Real>(all));
      wall.emplace_back(ex, faces.size());
      flows.emplace_back(ex, faces.size());
    }
    for (int k = 0; k < 4; ++k) padded.emplace_back(ex, std::size_t(layout.size));
    rows.resize(std::size_t(d.rows(mac::centres)));
  }

  Vec3d place(int lattice, Index r) const {
    const Index nx = domain.count(lattice, 0), ny = domain.count(lattice, 1);
    const Index at[3] = {r % nx, r / nx % ny, r / nx / ny};
    Vec3d x;
    for (int a = 0; a < domain.dims; ++a) x[a] = at[a] + (lattice == a ? 0 : 0.5);
    return x;
  }
  Real* inside(std::size_t k) { return padded[k].data() + layout.origin; }

  template <class Value>
  void set(const Value& value) {
    std::vector<Real> v(rows.size());
    for (std::size_t r = 0; r < v.size(); ++r) v[r] = Real(value(place(mac::centres, Index(r))));
    rows.upload(v);
  }
  void step(double dt, Scheme scheme, advection::Trace trace = advection::Trace::midpoint) {
    mac::Faces faces;
    for (std::size_t a = 0; a < velocity.size(); ++a)
      faces.u[a] = velocity[a].data() + layout.origin;
    const advection::Flow flow = advection::make_flow(domain, faces, trace, dt);
    mac::to_padded(ex, domain, mac::centres, rows.span(), padded[0].data());
    mac::fill_scalar_margin(ex, domain, {}, padded[0].data());
    advection::Fields f;
    f.count = 1, f.field[0] = inside(0), f.out[0] = rows.data();
    f.carried[0] = inside(1), f.low[0] = inside(2), f.high[0] = inside(3);
    if (scheme == Scheme::fluxes) return by_fluxes(dt, faces);
    if (scheme == Scheme::semi_lagrangian) return advection::semi_lagrangian(ex, domain, flow, f);
    advection::maccormack_predict(ex, domain, flow, f);
    mac::fill_scalar_margin(ex, domain, {}, padded[1].data());
    advection::maccormack_correct(ex, domain, flow, f);
  }
  void by_fluxes(double dt, const mac::Faces& faces) {
    mac::Walls walls;
    advection::Carrier by;
    for (std::size_t a = 0; a < velocity.size(); ++a) {
      walls.open[a] = open[a].span(), walls.velocity[a] = wall[a].span();
      by.flows.q[a] = flows[a].span();
    }
    advection::find_flows(ex, domain, walls, faces, dt, by.flows);
    by.substeps = int(std::ceil(double(advection::greatest_courant(ex, domain, by))));
    Real *start = inside(0), *first = inside(1), *second = inside(2);
    for (int n = 0; n < by.substeps; ++n) {
      advection::transport(ex, domain, by, {start, nullptr, first});
      mac::fill_scalar_margin(ex, domain, {}, first - layout.origin);
      advection::transport(ex, domain, by, {first, start, second});
      mac::fill_scalar_margin(ex, domain, {}, second - layout.origin);
      std::swap(start, second);
    }
    mac::from_padded(ex, domain, mac::centres, start - layout.origin, rows.span());
  }
};

constexpr auto semi_lagrangian = Carried::Scheme::semi_lagrangian;
constexpr auto mac_cormack = Carried::Scheme::mac_cormack;
constexpr auto fluxes = Carried::Scheme::fluxes;

// Zalesak, "Fully multidimensional flux-corrected transport algorithms for fluids", J. Comput.
// Phys. 31, 1979: a disk with a slot, turned once about (50, 50).
double slotted_disk(const Vec3d& x) {
  const double dx = x[0] - 50, dy = x[1] - 75;
  const bool slot = std::abs(dx) < 2.5 && x[1] < 85;
  return dx * dx + dy * dy < 225 && !slot;
}

struct Turned {
  double l1;    // sum |now - start| / sum start
  double area;  // sum now / sum start - 1
  double low, high;
};

Turned turn_disk(Carried::Scheme scheme) {
  Domain d;
  d.dims = 2, d.cells[0] = d.cells[1] = 100;
  for (auto& axis : d.condition) axis[0] = axis[1] = mac::BoundaryCondition::open;
  Carried disk(d, [](int axis, const Vec3d& x) {
    return std::numbers::pi / 314 * (axis == 0 ? 50 - x[1] : x[0] - 50);
  });
  disk.set(slotted_disk);
  const std::vector<Real> start = disk.rows.download();
  for (int i = 0; i < 314; ++i) disk.step(2, scheme);
  const std::vector<Real> now = disk.rows.download();
  Turned t{0, 0, 1, 0};
  double area = 0;
  for (std::size_t c = 0; c < now.size(); ++c) {
    t.l1 += std::abs(double(now[c] - start[c])), t.area += double(now[c]), area += double(start[c]);
    t.low = std::min(t.low, double(now[c])), t.high = std::max(t.high, double(now[c]));
  }
  return {t.l1 / area, t.area / area - 1, t.low, t.high};
}

}  // namespace

TEST_CASE("advection: Zalesak's disk is kept better by MacCormack, and within its bounds") {
  const Turned smooth = turn_disk(semi_lagrangian), sharp = turn_disk(mac_cormack);
  INFO(smooth.l1 << " " << smooth.area << ", " << sharp.l1 << " " << sharp.area);
  // Our own figures: the slot of five cells is what suffers.
  CHECK(smooth.l1 == Approx(1.00).margin(0.01));
  CHECK(sharp.l1 == Approx(0.65).margin(0.01));
  CHECK(smooth.area == Approx(0.001).margin(0.002));
  CHECK(sharp.area == Approx(0.0225).margin(0.003));
  CHECK(sharp.low >= 0);
  CHECK(sharp.high <= 1);
}

TEST_CASE("advection: fluxes keep the area of Zalesak's disk, and its bounds") {
  const Turned t = turn_disk(fluxes);
  INFO(t.l1 << " " << t.area << " " << t.low << " " << t.high);
  CHECK(t.l1 < 0.65);                         // MacCormack's
  CHECK(t.l1 == Approx(0.412).margin(0.01));  // our own figure
  CHECK(std::abs(t.area) < 1e-6);             // rounding, which goes both ways
  CHECK(t.low > -1e-6);
  CHECK(t.high < 1 + 1e-6);
}

namespace {

// A wave carried a quarter round a periodic box by a flow along its diagonal.
double wave_error(Index n, Carried::Scheme scheme, int dims) {
  Domain d;
  d.dims = dims;
  for (int a = 0; a < dims; ++a)
    d.cells[a] = n, d.condition[a][0] = d.condition[a][1] = mac::BoundaryCondition::periodic;
  Carried wave(d, [](int, const Vec3d&) { return 1; });
  const double k = 2 * std::numbers::pi / n;
  const auto value = [&](const Vec3d& x) {
    double v = 1;
    for (int a = 0; a < dims; ++a) v *= std::sin(k * x[a]);
    return v;
  };
  wave.set(value);
  for (Index i = 0; i < n / 2; ++i) wave.step(0.5, scheme);
  const std::vector<Real> now = wave.rows.download();
  double sum = 0;
  const Vec3d way{{n / 4.0, n / 4.0, dims == 3 ? n / 4.0 : 0}};
  for (std::size_t c = 0; c < now.size(); ++c)
    sum += std::abs(double(now[c]) - value(wave.place(mac::centres, Index(c)) - way));
  return sum / double(now.size());
}

}  // namespace

TEST_CASE("advection: waves travel at first order, by MacCormack and by fluxes at second") {
  for (int dims : {2, 3}) {
    const Index n = dims == 2 ? 32 : 16;
    const double first =
        std::log2(wave_error(n, semi_lagrangian, dims) / wave_error(2 * n, semi_lagrangian, dims));
    const double second =
        std::log2(wave_error(n, mac_cormack, dims) / wave_error(2 * n, mac_cormack, dims));
    const double by_fluxes =
        std::log2(wave_error(n, fluxes, dims) / wave_error(2 * n, fluxes, dims));
    INFO(dims << "D: " << first << " " << second << " " << by_fluxes);
    CHECK(first > 0.8);
    CHECK(second > 1.8);
    CHECK(by_fluxes > 1.8);
  }
}

namespace {

// How far a trace of a step of a solid turning by `angle` misses, in cells at a radius of 10.
double trace_error(double angle, advection::Trace trace) {
  Domain d;
  d.dims = 2, d.cells[0] = d.cells[1] = 40;
  for (auto& axis : d.condition) axis[0] = axis[1] = mac::BoundaryCondition::open;
  Carried turning(d, [](int axis, const Vec3d& x) { return axis == 0 ? 20 - x[1] : x[0] - 20; });
  const Index r = 29 + 40 * 20;
  const Vec3d x = turning.place(mac::centres, r) - Vec3d{{20, 20, 0}};
  const double c = std::cos(angle), s = std::sin(angle);
  const double exact[2] = {20 + c * x[0] + s * x[1], 20 + c * x[1] - s * x[0]};
  double error2 = 0;
  for (int a = 0; a < 2; ++a) {
    turning.set([a](const Vec3d& y) { return y[a]; });  // a linear field is sampled without error
    turning.step(angle, semi_lagrangian, trace);
    error2 += std::pow(double(turning.rows.download()[std::size_t(r)]) - exact[a], 2);
  }
  return std::sqrt(error2);
}

}  // namespace

TEST_CASE("advection: traces miss a circle by the second and the third power of the step") {
  const auto order = [](advection::Trace trace) {
    return std::log2(trace_error(0.4, trace) / trace_error(0.2, trace));
  };
  CHECK(order(advection::Trace::midpoint) == Approx(3).margin(0.4));
  CHECK(order(advection::Trace::ralston) == Approx(4).margin(0.4));
}

TEST_CASE("mac: faces are open as far as a straight wall leaves them") {
  CHECK(mac::open_length(Real(1), Real(-3)) == Real(0.25));
  CHECK(mac::open_length(Real(-3), Real(1)) == Real(0.25));
  CHECK(mac::open_length(Real(0), Real(0)) == 0);
  CHECK(mac::open_length(Real(0), Real(2)) == 1);
  // Distances to lines at every angle and offset; the exact area by 400 x 400 samples.
  for (int step = 0; step < 12; ++step) {
    const double angle = 0.55 * step, offset = 0.1 * (step % 5) - 0.2;
    const auto phi = [&](double x, double y) {
      return Real(std::cos(angle) * (x - 0.5) + std::sin(angle) * (y - 0.5) + offset);
    };
    double inside = 0;
    for (int i = 0; i < 400; ++i)
      for (int j = 0; j < 400; ++j) inside += phi((i + 0.5) / 400, (j + 0.5) / 400) > 0;
    const Real open = mac::open_square(phi(0, 0), phi(1, 0), phi(1, 1), phi(0, 1));
    CHECK(double(open) == Approx(inside / 160000).margin(5e-3));
  }
}
