#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "grids/poisson.h"

// Pressure equations to test with: a box of cells with a side of 1, borders of three sorts, and
// obstacles as fractions of faces or as whole cells.
namespace rtsim::testing {

constexpr double pi = 3.14159265358979323846;
enum class Border { closed, open, periodic };

struct PoissonCase {
  GridShape shape;
  std::vector<Real> open[3], rhs, pressure;
  bool periodic[3] = {false, false, false};
  std::vector<std::uint8_t> air;
  std::vector<Real> surface;

  PoissonCase(const Index (&n)[3], const Border (&border)[3]) {
    for (int a = 0; a < 3; ++a) shape.spans[a] = n[a] > 1, shape.cells[a] = n[a];
    shape.spacing = 1.0 / n[0];
    rhs.assign(std::size_t(shape.rows()), 0), pressure = rhs;
    for_faces([&](int a, Index row, const Index(&at)[3]) {
      open[a].resize(std::size_t(shape.faces(a).rows()), 1);
      periodic[a] = border[a] == Border::periodic;
      const bool on_border = at[a] == 0 || at[a] == shape.cells[a];
      if (border[a] == Border::closed && on_border) open[a][std::size_t(row)] = 0;
    });
  }

  // f(axis, row, {i, j, k}) for every face.
  template <class F>
  void for_faces(const F& f) const {
    for (int a = 0; a < 3; ++a) {
      if (!shape.spans[a]) continue;
      const GridShape g = shape.faces(a);
      for (Index r = 0; r < Index(g.rows()); ++r)
        f(a, r, {r % g.cells[0], r / g.cells[0] % g.cells[1], r / g.cells[0] / g.cells[1]});
    }
  }

  // Faces are open by the share of the side outside of `distance` < 0, as if it were straight.
  void cut(const std::function<double(const Vec3d&)>& distance) {
    for_faces([&](int a, Index row, const Index(&)[3]) {
      const double h = shape.spacing, d = distance(shape.faces(a).centre(row));
      const Real part = Real(d < -0.5 * h ? 0 : d > 0.5 * h ? 1 : 0.5 + d / h);
      Real& w = open[a][std::size_t(row)];
      w = w < part ? w : part;
    });
  }
  // All faces of the cells with a centre in `distance` < 0 are closed.
  void close_cells(const std::function<double(const Vec3d&)>& distance) {
    for_faces([&](int a, Index row, const Index(&at)[3]) {
      for (Index side = -1; side < 1; ++side) {
        Index q[3] = {at[0], at[1], at[2]};
        q[a] += side;
        if (periodic[a]) q[a] = (q[a] + shape.cells[a]) % shape.cells[a];
        if (q[a] < 0 || q[a] >= shape.cells[a]) continue;
        if (distance(shape.centre(shape.row(q[0], q[1], q[2]))) < 0) open[a][std::size_t(row)] = 0;
      }
    });
  }

  // rhs = the divergence of `velocity`(axis, centre of the face) through the open parts.
  void set_divergence(const std::function<double(int, const Vec3d&)>& velocity) {
    std::vector<double> sum(rhs.size(), 0);
    for_faces([&](int a, Index row, const Index(&at)[3]) {
      const bool again = periodic[a] && at[a] == shape.cells[a];
      const Index first[3] = {a == 0 ? 0 : at[0], a == 1 ? 0 : at[1], a == 2 ? 0 : at[2]};
      const GridShape g = shape.faces(a);
      const Index read = again ? g.row(first[0], first[1], first[2]) : row;
      const double flow = velocity(a, g.centre(read)) * double(open[a][std::size_t(read)]);
      for (Index side = -1; side < 1; ++side) {
        Index q[3] = {at[0], at[1], at[2]};
        q[a] += side;
        if (q[a] >= 0 && q[a] < shape.cells[a])
          sum[std::size_t(shape.row(q[0], q[1], q[2]))] += (side < 0 ? flow : -flow);
      }
    });
    for (std::size_t c = 0; c < rhs.size(); ++c)
      rhs[c] = in_air(Index(c)) ? Real(0) : Real(sum[c] / shape.spacing);
  }

  PoissonDomain domain() const {
    PoissonDomain d;
    for (int a = 0; a < 3; ++a)
      d.open[a] = {open[a].data(), Index(open[a].size())}, d.periodic[a] = periodic[a];
    d.air = {air.data(), Index(air.size())};
    d.surface = {surface.data(), Index(surface.size())};
    return d;
  }
  PoissonResult solve(const PoissonParams& params, const Exec& ex = Exec::cpu(1)) {
    Poisson solver(ex, shape, params);
    solver.prepare(domain());
    return solver.solve({rhs.data(), Index(rhs.size())}, {pressure.data(), Index(pressure.size())});
  }
  bool in_air(Index c) const {
    return (!air.empty() && air[std::size_t(c)]) ||
           (!surface.empty() && surface[std::size_t(c)] >= 0);
  }
  bool unknown(Index c) const {
    if (in_air(c)) return false;
    const Index at[3] = {c % shape.cells[0], c / shape.cells[0] % shape.cells[1],
                         c / shape.cells[0] / shape.cells[1]};
    for (int a = 0; a < 3; ++a)
      for (Index side = 0; side < 2 && shape.spans[a]; ++side) {
        Index q[3] = {at[0], at[1], at[2]};
        q[a] += side;
        if (periodic[a]) q[a] %= shape.cells[a];
        if (open[a][std::size_t(shape.faces(a).row(q[0], q[1], q[2]))] > 0) return true;
      }
    return false;
  }
};

inline double greatest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  double worst = 0;
  for (std::size_t c = 0; c < a.size(); ++c)
    worst = std::max(worst, std::abs(double(a[c]) - double(b[c])));
  return worst;
}
inline double greatest(const std::vector<Real>& a) {
  return greatest_difference(a, std::vector<Real>(a.size(), 0));
}

// Signed distance of a ball (of a disk where z has no extent).
inline std::function<double(const Vec3d&)> ball(Vec3d centre, double radius) {
  return [=](const Vec3d& x) {
    const Vec3d d = x - centre;
    return std::sqrt(dot(d, d)) - radius;
  };
}

// Smooth, with something at all lengths.
inline double some_flow(int axis, const Vec3d& x) {
  return std::sin(5 * x[0] + 3 * x[1] + 2 * x[2] + axis) +
         0.2 * std::sin(91 * x[0] * x[1] + 57 * x[2]);
}

}  // namespace rtsim::testing
