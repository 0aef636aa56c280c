#include "solvers/shallow_water/hull_facets.h"

#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

using Polygon = std::vector<Vec3d>;

// The part with sign x[axis] <= sign at: Sutherland & Hodgman, "Reentrant polygon clipping", CACM
// 17, 1974. Corners that it makes lie at `at` to the last bit.
void clip(const Polygon& from, int axis, double at, double sign, Polygon& to) {
  to.clear();
  for (std::size_t k = 0; k < from.size(); ++k) {
    const Vec3d &a = from[k], &b = from[(k + 1) % from.size()];
    const double da = sign * (a[axis] - at), db = sign * (b[axis] - at);
    if (da <= 0) to.push_back(a);
    if ((da < 0 && db > 0) || (da > 0 && db < 0)) {
      Vec3d x = a + (da / (da - db)) * (b - a);
      x[axis] = at;
      to.push_back(x);
    }
  }
}

// What lies on the plane x[axis] = at; half of it, as the column on its other side sees it too.
void add_segments(const Polygon& p, int axis, double at, Index cell, double sign, double spacing,
                  std::vector<HullSegment>& to) {
  const int other = 2 - axis;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const Vec3d &a = p[k], &b = p[(k + 1) % p.size()];
    if (a[axis] != at || b[axis] != at || a[other] == b[other]) continue;
    to.push_back({cell, 0.5 * sign * std::abs(b[other] - a[other]) / spacing, 0.5 * (a[1] + b[1])});
  }
}

// Area seen from above, > 0 where the polygon faces down, and its middle.
double middle_of(const Polygon& p, Vec3d& middle) {
  double area = 0;
  middle = {};
  for (std::size_t k = 1; k + 1 < p.size(); ++k) {
    const Vec3d u = p[k] - p[0], v = p[k + 1] - p[0];
    const double part = 0.5 * (u[0] * v[2] - v[0] * u[2]);
    area += part;
    middle = middle + (part / 3) * (p[0] + p[k] + p[k + 1]);
  }
  if (area != 0) middle = (1 / area) * middle;
  return area;
}

}  // namespace

void HullFacets::add(const GridShape& g, const Vec3d (&corner)[3]) {
  Index first[3] = {}, last[3] = {};
  for (int a = 0; a < 3; a += 2) {
    const auto [low, high] = std::minmax({corner[0][a], corner[1][a], corner[2][a]});
    const double from = std::floor((low - g.low[a]) / g.spacing),
                 to = std::floor((high - g.low[a]) / g.spacing);
    if (to < 0 || from >= double(g.cells[a])) return;
    first[a] = Index(std::max(from, 0.0)), last[a] = Index(std::min(to, double(g.cells[a] - 1)));
  }
  const auto border = [&](int a, Index k) { return g.low[a] + double(k) * g.spacing; };
  const Polygon whole{corner[0], corner[1], corner[2]};
  Polygon strip, part, spare;
  for (Index k = first[2]; k <= last[2]; ++k) {
    clip(whole, 2, border(2, k), -1, spare), clip(spare, 2, border(2, k + 1), 1, strip);
    for (Index i = first[0]; i <= last[0] && strip.size() > 2; ++i) {
      clip(strip, 0, border(0, i), -1, spare), clip(spare, 0, border(0, i + 1), 1, part);
      Vec3d m;
      const double area = middle_of(part, m) / (g.spacing * g.spacing);
      if (std::abs(area) < 1e-12) continue;
      const double sign = area > 0 ? 1 : -1;
      const Index cell = i + g.cells[0] * k;
      facets.push_back({cell, area, m[0], m[1], m[2]});
      if (i + 1 < g.cells[0])
        add_segments(part, 0, border(0, i + 1), cell, sign, g.spacing, across_x);
      if (k + 1 < g.cells[2])
        add_segments(part, 2, border(2, k + 1), cell, sign, g.spacing, across_z);
      if (i > 0) add_segments(part, 0, border(0, i), cell - 1, sign, g.spacing, across_x);
      if (k > 0) add_segments(part, 2, border(2, k), cell - g.cells[0], sign, g.spacing, across_z);
    }
  }
}

}  // namespace rtsim
