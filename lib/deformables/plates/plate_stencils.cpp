#include "deformables/plates/plate_stencils.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "meshes/adjacency.h"

namespace rtsim {

namespace {

using Curvatures = std::array<double, 3>;  // what H_xx, H_yy, H_xy are multiplied by

struct Flat {
  double x, y;
};
Flat operator-(const Flat& a, const Flat& b) { return {a.x - b.x, a.y - b.y}; }
double cross(const Flat& a, const Flat& b) { return a.x * b.y - a.y * b.x; }
double dot(const Flat& a, const Flat& b) { return a.x * b.x + a.y * b.y; }

// The surface x^T H x / 2 at a place.
Curvatures height(const Flat& x) { return {0.5 * x.x * x.x, 0.5 * x.y * x.y, x.x * x.y}; }

// What the two triangles of a hinge have of its bend: minus l times the slope out of each.
struct Halves {
  std::array<double, 3> first, second;  // of x0, x1, x2, and of x0, x1, x3
};
Halves halves(double c01, double c03, double c02, double c04) {
  return {{-c03, -c01, c01 + c03}, {-c04, -c02, c02 + c04}};
}
template <class Point, class Cotangent>
Halves halves_of(const std::array<Point, 4>& x, const Cotangent& cotangent) {
  return halves(cotangent(x[1] - x[0], x[2] - x[0]), cotangent(x[0] - x[1], x[2] - x[1]),
                cotangent(x[1] - x[0], x[3] - x[0]), cotangent(x[0] - x[1], x[3] - x[1]));
}

// The patch unrolled into a plane, p0 at the origin.
class Unrolled {
 public:
  Unrolled(const std::vector<Vec3d>& points, const PlatePatch& p) {
    const auto at = [&](int k) { return points[std::size_t(p.points[std::size_t(k)])]; };
    const Vec3d e = at(1) - at(0), f = at(2) - at(0);
    x_[0] = {0, 0}, x_[1] = {norm(e), 0};
    x_[2] = {rtsim::dot(e, f) / norm(e), norm(rtsim::cross(e, f)) / norm(e)};
    for (int h = 0; h < PlatePatch::hinges; ++h)
      if (p.has(h)) turn_in(PlatePatch::corners[std::size_t(h)], at);
  }
  double area() const { return 0.5 * cross(x_[1], x_[2]); }
  // The outward normal of a side, as long as the side.
  Flat normal(int side) const {
    const Flat e = x_[std::size_t((side + 2) % 3)] - x_[std::size_t((side + 1) % 3)];
    return {e.y, -e.x};
  }

  // The bend of a hinge in a surface of curvatures H.
  Curvatures bend(int hinge) const { return sum(hinge, 1, 1); }
  // What the triangle has of a side's bend, above half, in such a surface: l phi - s / 2.
  Curvatures uneven(int side) const {
    const Flat n = normal(side), &a = x_[std::size_t((side + 1) % 3)],
               &b = x_[std::size_t((side + 2) % 3)];
    const Flat m{0.5 * (a.x + b.x), 0.5 * (a.y + b.y)};
    Curvatures d = sum(side, 0.5, -0.5);
    d[0] += m.x * n.x, d[1] += m.y * n.y, d[2] += m.x * n.y + m.y * n.x;
    return d;
  }

 private:
  template <class At>
  void turn_in(const std::array<int, 4>& c, const At& at) {
    const Vec3d e = at(c[1]) - at(c[0]), d = at(c[3]) - at(c[0]);
    const Flat o = x_[std::size_t(c[0])], along = x_[std::size_t(c[1])] - o;
    const double l2 = rtsim::dot(e, e), s = rtsim::dot(d, e) / l2;
    double t = norm(rtsim::cross(e, d)) / l2;
    if (cross(along, x_[std::size_t(c[2])] - o) > 0) t = -t;
    x_[std::size_t(c[3])] = {o.x + s * along.x - t * along.y, o.y + s * along.y + t * along.x};
  }
  Curvatures sum(int hinge, double first, double second) const {
    const auto& c = PlatePatch::corners[std::size_t(hinge)];
    const std::array<Flat, 4> x{x_[std::size_t(c[0])], x_[std::size_t(c[1])], x_[std::size_t(c[2])],
                                x_[std::size_t(c[3])]};
    const Halves h = halves_of(
        x, [](const Flat& a, const Flat& b) { return dot(a, b) / std::abs(cross(a, b)); });
    Curvatures all{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Curvatures u = height(x[k]), v = height(x[k == 2 ? 3 : k]);
      for (std::size_t i = 0; i < 3; ++i)
        all[i] += first * h.first[k] * u[i] + second * h.second[k] * v[i];
    }
    return all;
  }

  std::array<Flat, 12> x_{};
};

// z of A z = d, symmetric and positive; the least of a small share of its trace makes it so.
Curvatures solved(std::array<Curvatures, 3> A, Curvatures d) {
  const double least = 1e-9 * (A[0][0] + A[1][1] + A[2][2]);
  for (std::size_t i = 0; i < 3; ++i) A[i][i] += least;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = i + 1; j < 3; ++j) {
      const double f = A[j][i] / A[i][i];
      for (std::size_t k = i; k < 3; ++k) A[j][k] -= f * A[i][k];
      d[j] -= f * d[i];
    }
  for (std::size_t i = 3; i-- > 0;) {
    for (std::size_t k = i + 1; k < 3; ++k) d[i] -= A[i][k] * d[k];
    d[i] /= A[i][i];
  }
  return d;
}

using HingeWeights = std::array<double, PlatePatch::hinges>;

// sigma of a side as a sum of bends.
HingeWeights sigma(const Unrolled& u, const PlatePatch& p, int side) {
  HingeWeights all{};
  all[std::size_t(side)] = 0.5;
  const int around[5] = {0, 1, 2, 3 + 2 * side, 4 + 2 * side};
  std::array<Curvatures, 3> A{};
  for (const int f : around) {
    if (!p.has(f)) continue;
    const Curvatures b = u.bend(f);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) A[i][j] += b[i] * b[j];
  }
  const Curvatures z = solved(A, u.uneven(side));
  HingeWeights more{};
  double most = 0;
  for (const int f : around) {
    if (!p.has(f)) continue;
    const Curvatures b = u.bend(f);
    const double c = more[std::size_t(f)] = b[0] * z[0] + b[1] * z[1] + b[2] * z[2];
    most = std::max(most, std::abs(c));
  }
  if (most < 1e-3) return all;  // so much the rounding of points makes of a lattice
  for (std::size_t f = 0; f < all.size(); ++f) all[f] += more[f];
  return all;
}

// |H|^2 A = sum_j |C_j|^2: the Cholesky factor of (n_i . n_j)^2 / A, free sides first and left out,
// which is what is left where they have done their best.
PlateStencil stencil_of(const std::vector<Vec3d>& points, const PlatePatch& p) {
  const Unrolled u(points, p);
  std::array<int, 3> order{0, 1, 2};
  std::stable_partition(order.begin(), order.end(), [&](int i) { return !p.has(i); });
  std::array<Curvatures, 3> L{};
  PlateStencil s{p, {}};
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = j; i < 3; ++i) {
      const Flat a = u.normal(order[i]), b = u.normal(order[j]);
      double q = dot(a, b) * dot(a, b) / (dot(a, a) * dot(b, b)) / u.area();
      for (std::size_t k = 0; k < j; ++k) q -= L[i][k] * L[j][k];
      L[i][j] = i == j ? std::sqrt(q) : q / L[j][j];
    }
    if (!p.has(order[j])) continue;
    for (std::size_t i = j; i < 3; ++i) {
      const HingeWeights b = sigma(u, p, order[i]);
      for (std::size_t f = 0; f < b.size(); ++f) s.rows[j][f] += L[i][j] * b[f];
    }
  }
  return s;
}

// Whether a triangle is higher than a thousandth of its longest side. The last pivot of a lower
// one, as the fourth power of an angle, nears the rounding of the differences it comes from (of
// random triangles its root is right to 3e-5 at the least height, to 0.3 at a tenth of it, and
// below that may be that of a negative number). And its bends, as one over the height, outweigh the
// others in sums of least squares: by 1e6 at the least height, where 1e-9 of the trace still is
// little.
bool has_area(const std::vector<Vec3d>& points, const CellMesh::Triangle& t) {
  const Vec3d a = points[std::size_t(t[0])], b = points[std::size_t(t[1])] - a,
              c = points[std::size_t(t[2])] - a;
  return norm(cross(b, c)) > 1e-3 * std::max({dot(b, b), dot(c, c), dot(b - c, b - c)});
}

class Patches {
 public:
  Patches(const std::vector<Vec3d>& points, const std::vector<CellMesh::Triangle>& triangles)
      : triangles_(triangles), across_(across_sides(triangles)), whole_(triangles.size()) {
    for (std::size_t t = 0; t < triangles.size(); ++t) whole_[t] = has_area(points, triangles[t]);
  }
  std::optional<PlatePatch> at(std::size_t t) const {
    if (!whole_[t]) return {};
    PlatePatch p;
    p.points.fill(-1);
    for (int i = 0; i < 3; ++i) {
      const auto k = std::size_t(i);
      p.points[k] = triangles_[t][k];
      const auto [n, o] = over(t, k);
      p.points[3 + k] = o;
      if (n < 0) continue;
      p.points[6 + 2 * k] = beyond(n, triangles_[t][(k + 2) % 3]);
      p.points[7 + 2 * k] = beyond(n, triangles_[t][(k + 1) % 3]);
    }
    if (!p.has(0) && !p.has(1) && !p.has(2)) return {};
    return p;
  }

 private:
  Across over(std::size_t t, std::size_t side) const {
    const Across a = across_[t][side];
    return a.triangle >= 0 && whole_[std::size_t(a.triangle)] ? a : Across{};
  }
  // The point over the side of a triangle that lies opposite a corner.
  CellMesh::Corner beyond(Index triangle, CellMesh::Corner corner) const {
    const auto& c = triangles_[std::size_t(triangle)];
    return over(std::size_t(triangle), std::size_t(std::ranges::find(c, corner) - c.begin()))
        .opposite;
  }

  const std::vector<CellMesh::Triangle>& triangles_;
  std::vector<std::array<Across, 3>> across_;
  std::vector<bool> whole_;
};

}  // namespace

bool PlatePatch::has(int hinge) const {
  return points[std::size_t(corners[std::size_t(hinge)][3])] >= 0;
}

bool PlateStencil::wide() const {
  return std::ranges::any_of(rows, [](const auto& r) {
    return std::any_of(r.begin() + 3, r.end(), [](double k) { return k != 0; });
  });
}

namespace {

// One of two classes of each triangle, neighbours in different ones; empty where there are no such.
std::vector<int> every_other(const std::vector<std::array<Across, 3>>& across) {
  std::vector<int> side_of(across.size(), -1);
  std::vector<std::size_t> next;
  for (std::size_t start = 0; start < across.size(); ++start) {
    if (side_of[start] < 0) side_of[start] = 0, next.push_back(start);
    while (!next.empty()) {
      const std::size_t t = next.back();
      next.pop_back();
      for (const Across& a : across[t]) {
        if (a.triangle < 0) continue;
        const auto n = std::size_t(a.triangle);
        if (side_of[n] == side_of[t]) return {};
        if (side_of[n] < 0) side_of[n] = 1 - side_of[t], next.push_back(n);
      }
    }
  }
  return side_of;
}

bool equal_areas(const std::vector<Vec3d>& points,
                 const std::vector<CellMesh::Triangle>& triangles) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto& t : triangles) {
    const Vec3d a = points[std::size_t(t[0])];
    const double area = norm(cross(points[std::size_t(t[1])] - a, points[std::size_t(t[2])] - a));
    least = std::min(least, area), most = std::max(most, area);
  }
  return most < 1.001 * least;
}

}  // namespace

std::vector<PlateStencil> plate_stencils(const std::vector<Vec3d>& points,
                                         const std::vector<CellMesh::Triangle>& triangles) {
  const Patches patches(points, triangles);
  std::vector<PlateStencil> all;
  std::vector<std::size_t> of;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (const auto p = patches.at(t)) all.push_back(stencil_of(points, *p)), of.push_back(t);
  if (std::ranges::any_of(all, &PlateStencil::wide) || !equal_areas(points, triangles)) return all;
  const std::vector<int> side_of = every_other(across_sides(triangles));
  if (std::ssize(side_of) != 2 * std::ranges::count(side_of, 0)) return all;
  std::vector<PlateStencil> half;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (side_of[of[k]] != 0) continue;
    for (auto& row : all[k].rows)
      for (double& r : row) r *= std::sqrt(2.0);  // twice the bends, twice the area
    half.push_back(all[k]);
  }
  return half;
}

std::array<double, 4> hinge_weights(const std::array<Vec3d, 4>& x) {
  const Halves h =
      halves_of(x, [](const Vec3d& a, const Vec3d& b) { return dot(a, b) / norm(cross(a, b)); });
  return {h.first[0] + h.second[0], h.first[1] + h.second[1], h.first[2], h.second[2]};
}

}  // namespace rtsim
