#include "grids/pseudo_inverse.h"

namespace rtsim {

namespace {

struct Matrix {
  std::size_t n;
  std::vector<double> a = std::vector<double>(n * n, 0);

  double& operator()(std::size_t i, std::size_t j) { return a[i * n + j]; }

  // Gauss-Jordan without pivots: the matrix is positive definite.
  Matrix inverse() const {
    Matrix m = *this, inverse{n};
    for (std::size_t k = 0; k < n; ++k) inverse(k, k) = 1;
    for (std::size_t k = 0; k < n; ++k) {
      const double scale = 1 / m(k, k);
      for (std::size_t j = 0; j < n; ++j) m(k, j) *= scale, inverse(k, j) *= scale;
      for (std::size_t i = 0; i < n; ++i) {
        const double f = m(i, k);
        if (i == k || f == 0) continue;
        for (std::size_t j = 0; j < n; ++j)
          m(i, j) -= f * m(k, j), inverse(i, j) -= f * inverse(k, j);
      }
    }
    return inverse;
  }
};

// The matrix, 1 on the diagonal of cells without an unknown, and which cells are joined.
struct Equations {
  std::size_t n;
  Matrix matrix{n};
  std::vector<std::size_t> region = std::vector<std::size_t>(n);
  std::vector<char> unknown = std::vector<char>(n, 0), dirichlet = std::vector<char>(n, 0);
  std::vector<double> size = std::vector<double>(n, 0);  // of the region of that number

  explicit Equations(const poisson::Level& level) : n(std::size_t(level.cells())) {
    for (std::size_t c = 0; c < n; ++c) region[c] = c;
    std::vector<char> at_dirichlet(n, 0);
    for (std::size_t c = 0; c < n; ++c) at_dirichlet[c] = add_cell(level, c);
    for (std::size_t c = 0; c < n; ++c)
      size[region[c]] += unknown[c], dirichlet[region[c]] |= at_dirichlet[c];
  }
  bool closed(std::size_t i, std::size_t j) const {
    return unknown[i] && region[i] == region[j] && !dirichlet[region[i]];
  }

 private:
  bool add_cell(const poisson::Level& level, std::size_t cell) {
    const Index r = Index(cell);
    const poisson::Line l = level.line(r / level.n[0]);
    const poisson::Cell c = any_cell(l, level.n[0], r % level.n[0]);
    const Index beside[6] = {c.left, c.right, r + l.down, r + l.up, r + l.back, r + l.front};
    for (int side = 0; side < 6; ++side) {
      const double w = double(l.at(side, c.i));
      if (w > 0) link(cell, std::size_t(beside[side]), w);
    }
    const double dirichlet = double(l.at(poisson::dirichlet, c.i));
    unknown[cell] = l.at(poisson::inverse, c.i) > 0;
    matrix(cell, cell) += unknown[cell] ? dirichlet : 1;
    return dirichlet > 0;
  }
  void link(std::size_t a, std::size_t b, double w) {
    matrix(a, a) += w, matrix(a, b) -= w;
    const std::size_t from = region[b], to = region[a];
    for (std::size_t& r : region) r = r == from ? to : r;
  }
};

}  // namespace

// 1 is added to the part of each closed region, which makes the matrix regular: constants are its
// eigenvectors, with the size of the region for an eigenvalue, and are taken from the inverse.
std::vector<Real> pseudo_inverse(const poisson::Level& level) {
  Equations e(level);
  for (std::size_t i = 0; i < e.n; ++i)
    for (std::size_t j = 0; j < e.n; ++j)
      if (e.closed(i, j)) e.matrix(i, j) += 1;
  Matrix inverse = e.matrix.inverse();
  std::vector<Real> rows(e.n * e.n);
  for (std::size_t i = 0; i < e.n; ++i)
    for (std::size_t j = 0; j < e.n; ++j) {
      const double size = e.size[e.region[i]];
      const double constant = e.closed(i, j) ? 1 / (size * size) : 0;
      rows[i * e.n + j] = e.unknown[i] && e.unknown[j] ? Real(inverse(i, j) - constant) : Real(0);
    }
  return rows;
}

}  // namespace rtsim
