#include "grids/poisson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.h"

namespace rtsim {

void describe(Describe& d, PoissonParams& p) {
  static constexpr Option methods[] = {
      {"multigrid_cg", int(PoissonMethod::multigrid_cg),
       "conjugate gradients with a multigrid cycle: the same few iterations for every size", false},
      {"cg", int(PoissonMethod::cg), "conjugate gradients: iterations grow with the cells a side"},
      {"jacobi", int(PoissonMethod::jacobi),
       "damped Jacobi: iterations grow with the square of the cells a side", false},
      {"red_black_gauss_seidel", int(PoissonMethod::red_black_gauss_seidel),
       "half as many as Jacobi", false}};
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

Poisson::Poisson(const Exec& ex, const GridShape& shape, const PoissonParams& params)
    : ex_(ex), shape_(shape), params_(params), pressure_(std::size_t(shape.rows())) {
  if (ex.backend() != Backend::cpu)
    throw Error(ExitCode::no_device,
                "pressure on grids is solved on the CPU alone in this version; use --device cpu");
  if (params.method != PoissonMethod::cg)
    throw Error(ExitCode::bad_input,
                "the method of a pressure solve has to be \"cg\" in this version");
}

void Poisson::prepare(const PoissonDomain& domain) { domain_ = domain; }

namespace {

struct Face {
  int axis;
  Index row;
  Index low, high;  // cells, -1 beyond the border
};

void for_faces(const GridShape& g, const PoissonDomain& d,
               const std::function<void(const Face&)>& f) {
  for (int a = 0; a < 3; ++a) {
    if (!g.spans[a]) continue;
    const GridShape fs = g.faces(a);
    for (Index k = 0; k < fs.cells[2]; ++k)
      for (Index j = 0; j < fs.cells[1]; ++j)
        for (Index i = 0; i < fs.cells[0]; ++i) {
          Index at[3] = {i, j, k};
          Face face{a, fs.row(i, j, k), -1, -1};
          const Index n = g.cells[a], m = at[a];
          const auto cell = [&](Index c) {
            if (d.periodic[a]) c = (c + n) % n;
            if (c < 0 || c >= n) return -1;
            Index q[3] = {i, j, k};
            q[a] = c;
            return g.row(q[0], q[1], q[2]);
          };
          face.low = cell(m - 1), face.high = cell(m);
          f(face);
        }
  }
}

}  // namespace

PoissonResult Poisson::solve(Span<const Real> right_side, Span<Real> pressure) {
  const std::size_t n = std::size_t(shape_.rows());
  const double h2 = shape_.spacing * shape_.spacing;
  struct Link {
    Index low, high;
    double w;
  };
  std::vector<Link> links;
  std::vector<double> diagonal(n, 0), b(n, 0), x(n, 0);
  std::vector<Index> region(n);
  for (std::size_t c = 0; c < n; ++c) region[c] = Index(c);
  const std::function<Index(Index)> root = [&](Index c) {
    while (region[std::size_t(c)] != c) {
      Index& up = region[std::size_t(c)];
      c = up = region[std::size_t(up)];
    }
    return c;
  };
  std::vector<char> grounded(n, 0);
  const auto is_air = [&](Index c) { return c < 0 || (domain_.air.size && domain_.air[c]); };
  for_faces(shape_, domain_, [&](const Face& f) {
    const GridShape fs = shape_.faces(f.axis);
    const Index along = f.row /
                        (f.axis == 0   ? 1
                         : f.axis == 1 ? fs.cells[0]
                                       : fs.cells[0] * fs.cells[1]) %
                        fs.cells[f.axis];
    if (domain_.periodic[f.axis] && along == shape_.cells[f.axis]) return;
    const double w = double(domain_.open[f.axis][f.row]);
    if (w <= 0 || f.low == f.high) return;
    const bool low = !is_air(f.low), high = !is_air(f.high);
    if (low) diagonal[std::size_t(f.low)] += w;
    if (high) diagonal[std::size_t(f.high)] += w;
    if (low && high) {
      links.push_back({f.low, f.high, w});
      const Index r = root(f.low), s = root(f.high);
      region[std::size_t(std::max(r, s))] = std::min(r, s);
    } else if (low || high) {
      grounded[std::size_t(low ? f.low : f.high)] = 1;
    }
  });
  for (std::size_t c = 0; c < n; ++c) {
    region[c] = root(Index(c));
    if (grounded[c]) grounded[std::size_t(region[c])] = 1;
    if (diagonal[c] > 0)
      b[c] = -h2 * double(right_side[Index(c)]), x[c] = double(pressure[Index(c)]);
  }
  const auto remove_means = [&](std::vector<double>& v) {
    std::vector<double> sum(n, 0), count(n, 0);
    double worst = 0;
    for (std::size_t c = 0; c < n; ++c)
      if (diagonal[c] > 0) sum[std::size_t(region[c])] += v[c], count[std::size_t(region[c])] += 1;
    for (std::size_t c = 0; c < n; ++c) {
      const std::size_t r = std::size_t(region[c]);
      if (diagonal[c] <= 0 || grounded[r]) continue;
      v[c] -= sum[r] / count[r];
      worst = std::max(worst, std::abs(sum[r] / count[r]));
    }
    return worst;
  };
  PoissonResult result;
  result.removed_mean = remove_means(b) / h2;
  const auto apply = [&](const std::vector<double>& v, std::vector<double>& out) {
    for (std::size_t c = 0; c < n; ++c) out[c] = diagonal[c] * v[c];
    for (const Link& l : links) {
      out[std::size_t(l.low)] -= l.w * v[std::size_t(l.high)];
      out[std::size_t(l.high)] -= l.w * v[std::size_t(l.low)];
    }
  };
  const auto greatest = [&](const std::vector<double>& v) {
    double m = 0;
    for (double e : v) m = std::max(m, std::abs(e));
    return m;
  };
  std::vector<double> r(n), z(n), p(n, 0), q(n);
  apply(x, q);
  for (std::size_t c = 0; c < n; ++c) r[c] = b[c] - q[c];
  const double scale = greatest(b);
  if (scale == 0) std::fill(x.begin(), x.end(), 0), std::fill(r.begin(), r.end(), 0);
  double rz = 0;
  while (greatest(r) > params_.tolerance * scale && result.iterations < params_.max_iterations) {
    ++result.iterations;
    double now = 0, pq = 0;
    for (std::size_t c = 0; c < n; ++c)
      z[c] = diagonal[c] > 0 ? r[c] / diagonal[c] : 0, now += r[c] * z[c];
    const double beta = rz > 0 ? now / rz : 0;
    rz = now;
    for (std::size_t c = 0; c < n; ++c) p[c] = z[c] + beta * p[c];
    apply(p, q);
    for (std::size_t c = 0; c < n; ++c) pq += p[c] * q[c];
    for (std::size_t c = 0; c < n; ++c) x[c] += rz / pq * p[c], r[c] -= rz / pq * q[c];
  }
  apply(x, q);
  for (std::size_t c = 0; c < n; ++c) r[c] = b[c] - q[c];
  result.residual = scale > 0 ? greatest(r) / scale : 0;
  remove_means(x);
  pressure_ = x;
  for (std::size_t c = 0; c < n; ++c) pressure[Index(c)] = Real(x[c]);
  return result;
}

void Poisson::subtract_gradient(double factor, Span<Real> x, Span<Real> y, Span<Real> z) const {
  Span<Real> velocity[3] = {x, y, z};
  for_faces(shape_, domain_, [&](const Face& f) {
    if (domain_.open[f.axis][f.row] <= 0) return;
    const auto at = [&](Index c) { return c < 0 ? 0.0 : pressure_[std::size_t(c)]; };
    Real& v = velocity[f.axis][f.row];
    v = Real(double(v) - factor * (at(f.high) - at(f.low)) / shape_.spacing);
  });
}

}  // namespace rtsim
