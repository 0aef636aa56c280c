#include <png.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "shapes/mesh_shape.h"
#include "shapes_support.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

TriangleMesh cube() {
  TriangleMesh m;
  for (int i = 0; i < 8; ++i)
    m.vertices.push_back({{double(i & 1), double(i >> 1 & 1), double(i >> 2)}});
  m.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return m;
}

// 3 by 2 pixels; 8 bits linear, or 16 as they are.
template <class T>
std::string write_png(const std::filesystem::path& path, std::uint32_t format,
                      std::vector<T> pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 3, image.height = 2, image.format = format;
  png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr);
  return path.string();
}

ShapeSpec terrain(const std::string& file) {
  ShapeSpec s;
  s.height_map = HeightMapSpec{{file}, {{0, 0, 0}}, {{2, 1, 1}}};
  return s;
}

}  // namespace

TEST_CASE("mesh_shape: a cube's distances are a box's, over faces, edges and corners") {
  const auto mesh = make_mesh_shape(cube());
  const auto solid = make_shape(box({{0, 0, 0}}, {{1, 1, 1}}), 3);
  CHECK(mesh->closed());
  for (const Vec3d& x : scatter(2000, 2))
    CHECK(mesh->distance(x) == Approx(solid->distance(x)).margin(1e-14));
  CHECK(mesh->distance({{0.5, 1, 0.5}}) == 0);
}

TEST_CASE("mesh_shape: a finer sphere comes nearer the sphere, at second order") {
  const auto worst = [](int n) {
    const auto mesh = make_mesh_shape(sphere_mesh(1, n));
    double error = 0;
    for (const Vec3d& x : scatter(300, 1.5))
      error = std::max(error, std::abs(mesh->distance(x) - (norm(x) - 1)));
    return error;
  };
  const double coarse = worst(8), fine = worst(16);
  CAPTURE(coarse, fine);
  CHECK(fine < 0.005);
  CHECK(std::log2(coarse / fine) == Approx(2).margin(0.3));
}

TEST_CASE("mesh_shape: a mesh that faces inwards encloses the same") {
  TriangleMesh turned = cube();
  for (auto& t : turned.triangles) std::swap(t[0], t[1]);
  CHECK(make_mesh_shape(turned)->distance({{0.5, 0.4, 0.5}}) == Approx(-0.4));
}

TEST_CASE("mesh_shape: an open mesh is a surface without an inside") {
  TriangleMesh open = cube();
  open.triangles.pop_back();
  const auto shape = make_mesh_shape(open);
  CHECK_FALSE(shape->closed());
  CHECK(shape->distance({{0.5, 0.4, 0.5}}) == Approx(0.4));
  CHECK(shape->distance({{-0.5, 0.4, 0.5}}) == Approx(0.5));
}

TEST_CASE("mesh_shape: solids that touch along an edge are closed") {
  TriangleMesh two = cube();
  for (const auto& t : cube().triangles) two.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  for (const Vec3d& v : cube().vertices) two.vertices.push_back(v + Vec3d{{1, 1, 0}});
  const TemporaryFolder folder;
  std::ofstream file(folder.path / "two.obj");
  for (const Vec3d& v : two.vertices) file << "v " << v[0] << ' ' << v[1] << ' ' << v[2] << '\n';
  for (const auto& t : two.triangles)
    file << "f " << t[0] + 1 << ' ' << t[1] + 1 << ' ' << t[2] + 1 << '\n';
  file.close();
  ShapeSpec s;
  s.mesh = MeshSpec{{(folder.path / "two.obj").string()}};
  const auto shape = make_shape(s, 3);
  CHECK(shape->closed());
  CHECK(shape->distance({{0.9, 0.8, 0.5}}) == Approx(-0.1));
  CHECK(shape->distance({{1.3, 0.8, 0.5}}) == Approx(0.2));
}

TEST_CASE("mesh_shape: triangles of no area do not disturb the sign") {
  TriangleMesh m = cube();  // the edge from corner 0 to 1 is cut in its middle on one side only
  m.vertices.push_back({{0.5, 0, 0}});
  m.triangles.erase(m.triangles.begin());
  m.triangles.insert(m.triangles.end(), {{0, 2, 8}, {8, 2, 1}, {0, 8, 1}});
  REQUIRE(open_edges(m) == 0);
  const auto mesh = make_mesh_shape(m);
  const auto solid = make_shape(box({{0, 0, 0}}, {{1, 1, 1}}), 3);
  for (const Vec3d& x : scatter(2000, 2))
    CHECK(mesh->distance(x) == Approx(solid->distance(x)).margin(1e-14));
}

TEST_CASE("mesh_shape: a mesh whose triangles all vanish is refused") {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "flat.obj").string();
  std::ofstream(path) << "v 0 0 0\nv 0 0 0\nv 1 0 0\nf 1 2 3\n";
  ShapeSpec s;
  s.mesh = MeshSpec{{path}};
  CHECK(error_of([&] { make_shape(s, 3); }) ==
        path + ": every triangle has two corners at one place; export the mesh again");
}

TEST_CASE("height_map: stands over its pixels, black at min and white at max") {
  const TemporaryFolder folder;
  const auto shape =
      make_shape(terrain(write_png<std::uint16_t>(folder.path / "t.png", PNG_FORMAT_LINEAR_Y,
                                                  {0, 32768, 65535, 0, 32768, 65535})),
                 3);  // y = x / 2
  const double along_normal = 1 / std::sqrt(1.25);
  CHECK(shape->distance({{1, 0.7, 0.5}}) == Approx(0.2 * along_normal).epsilon(1e-3));
  CHECK(shape->distance({{1, 0.4, 0.5}}) == Approx(-0.1 * along_normal).epsilon(1e-3));
  CHECK(shape->distance({{1, -5, 0.4}}) == Approx(-0.4));
  CHECK(shape->distance({{2.5, 0.5, 0.5}}) == Approx(0.5));
  CHECK(shape->bounds().max[1] == Approx(1));
  CHECK(std::isinf(shape->bounds().min[1]));
}

TEST_CASE("height_map: rows run along z and eight bits are enough") {
  const TemporaryFolder folder;
  const auto shape =
      make_shape(terrain(write_png<std::uint8_t>(folder.path / "t.png", PNG_FORMAT_GRAY,
                                                 {0, 0, 0, 255, 255, 255})),
                 3);
  CHECK(shape->distance({{1, 0.3, 0.1}}) > 0);
  CHECK(shape->distance({{1, 0.3, 0.9}}) < 0);
}

TEST_CASE("height_map: what is not a grey picture is refused") {
  const TemporaryFolder folder;
  const std::string colours = write_png<std::uint8_t>(folder.path / "c.png", PNG_FORMAT_RGB,
                                                      std::vector<std::uint8_t>(18, 9));
  CHECK(error_of([&] { make_shape(terrain(colours), 3); }) ==
        colours +
            ": a height map needs a greyscale PNG of 8 or 16 bits, and this one has colours; "
            "convert it to greyscale");
  const std::string text = (folder.path / "t.png").string();
  std::ofstream(text) << "hello";
  CHECK_THAT(error_of([&] { make_shape(terrain(text), 3); }),
             Catch::StartsWith(text + ": ") && Catch::EndsWith("; a height map needs a PNG file"));
  CHECK(error_of([&] { make_shape(terrain("/nowhere.png"), 3); }) ==
        "/nowhere.png: cannot be opened: No such file or directory; files are looked for from the "
        "scene's folder");
  const std::string whole =
      write_png<std::uint8_t>(folder.path / "w.png", PNG_FORMAT_GRAY, {0, 0, 0, 255, 255, 255});
  std::filesystem::resize_file(whole, std::filesystem::file_size(whole) - 20);
  CHECK_THAT(error_of([&] { make_shape(terrain(whole), 3); }),
             Catch::EndsWith("; the file is damaged, save it again"));
}

TEST_CASE("height_map: an ESRI ASCII grid has its heights in metres, and what is unknown at min") {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "t.asc").string();
  std::ofstream(path) << "ncols 3\nNROWS 2\nxllcorner 500000.5\nyllcorner 4e6\ncellsize 10\n"
                         "NODATA_value -9999\n12 14 16\n12 -9999 16.5\n";
  ShapeSpec s;
  s.height_map = HeightMapSpec{{path}, {{5, 10, 7}}, {{25, 20, 17}}};
  const auto shape = make_shape(s, 3);
  // Heights on the triangles in between, the first row at the least z.
  const auto is_top = [&](double x, double y, double z) {
    CHECK(shape->distance({{x, y + 1e-6, z}}) > 0);
    CHECK(shape->distance({{x, y - 1e-6, z}}) < 0);
  };
  is_top(7.5, 12.3, 7.5);
  is_top(15, 13.8, 7.5);
  is_top(15, 10.2, 16.5);
  CHECK(shape->bounds().max[1] == Approx(16.5));
}

TEST_CASE("height_map: a grid of heights that is not one is refused by its line") {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "t.asc").string();
  const auto told = [&](const std::string& text) {
    std::ofstream(path) << text;
    return error_of([&] { make_shape(terrain(path), 3); });
  };
  CHECK(told("nrows 2\n1 2\n") == path + ":2: its header has no \"ncols\"");
  CHECK(told("ncols 2\nnrows 2\n0 1 0\n") == path + ":3: ends before a height");
  CHECK(told("ncols 2\nnrows 2\n0 1\n0 one\n") == path + ":4: wants a height, and has 'one'");
  CHECK(told("ncols 2\nnrows 2\n0 1\n0 1 1\n") == path + ":4: has more than its 2 x 2 heights");
  CHECK_THAT(
      told("ncols 2\nnrows 2\n0 1\n0 -9999\n"),
      Catch::StartsWith(path + ":4: a height of -9999 m lies outside of \"min\" to \"max\""));
  CHECK_THAT(told("ncols 2.5\nnrows 2\n0 1\n"), Catch::EndsWith("whole number of 2 or more"));
}
