#include "bodies/shapes/convex_parts.h"

#include <fmt/format.h>
#include <libqhull_r/qhull_ra.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>

#include "base/error.h"
#include "bodies/shapes/solid.h"
#include "shapes/rotation.h"

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

namespace {

using Triangle = std::array<Vec3d, 3>;

constexpr double enough = 1e-4;  // of the whole, that a hull may hold beyond its part

double six_volumes(const std::vector<Triangle>& triangles, const Vec3d& origin) {
  double sum = 0;
  for (const Triangle& t : triangles)
    sum += dot(t[0] - origin, cross(t[1] - origin, t[2] - origin));
  return sum;
}

// None where the points span no volume.
std::optional<double> hull_volume(const std::vector<Vec3d>& points) {
  try {
    const ConvexHull hull = convex_hull(points, 3);
    double six = 0;
    for (const auto& face : hull.faces)
      for (std::size_t k = 1; k + 1 < face.size(); ++k) {
        const auto at = [&](std::size_t c) {
          return hull.corners[std::size_t(face[c])] - hull.corners[0];
        };
        six += dot(at(0), cross(at(k), at(k + 1)));
      }
    return six / 6;
  } catch (const Error&) {
    return std::nullopt;
  }
}

struct Cut {
  int axis;
  double at;
};
using Edge = std::array<Vec3d, 2>;

// What closes a piece at a cut. The triangles may cover one another and reach beyond it, and count
// by their sense.
struct Cap {
  Cut cut;
  std::vector<Triangle> triangles;
};

// What of a solid lies between cuts.
struct Piece {
  std::vector<Triangle> surface;
  std::vector<Cap> caps;
  std::vector<Vec3d> corners;  // where two cuts meet and the surface or a third ends them
  double volume = 0, hull = 0;

  double excess() const { return hull - volume; }
};

// What of triangles lies above the cut (side 1) or below (-1), and where they end at it.
void keep_side(const std::vector<Triangle>& from, const Cut& cut, double side,
               std::vector<Triangle>& kept, std::vector<Edge>& rim) {
  for (const Triangle& t : from) {
    const auto over = [&](int k) { return side * (t[std::size_t(k)][cut.axis] - cut.at); };
    if (std::max({over(0), over(1), over(2)}) <= 0) continue;
    std::array<Vec3d, 4> p;
    std::size_t n = 0;
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3;
      const Vec3d &a = t[std::size_t(k)], &b = t[std::size_t(next)];
      if (over(k) >= 0) p[n++] = a;
      if (over(k) * over(next) >= 0) continue;
      p[n] = a + over(k) / (over(k) - over(next)) * (b - a);
      p[n++][cut.axis] = cut.at;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3d &a = p[k], &b = p[(k + 1) % n];
      if (a[cut.axis] == cut.at && b[cut.axis] == cut.at) rim.push_back({a, b});
      if (k > 0 && k + 1 < n) kept.push_back({p[0], p[k], p[k + 1]});
    }
  }
}

// Where what edges along an axis cover by their sense begins and ends.
std::vector<double> ends_of(const std::vector<Edge>& edges, int axis, double size) {
  std::vector<std::pair<double, int>> steps;
  for (const Edge& e : edges) steps.push_back({e[0][axis], 1}), steps.push_back({e[1][axis], -1});
  std::ranges::sort(steps);
  std::vector<double> ends;
  int over = 0;
  for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
    over += steps[k].second;
    // Two that should cancel may miss each other by rounding.
    if (over == 0 || steps[k + 1].first - steps[k].first < 1e-9 * size) continue;
    ends.push_back(steps[k].first), ends.push_back(steps[k + 1].first);
  }
  return ends;
}

class Cutter {
 public:
  Cutter(const TriangleMesh& mesh, int most) : most_(std::size_t(most)) {
    for (const auto& t : mesh.triangles) {
      Triangle& corners = whole_.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) corners[k] = mesh.vertices[std::size_t(t[k])];
      for (const Vec3d& x : corners) size_ = std::max(size_, norm(x - whole_[0][0]));
    }
  }

  std::vector<std::vector<Vec3d>> parts() {
    Piece all{whole_, {}, {}};
    if (!weigh(all)) return {points_of(all)};
    const double least = enough * all.volume;
    std::vector<Piece> pieces{std::move(all)};
    while (pieces.size() < most_) {
      Piece& worst = *std::ranges::max_element(pieces, {}, &Piece::excess);
      if (worst.excess() <= least) break;
      auto halves = best_halves(worst);
      if (!halves) {
        worst.hull = worst.volume;  // as good as it gets
        continue;
      }
      worst = std::move((*halves)[0]);
      pieces.push_back(std::move((*halves)[1]));
    }
    std::vector<std::vector<Vec3d>> points;
    for (const Piece& p : pieces) points.push_back(points_of(p));
    return points;
  }

 private:
  // What may be a corner of a piece's hull.
  static std::vector<Vec3d> points_of(const Piece& p) {
    std::vector<Vec3d> points = p.corners;
    for (const Triangle& t : p.surface) points.insert(points.end(), t.begin(), t.end());
    const auto in_order = [](const Vec3d& a, const Vec3d& b) {
      return std::lexicographical_compare(a.c, a.c + 3, b.c, b.c + 3);
    };
    std::ranges::sort(points, in_order);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
  }
  static bool weigh(Piece& p) {
    if (p.surface.empty()) return false;
    const Vec3d origin = p.surface[0][0];
    double six = six_volumes(p.surface, origin);
    for (const Cap& cap : p.caps) six += six_volumes(cap.triangles, origin);
    p.volume = six / 6;
    const std::optional<double> hull = hull_volume(points_of(p));
    if (!hull || !(p.volume > 0)) return false;
    p.hull = *hull;
    return true;
  }
  Piece half(const Piece& p, const Cut& cut, double side) const {
    Piece h;
    std::vector<Edge> rim;
    keep_side(p.surface, cut, side, h.surface, rim);
    for (const Vec3d& x : p.corners)
      if (side * (x[cut.axis] - cut.at) >= 0) h.corners.push_back(x);
    for (const Cap& cap : p.caps) {
      std::vector<Edge> own;
      Cap kept{cap.cut, {}};
      keep_side(cap.triangles, cut, side, kept.triangles, own);
      if (kept.triangles.empty()) continue;
      h.caps.push_back(std::move(kept));
      if (own.empty()) continue;
      Vec3d x = own[0][0];
      const int along = 3 - cut.axis - cap.cut.axis;
      for (const double end : ends_of(own, along, size_)) x[along] = end, h.corners.push_back(x);
      rim.insert(rim.end(), own.begin(), own.end());
    }
    h.caps.push_back({cut, {}});
    for (const Edge& edge : rim) h.caps.back().triangles.push_back({rim[0][0], edge[1], edge[0]});
    return h;
  }
  // At the same distances, or where corners are near those.
  static std::vector<Cut> cuts_of(const Piece& p) {
    constexpr int steps = 16;
    std::vector<Cut> cuts;
    for (int a = 0; a < 3; ++a) {
      std::vector<double> at;
      for (const Triangle& t : p.surface)
        for (const Vec3d& x : t) at.push_back(x[a]);
      std::ranges::sort(at);
      const double low = at.front(), step = (at.back() - low) / steps;
      for (int k = 0; k < steps; ++k) {
        const double from = low + k * step, middle = from + 0.5 * step;
        // The corner within half a step of the middle that is nearest to it, if there is one.
        const auto next = std::ranges::lower_bound(at, middle);
        double cut = next != at.end() && *next <= from + step ? *next : middle;
        if (next != at.begin() && *(next - 1) >= from &&
            (cut == middle || middle - *(next - 1) < cut - middle))
          cut = *(next - 1);
        if (cut > low && cut < at.back()) cuts.push_back({a, cut});
      }
    }
    return cuts;
  }
  // Those whose hulls hold least. What is cut through a hole holds as much as before: of such, and
  // of what is nearly alike, those that are the most compact.
  std::optional<std::array<Piece, 2>> best_halves(const Piece& p) const {
    constexpr double compact = 0.05;
    std::optional<std::array<Piece, 2>> best;
    double least = std::numeric_limits<double>::infinity();
    const double whole = squared_diagonal(p);
    for (const Cut& cut : cuts_of(p)) {
      std::array<Piece, 2> halves{half(p, cut, -1), half(p, cut, 1)};
      if (!weigh(halves[0]) || !weigh(halves[1])) continue;
      const double larger =
          std::max(squared_diagonal(halves[0]), squared_diagonal(halves[1])) / whole;
      const double worth = halves[0].hull + halves[1].hull + compact * larger * p.excess();
      if (worth < least) least = worth, best = std::move(halves);
    }
    return best;
  }
  // Of the box around it.
  static double squared_diagonal(const Piece& p) {
    Vec3d low = p.surface[0][0], high = low;
    for (const Triangle& t : p.surface)
      for (const Vec3d& x : t)
        for (int a = 0; a < 3; ++a)
          low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
    return dot(high - low, high - low);
  }

  std::vector<Triangle> whole_;
  std::size_t most_;
  double size_ = 0;  // [m]
};

double area_of(const std::vector<Vec3d>& corners) { return moments_of_polygon(corners).volume; }

// Two pieces that a diagonal parts, and the hull of both.
struct Diagonal {
  std::size_t one, two;
};

}  // namespace

std::vector<std::vector<Vec3d>> convex_parts(const TriangleMesh& mesh, int most) {
  if (most == 1) return {mesh.vertices};
  return Cutter(mesh, most).parts();
}

// Triangles are joined while what they make is convex (S. Hertel & K. Mehlhorn, "Fast triangulation
// of simple polygons", 1983), then while there are more than `most` those whose hull adds least.
std::vector<std::vector<Vec3d>> convex_parts_in_the_plane(const TriangleMesh& mesh, int most) {
  if (most == 1) return {mesh.vertices};
  std::vector<std::vector<Vec3d>> parts;
  double whole = 0;
  for (const auto& t : mesh.triangles) {
    std::vector<Vec3d>& p = parts.emplace_back();
    for (const std::int32_t c : t) p.push_back(mesh.vertices[std::size_t(c)]);
    whole += area_of(p);
  }
  std::vector<Diagonal> diagonals;
  const auto share_an_edge = [](const auto& s, const auto& t) {
    int common = 0;
    for (const std::int32_t c : s) common += std::ranges::count(t, c) > 0;
    return common == 2;
  };
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = i + 1; j < parts.size(); ++j)
      if (share_an_edge(mesh.triangles[i], mesh.triangles[j])) diagonals.push_back({i, j});
  std::size_t count = parts.size();
  while (!diagonals.empty()) {
    double least = std::numeric_limits<double>::infinity();
    Diagonal best{};
    std::vector<Vec3d> joined;
    for (const Diagonal& d : diagonals) {
      std::vector<Vec3d> both = parts[d.one];
      both.insert(both.end(), parts[d.two].begin(), parts[d.two].end());
      both = convex_hull(both, 2).corners;
      const double adds = area_of(both) - area_of(parts[d.one]) - area_of(parts[d.two]);
      if (adds < least) least = adds, best = d, joined = std::move(both);
    }
    if (least > 1e-9 * whole && count <= std::size_t(most)) break;
    parts[best.one] = std::move(joined), parts[best.two].clear(), --count;
    for (Diagonal& d : diagonals)
      for (std::size_t* end : {&d.one, &d.two})
        if (*end == best.two) *end = best.one;
    std::erase_if(diagonals, [](const Diagonal& d) { return d.one == d.two; });
  }
  std::erase_if(parts, [](const auto& p) { return p.empty(); });
  return parts;
}

}  // namespace rtsim
