#include "solvers/flip/viscosity.h"

#include <fmt/format.h>

namespace rtsim {

namespace {

constexpr double tolerance = 1e-5;  // of what a face is off [m/s], over the greatest speed
constexpr int most_iterations = 2000;

Index all_rows(const mac::Domain& d) {
  Index n = 0;
  for (int a = 0; a < d.dims; ++a) n += d.rows(a);
  return n;
}

}  // namespace

Viscosity::Viscosity(const Exec& ex, const mac::Domain& domain, bool sticks)
    : ex_(ex),
      domain_(domain),
      sticks_(sticks),
      cell_(ex, std::size_t(domain.rows(mac::centres))),
      u_(ex, std::size_t(all_rows(domain))),
      inverse_(ex, u_.size()),
      r_(ex, u_.size()),
      p_(ex, u_.size()),
      q_(ex, u_.size()) {
  for (int a = 0; a < domain.dims; ++a) face_.emplace_back(ex, std::size_t(domain.rows(a)));
  for (int e = domain.dims == 2 ? 2 : 0; e < 3; ++e)
    edge_.emplace_back(ex, std::size_t(flip::edge_rows(domain, e)));
}

double Viscosity::numbers(int dims) { return 2 + 6 * dims + (dims == 2 ? 1 : 3); }

std::string Viscosity::warning(const Result& r) {
  if (r.residual <= tolerance) return {};
  return fmt::format(
      "viscosity is off by {:.2g} of the greatest speed after {} iterations: use more substeps",
      r.residual, r.iterations);
}

flip::ViscousFlow Viscosity::prepare(double k, const mac::Walls& walls, Span<const Real> surface,
                                     const std::vector<Buffer<std::uint8_t>>& known) {
  flip::ViscousFlow flow;
  flow.domain = domain_, flow.k = Real(k);
  for (int a = 0; a < domain_.dims; ++a) {
    Buffer<Real>& v = face_[std::size_t(a)];
    flow.first[a + 1] = flow.first[a] + domain_.rows(a);
    flip::face_volumes(ex_, domain_, a, walls, surface, known[std::size_t(a)].span(),
                       component(flow, a), v.span());
    flow.volumes.face[a] = v.data();
  }
  flip::cell_volumes(ex_, domain_, walls, flow.volumes, cell_.span());
  flow.volumes.cell = cell_.data();
  for (int e = domain_.dims == 2 ? 2 : 0; e < 3; ++e) {
    Buffer<Real>& v = edge_[std::size_t(domain_.dims == 2 ? 0 : e)];
    flip::edge_volumes(ex_, domain_, e, walls, sticks_, flow.volumes, v.span());
    flow.volumes.edge[e] = v.data();
  }
  return flow;
}

Viscosity::Result Viscosity::apply(double k, const mac::Walls& walls, Span<const Real> surface,
                                   const std::vector<Buffer<std::uint8_t>>& known,
                                   const mac::Velocity& velocity) {
  Real* to = u_.data();
  for (int a = 0; a < domain_.dims; ++a) {
    ex_.copy(to, velocity.u[a].data, std::size_t(velocity.u[a].size) * sizeof(Real));
    to += velocity.u[a].size;
  }
  const flip::ViscousFlow flow = prepare(k, walls, surface, known);
  for (int a = 0; a < domain_.dims; ++a)
    flip::begin(ex_, flow, a, u_.span(), inverse_.span(), r_.span(), p_.span());
  const Result result =
      conjugate_gradients(flow, double(mac::greatest_speed(ex_, domain_, velocity)));
  for (int a = 0; a < domain_.dims; ++a) {
    const Span<Real> u = component(flow, a);
    ex_.copy(velocity.u[a].data, u.data, std::size_t(u.size) * sizeof(Real));
  }
  return result;
}

Viscosity::Result Viscosity::conjugate_gradients(const flip::ViscousFlow& flow, double speed) {
  Result result;
  flip::CgSums now = flip::sums(ex_, inverse_.span(), r_.span());
  const auto off = [&] { return speed > 0 ? double(now.greatest) / speed : 0; };
  for (; off() > tolerance && result.iterations < most_iterations; ++result.iterations) {
    double pq = 0;
    for (int a = 0; a < domain_.dims; ++a)
      pq += flip::multiply(ex_, flow, a, inverse_.span(), p_.span(), q_.span());
    if (!(pq > 0)) break;
    const double before = now.rz;
    now = flip::advance(ex_, Real(before / pq), inverse_.span(), p_.span(), q_.span(), u_.span(),
                        r_.span());
    flip::turn(ex_, Real(now.rz / before), inverse_.span(), r_.span(), p_.span());
  }
  result.residual = off();
  return result;
}

}  // namespace rtsim
