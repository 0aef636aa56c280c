#include "solvers/flip/viscosity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/conjugate_gradients.h"

namespace rtsim {

namespace {

constexpr double tolerance = 1e-5;  // of what a face is off [m/s], over the greatest speed
// The pressure comes nearer by some 1 / (1 + bulk / 2) with a solve, and a solve takes
// sqrt(1 + bulk / 2) times as many iterations as without. A velocity is worth no more than the
// pressure that it belongs to: solves before the last go on until a face is off by `part` of what
// it was. The last one is made where cells gain or lose less than `even` of what they are stretched
// by, where what that still moves is `slight` beside the greatest speed, or after some; what is
// left the projection takes away, and the next step begins with it.
constexpr double bulk = 4, part = 0.1, even = 0.01, slight = 1e-3;
constexpr int most_solves = 10, most_iterations = 2000;  // of a solve

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
      stress_(ex, cell_.size()),
      u_(ex, std::size_t(all_rows(domain))),
      place_(ex, u_.size()),
      unknowns_(ex),
      in_solids_(ex),
      cells_(ex),
      diagonal_(ex),
      x_(ex),
      r_(ex),
      p_(ex),
      q_(ex),
      entries_(ex),
      bodies_(ex) {
  for (int a = 0; a < domain.dims; ++a) face_.emplace_back(ex, std::size_t(domain.rows(a)));
  for (int e = domain.dims == 2 ? 2 : 0; e < 3; ++e)
    edge_.emplace_back(ex, std::size_t(flip::edge_rows(domain, e)));
}

double Viscosity::numbers(int dims) { return 4 + 3 * dims + (dims == 2 ? 1 : 3); }

double Viscosity::row_bytes(int dims) {
  mac::Domain d;
  d.dims = dims;
  const double row = double(flip::entries_of_row(d)) / lane_count * sizeof(flip::EntrySlot) +
                     5 * sizeof(Real) + sizeof(Index);
  return row * dims / (1 << dims);
}

std::string Viscosity::warning(const Result& r) {
  if (r.residual <= tolerance) return {};
  return fmt::format(
      "viscosity is off by {:.2g} of the greatest speed after {} iterations: use more substeps",
      r.residual, r.iterations);
}

void Viscosity::find_volumes(flip::ViscousFlow& flow, const Liquid& liquid) {
  for (int a = 0; a < domain_.dims; ++a) {
    Buffer<Real>& v = face_[std::size_t(a)];
    flip::face_volumes(ex_, flow, a, liquid.known[std::size_t(a)].span(), component(flow, a),
                       v.span());
    flow.volumes.face[a] = v.data();
  }
  flip::cell_volumes(ex_, flow, cell_.span());
  flow.volumes.cell = cell_.data();
  for (int e = domain_.dims == 2 ? 2 : 0; e < 3; ++e) {
    Buffer<Real>& v = edge_[std::size_t(domain_.dims == 2 ? 0 : e)];
    flip::edge_volumes(ex_, flow, e, u_.span(), liquid.kinematic_viscosity, v.span());
    flow.volumes.edge[e] = v.data();
  }
}

void Viscosity::assemble(flip::ViscousFlow& flow, bool solids, Span<Real> pressure) {
  const Span<Index> scratch = place_.span(), of_cells{scratch.data, Index(cell_.size())};
  flip::list_cells(ex_, cell_.span(), pressure, of_cells, cells_);
  flip::list_unknowns(ex_, flow, scratch, unknowns_);
  in_solids_.resize(0);
  if (solids) flip::list_in_solids(ex_, flow, scratch, in_solids_);
  flow.cells = cells_.span(), flow.unknowns = unknowns_.span();
  flow.in_solids = in_solids_.span();
  flip::number_rows(ex_, flow, place_.span());
  flow.place = place_.data();
  for (Buffer<Real>* v : {&diagonal_, &x_, &r_, &p_, &q_}) v->resize(std::size_t(flow.rows()));
  const Index slices = (flow.rows() + lane_count - 1) / lane_count;
  entries_.resize(std::size_t(slices * flip::entries_of_row(domain_)));
  flip::assemble(ex_, flow, diagonal_.span(), entries_.span());
}

Viscosity::Result Viscosity::apply(double dt, const Liquid& liquid, GridWalls& walls,
                                   const BodyMotions& motions, const poisson::BodyTerms& terms,
                                   Span<Real> pressure, const mac::Velocity& velocity) {
  const double h = double(domain_.spacing), rho = liquid.rest_density;
  flip::ViscousFlow flow;
  flow.domain = domain_, flow.walls = walls.faces(), flow.sticks = sticks_;
  flow.surface = liquid.surface.data, flow.stress = stress_.data();
  flow.k = Real(liquid.kinematic_viscosity * dt / (h * h));
  flow.bulk = Real(bulk), flow.c = Real(dt / (rho * h));
  for (int a = 0; a < domain_.dims; ++a) {
    flow.first[a + 1] = flow.first[a] + domain_.rows(a);
    const Span<Real> u = component(flow, a);
    ex_.copy(u.data, velocity.u[a].data, std::size_t(u.size) * sizeof(Real));
  }
  find_volumes(flow, liquid);
  assemble(flow, walls.solids(), pressure);
  if (walls.solids())
    bodies_.find(flow, walls.nodes(), motions, walls.all(), terms, rho * std::pow(h, domain_.dims),
                 diagonal_.span(), entries_.span());
  const Result result = solve(flow, velocity, pressure);
  if (walls.solids()) {
    find_residual(flow, velocity, pressure);
    felt_ = bodies_.felt(flow, u_.span(), pressure, solution());
  }
  for (int a = 0; a < domain_.dims; ++a) {
    const Span<Real> u = component(flow, a);
    ex_.copy(velocity.u[a].data, u.data, std::size_t(u.size) * sizeof(Real));
  }
  return result;
}

Viscosity::Result Viscosity::solve(const flip::ViscousFlow& flow, const mac::Velocity& before,
                                   Span<Real> pressure) {
  const auto speed = double(mac::greatest_speed(ex_, domain_, before));
  Result result;
  bool last = false;
  for (int solve = 0;; ++solve) {
    const flip::CgSums start = find_residual(flow, before, pressure);
    const double off = speed > 0 ? double(start.greatest) / speed : 0;
    result.residual = off;
    if (solve > 0 && off <= tolerance) break;
    last = last || (solve > 0 && off <= slight) || solve + 1 == most_solves;
    conjugate_gradients(flow, start, speed, last ? 0 : part, result);
    const flip::FlowRates rates = flip::press(ex_, flow, u_.span(), pressure);
    if (last) break;
    last = rates.outflow2 <= even * even * rates.strain2;
  }
  return result;
}

flip::CgSums Viscosity::find_residual(const flip::ViscousFlow& flow, const mac::Velocity& before,
                                      Span<const Real> pressure) {
  const flip::CgSums of_faces =
      flip::find_residual(ex_, flow, before, u_.span(), pressure, solution());
  if (!flow.moved) return of_faces;
  return of_faces + bodies_.find_residual(flow, u_.span(), pressure, solution());
}

struct Viscosity::Cg {
  Viscosity& of;
  const flip::ViscousFlow& flow;
  flip::CgSums now;
  double enough;  // [m/s], of the greatest change that is asked for

  bool near() const { return !(double(now.greatest) > enough); }
  double residual_product() const { return now.rz; }
  void update_direction(double beta) {
    flip::update_direction(of.ex_, flow, Real(beta), of.solution());
    if (flow.moved) of.bodies_.update_direction(beta);
  }
  double multiply() {
    if (flow.moved) of.bodies_.spread(flow, of.solution());
    const double of_faces = flip::multiply(of.ex_, flow, of.entries_.span(), of.solution());
    return flow.moved ? of_faces + of.bodies_.multiply(flow, of.solution()) : of_faces;
  }
  void advance(double alpha) {
    now = flip::advance(of.ex_, flow, Real(alpha), of.solution());
    if (flow.moved) now = now + of.bodies_.advance(alpha);
  }
};

void Viscosity::conjugate_gradients(const flip::ViscousFlow& flow, flip::CgSums start, double speed,
                                    double left, Result& result) {
  const double enough = std::max(tolerance * speed, left * double(start.greatest));
  Cg cg{*this, flow, start, enough};
  result.iterations += rtsim::conjugate_gradients(cg, most_iterations).steps;
  flip::add_change(ex_, flow, solution(), u_.span());
  if (flow.moved) bodies_.go(flow, solution());
  result.residual = speed > 0 ? double(cg.now.greatest) / speed : 0;
}

}  // namespace rtsim
