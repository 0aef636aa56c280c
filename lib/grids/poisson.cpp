#include "grids/poisson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/conjugate_gradients.h"

namespace rtsim {

void describe(Describe& d, PoissonParams& p) {
  static constexpr Option methods[] = {
      {"multigrid_cg", int(PoissonMethod::multigrid_cg),
       "conjugate gradients with a multigrid cycle: the same few iterations for every size"},
      {"cg", int(PoissonMethod::cg), "conjugate gradients: iterations grow with the cells a side"},
      {"jacobi", int(PoissonMethod::jacobi),
       "damped Jacobi: iterations grow with the square of the cells a side"},
      {"red_black_gauss_seidel", int(PoissonMethod::red_black_gauss_seidel),
       "half as many as Jacobi"}};
  d.choice("method", p.method, methods, "How the pressure is solved for.");
  d("tolerance", p.tolerance, "1", above(0),
    "Largest residual of a cell, relative to the largest right side.");
  d("max_iterations", p.max_iterations, "1", at_least(1), "A solve that needs more is warned of.");
}

std::string PoissonResult::warning(const PoissonParams& p) const {
  if (residual <= p.tolerance) return {};
  return fmt::format(
      "the pressure solve left a residual of {:.2g} after {} iterations: use \"max_iterations\"",
      residual, iterations);
}

namespace {

// Conjugate gradients divide by squares of residuals, which are to be far from the smallest
// numbers.
const double least_residual = 1e4 * std::sqrt(double(std::numeric_limits<Real>::min()));

poisson::Faces faces_of(const GridShape& g) {
  poisson::Faces f;
  for (int a = 0; a < 3; ++a) f.n[a] = g.cells[a], f.spans[a] = g.spans[a];
  return f;
}

}  // namespace

Poisson::Poisson(const Exec& ex, const GridShape& shape, const PoissonParams& params)
    : ex_(ex),
      shape_(shape),
      params_(params),
      faces_(faces_of(shape)),
      multigrid_(ex, faces_, params.method == PoissonMethod::multigrid_cg),
      closed_(ex),
      push_(ex),
      response_(ex),
      of_bodies_(ex),
      cells_of_bodies_(ex),
      x_(ex, std::size_t(shape.rows())),
      next_x_(ex),
      b_(ex, x_.size()),
      r_(ex, x_.size()),
      z_(ex),
      p_(ex) {
  x_.zero();
  if (params.method == PoissonMethod::jacobi) next_x_.resize(x_.size());
  if (params.method == PoissonMethod::cg || params.method == PoissonMethod::multigrid_cg)
    z_.resize(x_.size()), p_.resize(x_.size());
}

double Poisson::row_bytes(const PoissonParams& p) {
  const double real = sizeof(Real), basic = sizeof(double) + 2 * real;
  switch (p.method) {
    case PoissonMethod::jacobi:
      return basic + sizeof(double);
    case PoissonMethod::red_black_gauss_seidel:
      return basic;
    case PoissonMethod::cg:
      return basic + 2 * real;
    case PoissonMethod::multigrid_cg:
      break;
  }
  // The finest level's array of smoothed values, three arrays of each coarser level, and one
  // between the first two.
  return basic + (2 + 1 + 3.0 / 7 + 1.0 / 2) * real;
}

void Poisson::prepare(const PoissonDomain& domain) {
  for (int a = 0; a < 3; ++a)
    faces_.open[a] = domain.open[a].data, faces_.periodic[a] = domain.periodic[a];
  faces_.air = domain.air.size > 0 ? domain.air.data : nullptr;
  faces_.surface = domain.surface.size > 0 ? domain.surface.data : nullptr;
  bodies_ = domain.bodies;
  multigrid_.prepare(faces_);
  find_body_terms();
  closed_.find(multigrid_.weights(), bodies_);
}

void Poisson::find_body_terms() {
  push_.resize(std::size_t(bodies_.mobility.size)), response_.resize(push_.size());
  of_bodies_.resize(std::size_t(bodies_.terms.size));
  cells_of_bodies_.resize(bodies_.empty() ? 0 : std::size_t(bodies_.first_of_cell.size - 1));
  poisson::find_unknown(ex_, multigrid_.finest(), bodies_, of_bodies_.span(),
                        cells_of_bodies_.span());
}

void Poisson::hold_bodies() {
  if (bodies_.empty()) return;
  bodies_ = {};
  closed_.find(multigrid_.weights(), bodies_);
}

PoissonResult Poisson::solve(Span<const Real> right_hand_side, Span<Real> pressure,
                             double least_scale) {
  const poisson::Level& level = multigrid_.finest();
  const double h2 = shape_.spacing * shape_.spacing;
  PoissonResult result;
  poisson::load(ex_, level, h2, right_hand_side, pressure, b_.span(), x_.span());
  if (bodies_.left_out.size > 0) respond(1, bodies_.left_out, b_.span());
  result.removed_mean = closed_.remove_means(b_.span()) / h2;
  double scale = std::max(poisson::max_norm(ex_, level, b_.span()), h2 * least_scale);
  result.scale = scale / h2;
  if (scale == 0) {
    x_.zero();
  } else {
    scale = std::max(scale, least_residual / params_.tolerance);
    const double enough = params_.tolerance * scale;
    switch (params_.method) {
      case PoissonMethod::multigrid_cg:
      case PoissonMethod::cg:
        conjugate_gradients(enough, result);
        break;
      case PoissonMethod::jacobi:
        jacobi(enough, result);
        break;
      case PoissonMethod::red_black_gauss_seidel:
        gauss_seidel(enough, result);
        break;
    }
    result.residual /= scale;
    closed_.remove_means(x_.span());
  }
  poisson::store(ex_, level, x_.span(), pressure);
  return result;
}

// z = an approximate solution of A z = r; returns the sum of r z.
double Poisson::precondition() {
  if (params_.method == PoissonMethod::multigrid_cg)
    return multigrid_.precondition(r_.span(), z_.span());
  return poisson::smooth_from_zero_and_dot(ex_, multigrid_.finest(), 1, r_.span(), z_.span());
}

// r -= factor sum_b k W push_b
void Poisson::respond(double factor, Span<const poisson::Screw> push, Span<Real> r) {
  poisson::respond(ex_, bodies_, push, response_.span());
  poisson::subtract_response(ex_, bodies_, cells_of_bodies_.span(), factor, response_.span(), r);
}

// r = b - A x; the greatest |r|.
double Poisson::residual() {
  const poisson::Level& level = multigrid_.finest();
  const double of_cells = poisson::residual(ex_, level, b_.span(), x_.span(), r_.span());
  if (bodies_.empty()) return of_cells;
  poisson::gather(ex_, bodies_, of_bodies_.span(), x_.span(), push_.span());
  respond(1, push_.span(), r_.span());
  return poisson::max_norm(ex_, level, r_.span());
}

double Poisson::p_dot_Ap() {
  const poisson::Level& level = multigrid_.finest();
  const double of_cells = poisson::p_dot_Ap(ex_, level, p_.span());
  if (bodies_.empty()) return of_cells;
  poisson::gather(ex_, bodies_, of_bodies_.span(), p_.span(), push_.span());
  return of_cells + poisson::dot_response(ex_, bodies_, push_.span(), response_.span());
}

// After p_dot_Ap(). What bodies make of the residual comes first, so that the pass over all cells
// sees what is left.
double Poisson::advance(Real alpha) {
  if (!bodies_.empty())
    poisson::subtract_response(ex_, bodies_, cells_of_bodies_.span(), double(alpha),
                               response_.span(), r_.span());
  if (params_.method == PoissonMethod::multigrid_cg)
    return multigrid_.advance(alpha, p_.span(), x_.span(), r_.span());
  return poisson::advance(ex_, multigrid_.finest(), alpha, p_.span(), x_.span(), r_.span());
}

struct Poisson::Cg {
  Poisson& of;
  double enough, left;  // the greatest |r|

  bool near() const { return !(left > enough); }
  double residual_product() { return of.precondition(); }
  void update_direction(double beta) {
    poisson::update_direction(of.ex_, of.multigrid_.finest(), Real(beta), of.z_.span(),
                              of.p_.span());
  }
  double multiply() { return of.p_dot_Ap(); }
  void advance(double alpha) { left = of.advance(Real(alpha)); }
};

// The residual is updated in Real, and drifts by rounding from that of the pressure. So when the
// updated residual is small enough, it is computed anew from the pressure in double, and the
// iteration goes on from there while that one is too large.
void Poisson::conjugate_gradients(double enough, PoissonResult& result) {
  p_.zero();
  for (CgEnd end{0, true, 0};;) {
    result.residual = residual();
    const int left = params_.max_iterations - result.iterations;
    if (!(result.residual > enough) || !end.near || left == 0) return;
    if (params_.method == PoissonMethod::multigrid_cg) multigrid_.smooth_from_zero(r_.span());
    end = rtsim::conjugate_gradients(Cg{*this, enough, result.residual}, left, end.product);
    result.iterations += end.steps;
  }
}

// Damped, so that errors that oscillate from cell to cell decay as well.
void Poisson::jacobi(double enough, PoissonResult& result) {
  constexpr double damping = 6.0 / 7;
  const poisson::Level& level = multigrid_.finest();
  while (true) {
    result.residual = poisson::jacobi(ex_, level, damping, b_.span(), x_.span(), next_x_.span());
    if (!(result.residual > enough) || result.iterations == params_.max_iterations) return;
    x_.swap(next_x_);
    ++result.iterations;
  }
}

void Poisson::gauss_seidel(double enough, PoissonResult& result) {
  const poisson::Level& level = multigrid_.finest();
  while (true) {
    result.residual = poisson::residual(ex_, level, b_.span(), x_.span(), r_.span());
    if (!(result.residual > enough) || result.iterations == params_.max_iterations) return;
    for (int c = 0; c < poisson::colours(level); ++c)
      poisson::gauss_seidel(ex_, level, c, b_.span(), x_.span());
    ++result.iterations;
  }
}

std::vector<poisson::Screw> Poisson::pushes() {
  poisson::gather(ex_, bodies_, of_bodies_.span(), x_.span(), push_.span());
  return push_.download();
}

void Poisson::hold(Span<const Real> pressure) {
  poisson::load(ex_, multigrid_.finest(), 0, pressure, pressure, b_.span(), x_.span());
}

void Poisson::subtract_gradient(double factor, Span<Real> x, Span<Real> y, Span<Real> z) const {
  const Span<Real> velocity[3] = {x, y, z};
  for (int a = 0; a < 3; ++a)
    if (shape_.spans[a])
      poisson::subtract_gradient(ex_, faces_, a, factor / shape_.spacing, x_.span(), velocity[a]);
}

}  // namespace rtsim
