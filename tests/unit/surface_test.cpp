#include <openvdb/openvdb.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numbers>

#include "base/random.h"
#include "cache/commits.h"
#include "cache/frame_writer.h"
#include "cache_scratch.h"
#include "shapes/mesh_file.h"

using namespace rtsim;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

using Points = std::vector<Vec3d>;
constexpr double spacing = 0.1;
constexpr auto isotropic = SurfaceParams::Kernels::isotropic;

// Points of the lattice (i + 1/2) spacing where inside(point) holds.
template <class F>
Points lattice(int reach, const F& inside) {
  Points points;
  for (int i = -reach; i < reach; ++i)
    for (int j = -reach; j < reach; ++j)
      for (int k = -reach; k < reach; ++k) {
        const Vec3d p{{(i + 0.5) * spacing, (j + 0.5) * spacing, (k + 0.5) * spacing}};
        if (inside(p)) points.push_back(p);
      }
  return points;
}

Points ball(double radius) {
  return lattice(int(radius / spacing) + 1, [&](const Vec3d& p) { return norm(p) <= radius; });
}

// [-half, half]^2 x [-depth, depth]
Points slab(double half, double depth) {
  return lattice(int(half / spacing) + 1, [&](const Vec3d& p) {
    return std::abs(p[0]) < half && std::abs(p[1]) < half && std::abs(p[2]) < depth;
  });
}

// Moved by up to `amount` spacings along each axis, as fluids are.
Points shaken(Points points, double amount) {
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int a = 0; a < 3; ++a)
      points[i][a] += amount * spacing * (2 * uniform(philox(1, 0, 0, std::uint32_t(i)).c[a]) - 1);
  return points;
}

Frame frame_with(const Points& points, const SurfaceParams& params) {
  std::vector<float> x;
  for (const Vec3d& p : points)
    for (int a = 0; a < 3; ++a) x.push_back(float(p[a]));
  FrameObject object{"water", Kind::particles, 3, spacing, Index(points.size()), {}};
  object.columns = {column_of("position", "m", 3, x)};
  Frame frame = frame_of(std::move(object), 12, Format::surface);
  frame.files[0].output.surface = params;
  return frame;
}

TriangleMesh surface_of(const Points& points, SurfaceParams params = {}) {
  const Scratch scratch;
  params.files = {"ply"};
  write_frame(scratch.folder, {"run", 2}, frame_with(points, params));
  return read_mesh(scratch / surface_path("water", 12, "ply"));
}

SurfaceParams with(SurfaceParams::Kernels kernels) {
  SurfaceParams p;
  p.kernels = kernels;
  return p;
}

// Gauss: the sum of the tetrahedra to the origin; positive where triangles face outwards.
double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += dot(mesh.vertices[a], cross(mesh.vertices[b], mesh.vertices[c])) / 6;
  return sum;
}

// Edges that do not join exactly two triangles, one from either end.
int bad_edges(const TriangleMesh& mesh) {
  std::map<std::pair<int, int>, int> directed;
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) ++directed[{t[k], t[(k + 1) % 3]}];
  int bad = 0;
  for (const auto& [edge, count] : directed) {
    const auto back = directed.find({edge.second, edge.first});
    bad += count != 1 || back == directed.end() || back->second != 1;
  }
  return bad;
}

struct Spread {
  double mean = 0, rms = 0, worst = 0;
};
Spread spread(const std::vector<double>& values) {
  Spread s;
  for (const double v : values) s.mean += v / double(values.size());
  for (const double v : values) {
    s.rms += (v - s.mean) * (v - s.mean) / double(values.size());
    s.worst = std::max(s.worst, std::abs(v - s.mean));
  }
  s.rms = std::sqrt(s.rms);
  return s;
}

// Heights of the vertices in the middle of a slab's upper face [spacings].
Spread face(const TriangleMesh& mesh, double half) {
  std::vector<double> z;
  for (const Vec3d& v : mesh.vertices)
    if (v[2] > 0 && std::abs(v[0]) < half && std::abs(v[1]) < half) z.push_back(v[2] / spacing);
  return spread(z);
}

}  // namespace

TEST_CASE("surface: a ball of particles gets its volume, and a surface at its radius") {
  const Points points = ball(1);
  const TriangleMesh mesh = surface_of(points);
  // A surface that lies 1/30 of a spacing too far out or in changes the volume by 1 %. The
  // particles themselves have 0.8 % more than the sphere.
  CHECK(volume(mesh) == Approx(double(points.size()) * std::pow(spacing, 3)).epsilon(0.01));
  CHECK(volume(mesh) == Approx(4 * std::numbers::pi / 3).epsilon(0.02));
  // The lattice's own steps are up to half a spacing high; a quarter is half of that.
  double worst = 0;
  for (const Vec3d& v : mesh.vertices) worst = std::max(worst, std::abs(norm(v) - 1) / spacing);
  CHECK(worst < 0.25);
}

TEST_CASE("surface: a cavity inside is found, and nothing else is") {
  const double outer = 1, inner = 0.4;
  const auto in_shell = [&](const Vec3d& p) { return norm(p) <= outer && norm(p) >= inner; };
  const Points points = lattice(11, in_shell);
  const TriangleMesh mesh = surface_of(points);
  CHECK(bad_edges(mesh) == 0);
  // Both walls count: 1 % is 1/40 of a spacing.
  CHECK(volume(mesh) == Approx(double(points.size()) * std::pow(spacing, 3)).epsilon(0.01));
  for (const Vec3d& v : mesh.vertices) {
    const double r = norm(v);
    REQUIRE(std::min(std::abs(r - outer), std::abs(r - inner)) < 0.25 * spacing);
  }
}

TEST_CASE("surface: every edge joins two triangles, which face outwards") {
  const auto kernels = GENERATE(SurfaceParams::Kernels::anisotropic, isotropic);
  const TriangleMesh of_ball = surface_of(ball(0.7), with(kernels));
  CHECK(bad_edges(of_ball) == 0);
  CHECK(volume(of_ball) > 0);
  // Spray: where drops touch, an edge may have four triangles, still in matching pairs.
  Points spray;
  for (std::uint32_t i = 0; i < 400; ++i) {
    const Random4 u = philox(7, 0, 0, i);
    spray.push_back({{uniform(u.c[0]), uniform(u.c[1]), uniform(u.c[2])}});
  }
  const TriangleMesh of_spray = surface_of(spray, with(kernels));
  CHECK(open_edges(of_spray) == 0);
  CHECK(volume(of_spray) > 0);
}

TEST_CASE("surface: a shaken face is flatter with anisotropic kernels than with isotropic ones") {
  const Points points = shaken(slab(1.2, 0.6), 0.3);
  SurfaceParams p;
  p.voxels_per_spacing = 3;  // what the kernels do, not the voxels
  const Spread fitted = face(surface_of(points, p), 0.6);
  p.kernels = isotropic;
  const Spread round = face(surface_of(points, p), 0.6);
  // Both average over some twenty particles of the face, so that no factor of two can be had.
  CHECK(fitted.rms < 0.75 * round.rms);
  CHECK(fitted.worst < round.worst);
  CHECK(fitted.mean == Approx(6).margin(0.1));  // half a spacing outside of the last particles
  CHECK(round.mean == Approx(6).margin(0.2));
}

TEST_CASE("surface: smoothing flattens, and takes no volume with it") {
  const Points points = shaken(slab(1.2, 0.6), 0.3);
  SurfaceParams p;
  p.smoothing = 0;
  const Spread rough = face(surface_of(points, p), 0.6);
  p.smoothing = 1;
  const Spread smooth = face(surface_of(points, p), 0.6);
  CHECK(smooth.rms < 0.85 * rough.rms);
  // Plain averaging (eq. 6 of the paper) draws it in by 0.4.
  CHECK(std::abs(smooth.mean - rough.mean) < 0.2);
}

TEST_CASE("surface: one particle is a drop of about its volume, none are no triangles") {
  SurfaceParams p;
  p.voxels_per_spacing = 4;
  const TriangleMesh drop = surface_of({{{0.013, 0.02, 0.03}}}, p);
  CHECK(bad_edges(drop) == 0);
  CHECK(volume(drop) == Approx(std::pow(spacing, 3)).epsilon(0.35));  // triangles cut its bulge
  const Scratch scratch;
  p.files = {"ply", "obj", "sdf"};
  CHECK(write_frame(scratch.folder, {"run", 1}, frame_with({}, p)).size() == 3);
  CHECK_THAT(read_file(scratch / surface_path("water", 12, "ply")),
             Contains("element vertex 0\n") && Contains("element face 0\n"));
}

TEST_CASE("surface: the level set knows distances in metres") {
  const Scratch scratch;
  SurfaceParams p;
  p.files = {"sdf"};
  write_frame(scratch.folder, {"run", 2}, frame_with(ball(1), p));
  openvdb::initialize();
  openvdb::io::File file((scratch / surface_path("water", 12, "sdf")).string());
  file.open();
  const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("surface"));
  CHECK(grid->getGridClass() == openvdb::GRID_LEVEL_SET);
  CHECK(grid->metaValue<std::string>("units") == "m");
  CHECK(grid->voxelSize()[0] == Approx(spacing / 2));
  double worst = 0;
  for (auto v = grid->cbeginValueOn(); v; ++v) {
    const double r = grid->indexToWorld(v.getCoord()).length();
    worst = std::max(worst, std::abs(double(*v) - (r - 1)) / spacing);
  }
  CHECK(worst < 0.3);  // the surface's own 0.25, and a tenth of a voxel
  CHECK(grid->tree().getValue({0, 0, 0}) == -grid->background());
  CHECK(grid->tree().getValue({40, 0, 0}) == grid->background());
}

TEST_CASE("surface: equal frames are equal files, on any number of threads") {
  SurfaceParams p;
  p.files = {"ply", "obj", "sdf"};
  p.kernels = GENERATE(SurfaceParams::Kernels::anisotropic, isotropic);
  const Frame frame = frame_with(shaken(ball(0.8), 0.3), p);
  const auto write = [&](int threads) {
    const Scratch scratch;
    return commit_line(frame, write_frame(scratch.folder, {"run", threads}, frame));
  };
  const std::string first = write(1);
  CHECK(write(1) == first);
  CHECK(write(2) == first);
}

TEST_CASE("surface: its files are known as those of a frame, which resume may have to remove") {
  for (const char* file : {"ply", "obj", "sdf"})
    CHECK(frame_number(surface_path("water", 12, file)) == 12);
  CHECK(surface_path("water", 12, "sdf") == "cache/water/water.surface.000012.vdb");
}

TEST_CASE("surface: triangles are the same in OBJ and PLY") {
  const Scratch scratch;
  SurfaceParams p;
  p.files = {"ply", "obj"};
  write_frame(scratch.folder, {"run", 1}, frame_with(ball(0.5), p));
  const TriangleMesh ply = read_mesh(scratch / surface_path("water", 12, "ply"));
  const TriangleMesh obj = read_mesh(scratch / surface_path("water", 12, "obj"));
  CHECK(ply.triangles == obj.triangles);
  REQUIRE(ply.vertices.size() == obj.vertices.size());
  for (std::size_t i = 0; i < ply.vertices.size(); ++i)
    for (int a = 0; a < 3; ++a) REQUIRE(float(ply.vertices[i][a]) == float(obj.vertices[i][a]));
}

TEST_CASE("surface: in the plane there is none, and a full disk leaves no file") {
  const Scratch scratch;
  CHECK_THROWS_WITH(
      write_frame(scratch.folder, {"run", 1}, frame_of(block(6, 2), 1, Format::surface)),
      Contains("'water' lies in the plane"));
  SurfaceParams p;
  p.files = {"ply", "obj"};
  const auto files = write_frame(scratch.folder, {"run", 1}, frame_with(ball(1), p));
  REQUIRE(files[0].bytes < files[1].bytes);
  for (const WrittenFile& f : files) fs::remove(scratch / f.path);
  const FileLimit limit(files[0].bytes);  // room for the first, none for the second
  CHECK_THROWS_WITH(write_frame(scratch.folder, {"run", 1}, frame_with(ball(1), p)),
                    Contains(".obj.tmp: cannot write: File too large"));
  CHECK(fs::is_empty(scratch / "cache/water"));
}
