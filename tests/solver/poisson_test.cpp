#include "grids/poisson.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace rtsim;

namespace {

constexpr double pi = 3.14159265358979323846;
enum class Border { closed, open, periodic };

GridShape square(Index n, int dim) {
  GridShape g;
  for (int a = 0; a < 3; ++a) g.spans[a] = a < dim, g.cells[a] = a < dim ? n : 1;
  return g;
}

struct Faces {
  std::vector<Real> open[3];
  bool periodic[3] = {false, false, false};

  // Every face open but those on the borders of axes that are closed.
  Faces(const GridShape& g, const Border (&border)[3]) {
    for (int a = 0; a < 3; ++a) {
      if (!g.spans[a]) continue;
      periodic[a] = border[a] == Border::periodic;
      const GridShape f = g.faces(a);
      open[a].assign(std::size_t(f.rows()), 1);
      for (Index r = 0; r < Index(f.rows()); ++r) {
        const Index at[3] = {r % f.cells[0], r / f.cells[0] % f.cells[1],
                             r / f.cells[0] / f.cells[1]};
        if (border[a] == Border::closed && (at[a] == 0 || at[a] == g.cells[a]))
          open[a][std::size_t(r)] = 0;
      }
    }
  }
  PoissonDomain domain() {
    PoissonDomain d;
    for (int a = 0; a < 3; ++a)
      d.open[a] = {open[a].data(), Index(open[a].size())}, d.periodic[a] = periodic[a];
    return d;
  }
};

// p = product over the axes of a cosine (closed), a sine (open: 0 in the centre of the cell beyond)
// or a wave (periodic), on a box of side 1 for every number of cells.
double greatest_error(Index n, int dim, const Border (&border)[3]) {
  GridShape g = square(n, dim);
  // Open axes have their zeros n + 1 spacings apart: all axes get that spacing.
  g.spacing = 1.0 / (n + 1);
  Faces faces(g, border);
  std::vector<double> exact(std::size_t(g.rows()));
  std::vector<Real> rhs(exact.size()), p(exact.size(), 0);
  for (Index r = 0; r < Index(exact.size()); ++r) {
    const Index at[3] = {r % n, r / n % g.cells[1], r / n / g.cells[1]};
    double value = 1, k2 = 0;
    for (int a = 0; a < dim; ++a) {
      const double length = n * g.spacing, x = (at[a] + 0.5) * g.spacing;
      const double k = border[a] == Border::open       ? pi
                       : border[a] == Border::periodic ? 2 * pi / length
                                                       : pi / length;
      value *= border[a] == Border::open ? std::sin(k * (x + 0.5 * g.spacing)) : std::cos(k * x);
      k2 += k * k;
    }
    exact[std::size_t(r)] = value, rhs[std::size_t(r)] = Real(-k2 * value);
  }
  Poisson solver(Exec::cpu(1), g, {.tolerance = 1e-6});
  solver.prepare(faces.domain());
  const PoissonResult result =
      solver.solve({rhs.data(), Index(rhs.size())}, {p.data(), Index(p.size())});
  CHECK(result.residual <= 1e-6);
  double worst = 0;
  for (std::size_t c = 0; c < exact.size(); ++c)
    worst = std::max(worst, std::abs(double(p[c]) - exact[c]));
  return worst;
}

}  // namespace

// The error of the five- and seven-point stencils is (k h)^2 / 12 of the wave: 1.6e-3 and less at
// 16 cells, a hundred times what Real rounds; 0.1 of the order is for the next term, and for h that
// is 1 / (n + 1).
TEST_CASE("poisson: smooth pressures converge at second order") {
  constexpr Border closed = Border::closed, open = Border::open, wave = Border::periodic;
  const Border mixes[][3] = {
      {open, open, open}, {closed, closed, closed}, {wave, wave, wave}, {closed, open, wave}};
  for (const auto& mix : mixes)
    for (int dim = 2; dim <= 3; ++dim) {
      const double coarse = greatest_error(16, dim, mix), fine = greatest_error(32, dim, mix);
      INFO("dim " << dim << ", errors " << coarse << " " << fine);
      const double order = std::log(coarse / fine) / std::log(33.0 / 17.0);
      CHECK(order > 1.9);
      CHECK(order < 2.2);
    }
}

// A wall without doors through a closed box, and sources that do not sum to 0 on either side.
TEST_CASE("poisson: each closed region loses its own mean") {
  const Index n = 8;
  const GridShape g = square(n, 2);
  Faces faces(g, {Border::closed, Border::closed, Border::closed});
  for (Index j = 0; j < n; ++j) faces.open[0][std::size_t(4 + (n + 1) * j)] = 0;
  std::vector<Real> rhs(64), p(64, 0);
  for (Index c = 0; c < 64; ++c) rhs[std::size_t(c)] = Real(c % n < 4 ? 3 + (c % 2) : -7);
  Poisson solver(Exec::cpu(1), g, {.tolerance = 1e-6});
  solver.prepare(faces.domain());
  const PoissonResult result = solver.solve({rhs.data(), 64}, {p.data(), 64});
  CHECK(result.residual <= 1e-6);
  CHECK(result.removed_mean == Approx(7));
  double left = 0, right = 0;
  for (Index c = 0; c < 64; ++c) (c % n < 4 ? left : right) += double(p[std::size_t(c)]);
  CHECK(std::abs(left) < 1e-5);  // 32 numbers of size 1, as Real
  CHECK(std::abs(right) < 1e-5);
}

// rhs = the divergence: without it the flow has none but what the tolerance leaves.
TEST_CASE("poisson: the gradient takes the divergence from a velocity") {
  const Index n = 16;
  const GridShape g = square(n, 2);
  Faces faces(g, {Border::closed, Border::open, Border::open});
  std::vector<Real> u(faces.open[0].size()), v(faces.open[1].size()), rhs(256), p(256, 0);
  for (std::size_t f = 0; f < u.size(); ++f)
    u[f] = faces.open[0][f] * Real(std::sin(0.7 * double(f)));
  for (std::size_t f = 0; f < v.size(); ++f) v[f] = Real(std::cos(1.3 * double(f)));
  const auto divergence = [&](Index c) {
    const Index i = c % n, j = c / n;
    const auto at = [](const std::vector<Real>& a, Index r) { return double(a[std::size_t(r)]); };
    return at(u, i + 1 + 17 * j) - at(u, i + 17 * j) + at(v, i + n * (j + 1)) - at(v, i + n * j);
  };
  for (Index c = 0; c < 256; ++c) rhs[std::size_t(c)] = Real(divergence(c));
  Poisson solver(Exec::cpu(1), g, {.tolerance = 1e-6});
  solver.prepare(faces.domain());
  solver.solve({rhs.data(), 256}, {p.data(), 256});
  solver.subtract_gradient(1, {u.data(), Index(u.size())}, {v.data(), Index(v.size())}, {});
  double worst = 0;
  for (Index c = 0; c < 256; ++c) worst = std::max(worst, std::abs(divergence(c)));
  CHECK(worst < 5e-6);  // the tolerance of a divergence of up to 4, and Real's rounding
}
