#include "bodies/shapes/convex_hull.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "base/error.h"
#include "shapes/rotation.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace rtsim {

namespace {

[[noreturn]] void throw_flat(int dim) {
  throw Error(ExitCode::bad_input,
              fmt::format("the points span no {}, so their hull is no body",
                          dim == 2 ? "area: they lie on a line" : "volume: they lie in a plane"));
}

double orient2d(const Vec3d& o, const Vec3d& a, const Vec3d& b) {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

// A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", Information
// Processing Letters 9(5), 1979.
ConvexHull hull_in_the_plane(std::vector<Vec3d> p) {
  std::ranges::sort(
      p, [](const Vec3d& a, const Vec3d& b) { return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1]; });
  std::vector<Vec3d> corners;
  const auto add = [&](const Vec3d& x, std::size_t kept) {
    while (corners.size() > kept && orient2d(corners[corners.size() - 2], corners.back(), x) <= 0)
      corners.pop_back();
    corners.push_back(x);
  };
  for (const Vec3d& x : p) add(x, 1);
  const std::size_t lower = corners.size();
  for (std::size_t i = p.size() - 1; i-- > 0;) add(p[i], lower);
  corners.pop_back();
  if (corners.size() < 3) throw_flat(2);
  return {corners, {}};
}

// Owns Qhull's state.
class Qhull {
 public:
  Qhull(std::vector<Vec3d>& points, double thickness)
      : nowhere_(std::fopen("/dev/null", "w"), std::fclose) {
    qh_zero(&qh_, nowhere_.get());
    std::string command = fmt::format("qhull Pp C{:.17g}", thickness);
    failed_ = qh_new_qhull(&qh_, 3, int(points.size()), points[0].c, False, command.data(),
                           nowhere_.get(), nowhere_.get()) != 0;
  }
  ~Qhull() {
    int bytes, blocks;
    qh_freeqhull(&qh_, !qh_ALL);
    qh_memfreeshort(&qh_, &bytes, &blocks);
  }
  Qhull(const Qhull&) = delete;

  bool failed() const { return failed_; }

  // Numbers of points around each face.
  std::vector<std::vector<int>> faces() {
    std::vector<std::vector<int>> all;
    qhT* const qh = &qh_;  // Qhull's macros want this name
    facetT* facet;
    FORALLfacets {
      vertexT *vertex, **vertexp;
      setT* around = qh_facet3vertex(qh, facet);
      all.emplace_back();
      FOREACHvertex_(around) all.back().push_back(qh_pointid(qh, vertex->point));
      qh_settempfree(qh, &around);
    }
    return all;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere_;
  qhT qh_;
  bool failed_ = false;
};

// Newell's normal, of any length.
Vec3d normal_of(const std::vector<Vec3d>& points, const std::vector<int>& face) {
  Vec3d n;
  const Vec3d& o = points[std::size_t(face[0])];
  for (std::size_t k = 1; k + 1 < face.size(); ++k)
    n = n + cross(points[std::size_t(face[k])] - o, points[std::size_t(face[k + 1])] - o);
  return n;
}

// C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The quickhull algorithm for convex hulls", ACM
// Transactions on Mathematical Software 22(4), 1996. Takes points about their middle.
ConvexHull hull_in_space(std::vector<Vec3d> points, double size) {
  if (points.size() < 4) throw_flat(3);
  Qhull qhull(points, 1e-7 * size);
  if (qhull.failed()) throw_flat(3);
  ConvexHull hull{{}, qhull.faces()};
  std::vector<int> number(points.size(), -1);
  for (auto& face : hull.faces) {
    if (dot(normal_of(points, face), points[std::size_t(face[0])]) < 0) std::ranges::reverse(face);
    for (int& corner : face) number[std::size_t(corner)] = 0;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = int(hull.corners.size());
    hull.corners.push_back(points[i]);
  }
  for (auto& face : hull.faces)
    for (int& corner : face) corner = number[std::size_t(corner)];
  return hull;
}

}  // namespace

ConvexHull convex_hull(const std::vector<Vec3d>& points, int dim) {
  if (points.size() < 3) throw_flat(dim);
  if (dim == 2) return hull_in_the_plane(points);
  Vec3d low = points[0], high = low;
  for (const Vec3d& x : points)
    for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
  const Vec3d middle = 0.5 * (low + high);
  std::vector<Vec3d> centred;
  for (const Vec3d& x : points) centred.push_back(x - middle);
  ConvexHull hull = hull_in_space(std::move(centred), norm(high - low));
  for (Vec3d& x : hull.corners) x = x + middle;
  return hull;
}

// Directions on a spiral: A. Gonzalez, "Measurement of areas on a sphere using Fibonacci and
// latitude-longitude lattices", Mathematical Geosciences 42, 2010.
ConvexHull simplified(const ConvexHull& hull, int most) {
  if (hull.corners.size() <= std::size_t(most)) return hull;
  std::vector<Vec3d> kept;
  for (int k = 0; k < most; ++k) {
    const double z = 1 - (2 * k + 1.0) / most, r = std::sqrt(1 - z * z);
    const double angle = k * pi * (3 - std::sqrt(5.0));
    const Vec3d way{{r * std::cos(angle), r * std::sin(angle), z}};
    const Vec3d& out =
        *std::ranges::max_element(hull.corners, {}, [&](const Vec3d& x) { return dot(x, way); });
    if (std::ranges::find(kept, out) == kept.end()) kept.push_back(out);
  }
  return convex_hull(kept, 3);
}

}  // namespace rtsim
