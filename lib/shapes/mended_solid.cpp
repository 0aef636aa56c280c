#include "shapes/mended_solid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.h"
#include "base/joined_sets.h"
#include "shapes/pseudonormals.h"
#include "shapes/weld.h"
#include "shapes/winding.h"

namespace rtsim {
namespace {

using Triangle = std::array<std::int32_t, 3>;
using Ring = std::vector<std::int32_t>;
using EdgeEnds = std::pair<std::int32_t, std::int32_t>;  // lower first

EdgeEnds ends_of(const Triangle& t, std::size_t k) { return std::minmax(t[k], t[(k + 1) % 3]); }
bool goes_up(const Triangle& t, std::size_t k) { return t[k] < t[(k + 1) % 3]; }

struct Moments {
  double volume = 0, area = 0;
};

template <class Triangles>
Moments moments_of(const TriangleMesh& m, const Triangles& triangles, const Vec3d& origin) {
  Moments sum;
  for (const Triangle& t : triangles) {
    const auto at = [&](std::size_t k) { return m.vertices[std::size_t(t[k])] - origin; };
    sum.volume += dot(at(0), cross(at(1), at(2))) / 6;
    sum.area += norm(cross(at(1) - at(0), at(2) - at(0))) / 2;
  }
  return sum;
}

// Over edges of two triangles, each part's own way: that of most of its triangles.
int turn_alike(TriangleMesh& m) {
  std::map<EdgeEnds, std::vector<std::size_t>> at;
  for (std::size_t t = 0; t < m.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) at[ends_of(m.triangles[t], k)].push_back(t);
  std::vector<int> way(m.triangles.size(), 0);  // 1 as it is, -1 turned, 0 not reached
  int turned = 0;
  for (std::size_t first = 0; first < way.size(); ++first) {
    if (way[first] != 0) continue;
    way[first] = 1;
    std::vector<std::size_t> part{first};
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::size_t t = part[i];
      for (std::size_t k = 0; k < 3; ++k) {
        const EdgeEnds e = ends_of(m.triangles[t], k);
        const auto& both = at[e];
        if (both.size() != 2) continue;
        const std::size_t n = both[0] == t ? both[1] : both[0];
        if (way[n] != 0) continue;
        std::size_t same = 0;
        while (ends_of(m.triangles[n], same) != e) ++same;
        const bool matches = goes_up(m.triangles[t], k) != goes_up(m.triangles[n], same);
        way[n] = matches ? way[t] : -way[t];
        part.push_back(n);
      }
    }
    int ahead = 0;
    for (const std::size_t t : part) ahead += way[t];
    for (const std::size_t t : part)
      if (way[t] * (ahead < 0 ? -1 : 1) < 0)
        std::swap(m.triangles[t][1], m.triangles[t][2]), ++turned;
  }
  return turned;
}

// The edges that more triangles run through one way than the other, as rings in the sense of the
// triangles that close them. A boundary has none itself: at each point as many end as begin.
std::vector<Ring> open_rings(const TriangleMesh& m) {
  std::map<EdgeEnds, int> balance;  // from the lower end to the higher less those back
  for (const Triangle& t : m.triangles)
    for (std::size_t k = 0; k < 3; ++k) balance[ends_of(t, k)] += goes_up(t, k) ? 1 : -1;
  std::map<std::int32_t, std::vector<std::int32_t>> next;
  for (const auto& [edge, count] : balance)
    for (int n = 0; n < std::abs(count); ++n)
      count > 0 ? next[edge.second].push_back(edge.first) : next[edge.first].push_back(edge.second);
  std::vector<Ring> rings;
  for (auto& [start, ways] : next)
    while (!ways.empty()) {
      Ring path{start};
      do {
        auto& from = next[path.back()];
        const std::int32_t to = from.back();
        from.pop_back();
        const auto back = std::ranges::find(path, to);
        if (back == path.end()) {
          path.push_back(to);
          continue;
        }
        if (path.end() - back > 2) rings.emplace_back(back, path.end());
        path.erase(back + 1, path.end());
      } while (path.size() > 1 || !next[path.back()].empty());
    }
  return rings;
}

// Triangles from a ring to its middle. Returns their area.
double close(TriangleMesh& m, const Ring& ring, Vec3d& middle) {
  middle = {};
  for (const std::int32_t v : ring)
    middle = middle + (1.0 / double(ring.size())) * m.vertices[std::size_t(v)];
  const std::size_t before = m.triangles.size();
  if (ring.size() == 3) {
    m.triangles.push_back({ring[0], ring[1], ring[2]});
  } else {
    const auto centre = std::int32_t(m.vertices.size());
    m.vertices.push_back(middle);
    for (std::size_t k = 0; k < ring.size(); ++k)
      m.triangles.push_back({ring[k], ring[(k + 1) % ring.size()], centre});
  }
  return moments_of(m, std::span(m.triangles).subspan(before), middle).area;
}

// Whose triangles hang together by their corners.
std::vector<std::vector<std::size_t>> pieces_of(const TriangleMesh& m) {
  JoinedSets joined(m.vertices.size());
  for (const Triangle& t : m.triangles)
    for (const std::int32_t v : t) joined.join(t[0], v);
  std::map<std::int32_t, std::vector<std::size_t>> pieces;
  for (std::size_t t = 0; t < m.triangles.size(); ++t)
    pieces[joined.root(m.triangles[t][0])].push_back(t);
  std::vector<std::vector<std::size_t>> list;
  for (auto& [first, piece] : pieces) list.push_back(std::move(piece));
  return list;
}

void turn_over(Triangle& t) { std::swap(t[1], t[2]); }

// A piece that faces inwards is a hollow where it lies inside others, and else turned; of a mesh
// that encloses less than nothing all are turned first. Returns how many are other than they were.
int turn_outwards(TriangleMesh& m) {
  const auto pieces = pieces_of(m);
  const bool inverted = moments_of(m, m.triangles, m.vertices[0]).volume < 0;
  if (inverted) std::ranges::for_each(m.triangles, turn_over);
  int turned = inverted ? int(pieces.size()) : 0;
  std::vector<bool> own(m.triangles.size(), false);
  for (const auto& piece : pieces) {
    std::vector<Triangle> triangles;
    for (const std::size_t t : piece) triangles.push_back(m.triangles[t]), own[t] = true;
    const Vec3d at = m.vertices[std::size_t(triangles[0][0])];
    if (moments_of(m, triangles, at).volume < 0) {
      double around = 0;
      for (std::size_t t = 0; t < m.triangles.size(); ++t)
        if (!own[t]) {
          const auto& c = m.triangles[t];
          around +=
              winding_of_triangle(m.vertices[std::size_t(c[0])], m.vertices[std::size_t(c[1])],
                                  m.vertices[std::size_t(c[2])], at);
        }
      if (std::abs(around) < 0.5) {
        for (const std::size_t t : piece) turn_over(m.triangles[t]);
        turned += inverted ? -1 : 1;
      }
    }
    for (const std::size_t t : piece) own[t] = false;
  }
  return turned;
}

// Whether a segment goes through a triangle, corners and edges aside.
bool goes_through(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const auto side = [](const Vec3d& o, const Vec3d& x, const Vec3d& y, const Vec3d& z) {
    return dot(x - o, cross(y - o, z - o));
  };
  const double above = side(p, a, b, c), below = side(q, a, b, c);
  if ((above > 0) == (below > 0)) return false;
  const double u = side(p, q, a, b), v = side(p, q, b, c), w = side(p, q, c, a);
  return (u > 0) == (v > 0) && (v > 0) == (w > 0);
}

// Whether an edge goes through a triangle that it has no corner of.
bool intersects_itself(const TriangleTree& tree) {
  const TriangleMesh& m = tree.mesh();
  const auto meets = [&](std::int32_t from, std::int32_t to) {
    const Vec3d &p = m.vertices[std::size_t(from)], &q = m.vertices[std::size_t(to)];
    std::vector<int> waiting{0};
    while (!waiting.empty()) {
      const int n = waiting.back();
      waiting.pop_back();
      const auto& node = tree.nodes()[std::size_t(n)];
      bool apart = false;
      for (int a = 0; a < 3; ++a)
        apart |= std::max(p[a], q[a]) < node.box.min[a] || std::min(p[a], q[a]) > node.box.max[a];
      if (apart) continue;
      if (node.count == 0) waiting.push_back(node.first), waiting.push_back(n + 1);
      for (int i = node.first; i < node.first + node.count; ++i) {
        const Triangle& t = m.triangles[std::size_t(i)];
        if (std::ranges::count(t, from) || std::ranges::count(t, to)) continue;
        if (goes_through(p, q, m.vertices[std::size_t(t[0])], m.vertices[std::size_t(t[1])],
                         m.vertices[std::size_t(t[2])]))
          return true;
      }
    }
    return false;
  };
  for (const Triangle& t : m.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      if (meets(t[k], t[(k + 1) % 3])) return true;
  return false;
}

// Where no triangles intersect, and each has the inside behind it and the outside before it,
// normals tell the side as well as the winding number does, and faster.
bool is_simple(const TriangleTree& tree, const WindingNumbers& winding) {
  if (intersects_itself(tree)) return false;
  const TriangleMesh& m = tree.mesh();
  const double step = 1e-6 * norm(tree.bounds().max - tree.bounds().min);
  return std::ranges::all_of(m.triangles, [&](const Triangle& t) {
    const auto at = [&](std::size_t k) { return m.vertices[std::size_t(t[k])]; };
    const Vec3d n = cross(at(1) - at(0), at(2) - at(0));
    if (!(norm(n) > 0)) return true;
    const Vec3d middle = (1.0 / 3) * (at(0) + at(1) + at(2)), out = (step / norm(n)) * n;
    const double behind = winding.at(middle - out), before = winding.at(middle + out);
    return behind > 0.5 && behind < 1.5 && std::abs(before) < 0.5;
  });
}

class WoundSolid : public Shape {
 public:
  explicit WoundSolid(TriangleMesh mesh)
      : tree_(std::move(mesh)), winding_(tree_), simple_(is_simple(tree_, winding_)) {
    if (!simple_) return;
    normals_ = PseudoNormals(tree_.mesh());
    volume_ = moments_of(tree_.mesh(), tree_.mesh().triangles, tree_.bounds().min).volume;
  }

  double distance(const Vec3d& x) const override {
    const NearestPoint q = tree_.nearest(x);
    const bool inside =
        simple_ ? dot(x - q.point, normals_.at(tree_.mesh(), q)) < 0 : winding_.at(x) > 0.5;
    return inside ? -q.distance : q.distance;
  }
  Bounds bounds() const override { return tree_.bounds(); }
  std::optional<double> volume() const override { return volume_; }

 private:
  TriangleTree tree_;
  WindingNumbers winding_;
  bool simple_;
  PseudoNormals normals_;
  std::optional<double> volume_;  // [m^3]
};

}  // namespace

MendedSurface mend_surface(TriangleMesh mesh) {
  MendedSurface s;
  s.doubled = drop_doubled(mesh);
  if (open_edges(mesh) > 0) s.turned = turn_alike(mesh);
  const double area = moments_of(mesh, mesh.triangles, mesh.vertices[0]).area;
  double largest = 0;
  for (const Ring& ring : open_rings(mesh)) {
    Vec3d middle;
    const double cap = close(mesh, ring, middle);
    ++s.holes, s.edges += int(ring.size()), s.hole_share += cap / area;
    if (cap < largest) continue;
    largest = cap, s.hole = middle, s.hole_across = 0;
    for (const std::int32_t v : ring)
      s.hole_across = std::max(s.hole_across, 2 * norm(mesh.vertices[std::size_t(v)] - middle));
  }
  s.parts = turn_outwards(mesh);
  s.mesh = std::move(mesh);
  return s;
}

std::string MendedSurface::tell() const {
  std::vector<std::string> done;
  const auto count = [&](int n, const char* one, const char* many) {
    if (n > 0) done.push_back(fmt::format("{} {}", n, n == 1 ? one : many));
  };
  count(doubled, "doubled triangle left out", "doubled triangles left out");
  count(turned, "triangle turned the way of its neighbours",
        "triangles turned the way of their neighbours");
  count(parts, "piece turned inside out", "pieces turned inside out");
  count(holes, "hole", "holes");
  if (holes > 0)
    done.back() += fmt::format(
        " of {} edges and {:.2g} % of the area closed, {}about ({:.4g}, {:.4g}, {:.4g})", edges,
        100 * hole_share, holes > 1 ? "the largest " : "", hole[0], hole[1], hole[2]);
  return fmt::format("{}", fmt::join(done, "; "));
}

std::unique_ptr<Shape> make_mended_solid(TriangleMesh mesh, double largest_holes,
                                         const std::string& file, std::vector<std::string>& notes) {
  MendedSurface s = mend_surface(std::move(mesh));
  if (s.hole_share > largest_holes) {
    const double enough = std::ceil(100 * s.hole_share) / 100;
    throw Error(
        ExitCode::bad_input,
        fmt::format(
            "{}: the surface is open: {} hole{} of {:.3g} % of its area, the "
            "largest about ({:.6g}, {:.6g}, {:.6g}), {:.3g} m across; close "
            "{} in the mesh{}",
            file, s.holes, s.holes == 1 ? "" : "s", 100 * s.hole_share, s.hole[0], s.hole[1],
            s.hole[2], s.hole_across, s.holes == 1 ? "it" : "them",
            enough > 1 ? "" : fmt::format(", or raise \"largest_holes\" to {:.2g}", enough)));
  }
  const Moments all = moments_of(s.mesh, s.mesh.triangles, s.mesh.vertices[0]);
  // Of what encloses nothing the volume is far below that of a ball of its area.
  if (!(std::abs(all.volume) > 1e-5 * std::pow(all.area, 1.5)))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the surface encloses {:.3g} m^3 in all: it is a sheet, and has no "
                            "inside; give it a thickness",
                            file, std::abs(all.volume)));
  if (const std::string told = s.tell(); !told.empty())
    notes.push_back(fmt::format("{} was mended: {}", file, told));
  return std::make_unique<WoundSolid>(std::move(s.mesh));
}

}  // namespace rtsim
