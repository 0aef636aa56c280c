#include "meshes/delaunay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/error.h"
#include "base/random.h"
#include "meshes/stuffing.h"
#include "shapes/mesh_file.h"
#include "shapes/point_grid.h"
#include "shapes/rotation.h"
#include "shapes/weld.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace rtsim {
namespace {

// In shares of the spacing.
constexpr double apart = 0.6;    // points of the surface
constexpr double deep = 0.35;    // that inner points lie inside at the least
constexpr int most_rounds = 10;  // in which points of flat tets are dropped

// Heights of points over a paraboloid (x, y, z, x^2 + y^2 + z^2 + w), with small weights w: spheres
// of the radius r may reach over a point by w / 2 r. Where many points are on one sphere,
// as those of a lattice are, or four of them in one plane, weights decide alike for all tets
// around, and a flat tet is none: its corners stand in a plane upright.
std::vector<double> lifted(const std::vector<Vec3d>& points, double size) {
  constexpr double share = 1e-9;  // far above what the planes of the hull are rounded by
  std::vector<double> x;
  x.reserve(4 * points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double w = uniform(philox(0, 0, 0, std::uint32_t(i)).c[0]) * share * size * size;
    x.insert(x.end(), points[i].c, points[i].c + 3);
    x.push_back(dot(points[i], points[i]) + w);
  }
  return x;
}

// The lower hull of lifted points. Owns Qhull's state.
class Triangulation {
 public:
  explicit Triangulation(std::vector<double>& lifted)
      : told_(open_memstream(&text_, &length_), std::fclose) {
    qh_zero(&qh_, told_.get());
    char command[] = "qhull Qbb Qt Q12 Pp";
    failed_ = qh_new_qhull(&qh_, 4, int(lifted.size() / 4), lifted.data(), False, command,
                           told_.get(), told_.get()) != 0;
  }
  ~Triangulation() {
    int bytes, blocks;
    qh_freeqhull(&qh_, !qh_ALL);
    qh_memfreeshort(&qh_, &bytes, &blocks);
    told_.reset();
    std::free(text_);
  }
  Triangulation(const Triangulation&) = delete;

  bool failed() const { return failed_; }
  // "QH6154 ...", the first line of what it says.
  std::string why() const {
    std::fflush(told_.get());
    const std::string all(text_, length_);
    return all.substr(0, all.find('\n'));
  }

  std::vector<CellMesh::Tet> tets() {
    std::vector<CellMesh::Tet> all;
    qhT* const qh = &qh_;  // Qhull's macros want this name
    facetT* facet;
    FORALLfacets {
      if (!(facet->normal[3] < 0)) continue;
      vertexT *vertex, **vertexp;
      CellMesh::Tet t{};
      std::size_t k = 0;
      FOREACHvertex_(facet->vertices) if (k < 4) t[k++] = qh_pointid(qh, vertex->point);
      if (k == 4) all.push_back(t);
    }
    return all;
  }

 private:
  char* text_ = nullptr;
  std::size_t length_ = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> told_;
  qhT qh_;
  bool failed_ = false;
};

// By the point farthest from the first, the one farthest from their line, and the one farthest from
// the plane of these.
bool span_volume(const std::vector<Vec3d>& x, double size) {
  const auto farthest = [&](auto&& from) {
    return *std::ranges::max_element(x, {}, [&](const Vec3d& p) { return norm(from(p)); });
  };
  if (x.size() < 4 || !(size > 0)) return false;
  const Vec3d a = x.front();
  const Vec3d ab = farthest([&](const Vec3d& p) { return p - a; }) - a;
  const Vec3d n = cross(ab, farthest([&](const Vec3d& p) { return cross(ab, p - a); }) - a);
  const Vec3d off = farthest([&](const Vec3d& p) { return Vec3d{{dot(n, p - a), 0, 0}}; }) - a;
  return std::abs(dot(n, off)) > 1e-12 * size * norm(n);
}

Vec3d middle_of(const CellMesh& m, const CellMesh::Tet& t) {
  Vec3d sum;
  for (const auto p : t) sum = sum + m.points[std::size_t(p)];
  return 0.25 * sum;
}

// 1 of a regular tet, 0 of a flat one: 6 sqrt 2 V / l^3, with l the root mean square of its edges.
double fullness(const CellMesh& m, const CellMesh::Tet& t) {
  double squares = 0;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3d e = m.points[std::size_t(t[i])] - m.points[std::size_t(t[j])];
      squares += dot(e, e) / 6;
    }
  return 6 * std::sqrt(2.0) * volume_of(m, t) / (squares * std::sqrt(squares));
}

// Flat tets with two faces or more on the surface, and of the flattest those with one, are taken
// off until there are none: the surface stays where it is, but for their thickness.
void take_off_flat(CellMesh& m) {
  constexpr double flat = 0.1, very_flat = 0.01;
  for (;;) {
    std::vector<CellMesh::Triangle> bare = boundary_of(m.tets);
    for (auto& f : bare) std::ranges::sort(f);
    std::ranges::sort(bare);
    const std::size_t taken = std::erase_if(m.tets, [&](const CellMesh::Tet& t) {
      const double full = fullness(m, t);
      if (full > flat) return false;
      int open = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        CellMesh::Triangle f{t[(k + 1) % 4], t[(k + 2) % 4], t[(k + 3) % 4]};
        std::ranges::sort(f);
        open += std::ranges::binary_search(bare, f);
      }
      return open >= (full > very_flat ? 2 : 1);
    });
    if (taken == 0) return;
  }
}

// Of every flat tet that is left the last point goes; one of the first `kept`, which lie on
// creases, only of the flattest: those are fewer then. Returns whether any goes.
bool drop_a_point_of_flat(CellMesh& m, std::size_t& kept) {
  constexpr double flat = 0.02, very_flat = 0.005;
  std::vector<bool> goes(m.points.size(), false);
  bool any = false;
  for (const CellMesh::Tet& t : m.tets) {
    const auto last = std::size_t(*std::ranges::max_element(t));
    if (fullness(m, t) > (last < kept ? very_flat : flat)) continue;
    // One that loses a point already is no more.
    if (std::ranges::any_of(t, [&](CellMesh::Corner p) { return goes[std::size_t(p)]; })) continue;
    goes[last] = any = true;
  }
  kept -= std::size_t(std::count(goes.begin(), goes.begin() + std::ptrdiff_t(kept), true));
  std::size_t left = 0;
  for (std::size_t p = 0; p < m.points.size(); ++p)
    if (!goes[p]) m.points[left++] = m.points[p];
  m.points.resize(left);
  return any;
}

void add_segment(std::vector<Vec3d>& to, const Vec3d& a, const Vec3d& b, double spacing) {
  const int parts = std::max(1, int(std::ceil(norm(b - a) / spacing - 1e-9)));
  for (int k = 0; k <= parts; ++k) to.push_back(a + (double(k) / parts) * (b - a));
}

std::vector<Vec3d> creases_of_box(const BoxSpec& b, double spacing) {
  std::vector<Vec3d> points;
  for (int from = 0; from < 8; ++from)
    for (int a = 0; a < 3; ++a) {
      if (from & (1 << a)) continue;
      const auto corner = [&](int k) {
        return Vec3d{
            {(k & 1 ? b.max : b.min)[0], (k & 2 ? b.max : b.min)[1], (k & 4 ? b.max : b.min)[2]}};
      };
      add_segment(points, corner(from), corner(from | 1 << a), spacing);
    }
  return points;
}

std::vector<Vec3d> creases_of_mesh(const TriangleMesh& mesh, double spacing) {
  constexpr double sharp = 0.866;  // cos 30 degrees
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Vec3d>> normals;
  for (const auto& t : mesh.triangles) {
    const auto at = [&](std::size_t k) { return mesh.vertices[std::size_t(t[k])]; };
    const Vec3d n = cross(at(1) - at(0), at(2) - at(0));
    for (std::size_t k = 0; k < 3; ++k) normals[std::minmax(t[k], t[(k + 1) % 3])].push_back(n);
  }
  std::vector<Vec3d> points;
  for (const auto& [edge, n] : normals)
    if (n.size() == 2 && dot(n[0], n[1]) < sharp * norm(n[0]) * norm(n[1]))
      add_segment(points, mesh.vertices[std::size_t(edge.first)],
                  mesh.vertices[std::size_t(edge.second)], spacing);
  return points;
}

}  // namespace

std::vector<Vec3d> creases_of(const ShapeSpec& s, double spacing) {
  const double own = spacing / s.transform.scale;
  std::vector<Vec3d> points;
  if (s.box) points = creases_of_box(*s.box, own);
  if (s.mesh)
    points = creases_of_mesh(weld(read_mesh(std::filesystem::path(s.mesh->file.path))), own);
  const Rotation r = rotation_about(s.transform.axis, s.transform.angle * pi / 180);
  for (Vec3d& x : points) x = s.transform.translate + r.apply(s.transform.scale * x);
  return points;
}

std::vector<CellMesh::Tet> delaunay(const std::vector<Vec3d>& points) {
  CellMesh m;
  Vec3d middle;
  for (const Vec3d& x : points) middle = middle + (1.0 / double(points.size())) * x;
  double size = 0;
  for (const Vec3d& x : points)
    m.points.push_back(x - middle), size = std::max(size, norm(m.points.back()));
  if (!span_volume(m.points, size))
    throw Error(ExitCode::bad_input,
                fmt::format("the {} points span no volume, so no tetrahedra join them: the surface "
                            "is flat, or thinner than rounding",
                            points.size()));
  std::vector<double> scratch = lifted(m.points, size);
  Triangulation triangulation(scratch);
  if (triangulation.failed())
    throw Error(ExitCode::bad_input,
                fmt::format("{} points of the surface and inside, {:.3g} m across, cannot be "
                            "joined by Delaunay tetrahedra ({}): look for parts much smaller or "
                            "farther away than the rest, or take \"method\": \"stuffing\"",
                            points.size(), 2 * size, triangulation.why()));
  m.tets = triangulation.tets();
  // Points in one plane on the hull may make tets of no volume.
  const double nothing = 1e-15 * size * size * size;
  std::erase_if(m.tets, [&](CellMesh::Tet& t) {
    if (volume_of(m, t) < 0) std::swap(t[2], t[3]);
    return volume_of(m, t) < nothing;
  });
  return m.tets;
}

CellMesh fill_delaunay(const Shape& shape, double spacing, const std::vector<Vec3d>& corners) {
  CellMesh m;
  PointGrid taken(apart * spacing);
  const auto add = [&](const Vec3d& x) {
    if (taken.any_within(x, apart * spacing)) return;
    taken.add(x), m.points.push_back(x);
  };
  std::ranges::for_each(corners, add);
  std::size_t kept = m.points.size();
  // Where the lattice's edges go through the surface there are points enough of it.
  const CellMesh lattice = stuff(shape, spacing);
  for (const auto& t : boundary_of(lattice.tets))
    for (const auto p : t) add(lattice.points[std::size_t(p)]);
  for (const Vec3d& x : lattice.points)
    if (shape.distance(x) < -deep * spacing) add(x);
  if (m.points.size() < 4) return {};
  for (int round = 0;; ++round) {
    m.tets = delaunay(m.points);
    std::erase_if(m.tets,
                  [&](const CellMesh::Tet& t) { return !(shape.distance(middle_of(m, t)) < 0); });
    take_off_flat(m);
    if (round == most_rounds || !drop_a_point_of_flat(m, kept)) return m;
  }
}

}  // namespace rtsim
