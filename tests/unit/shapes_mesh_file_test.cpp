#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

#include "shapes/mesh_file.h"
#include "shapes_support.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

TriangleMesh read(const std::string& text, const char* extension) {
  return read_mesh(text, extension, std::string("m") + extension);
}
std::string error(const std::string& text, const char* extension) {
  return error_of([&] { read(text, extension); });
}

template <class T>
std::string bytes_of(T value, bool big = false) {
  std::string raw(sizeof value, 0);
  std::memcpy(raw.data(), &value, sizeof value);
  return big ? std::string(raw.rbegin(), raw.rend()) : raw;
}

std::string ply_header(const std::string& format, const std::string& vertices,
                       const std::string& faces) {
  return "ply\nformat " + format + " 1.0\ncomment by hand\nelement vertex " + vertices +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " + faces +
         "\nproperty uchar red\nproperty list uchar int vertex_indices\nend_header\n";
}

std::string binary_ply(bool big) {
  std::string text = ply_header(big ? "binary_big_endian" : "binary_little_endian", "3", "1");
  for (const float c : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.5f}) text += bytes_of(c, big);
  text += "\x7f\x03";
  for (const std::int32_t v : {0, 1, 2}) text += bytes_of(v, big);
  return text;
}

std::string binary_stl(const std::vector<std::array<float, 9>>& triangles) {
  std::string text =
      "solid in name only" + std::string(62, ' ') + bytes_of(std::uint32_t(triangles.size()));
  for (const auto& t : triangles) {
    text += std::string(12, '\0');
    for (const float c : t) text += bytes_of(c);
    text += std::string(2, '\0');
  }
  return text;
}

const char* const tetrahedron_obj =
    "# corners\r\nv 0 0 0\r\nv +1 0 0 1.0\r\nv 0 1e0 0\r\nvn 0 0 1\r\nv 0 0 1\r\n"
    "o solid\r\nusemtl none\r\nf 1 3 2\r\nf 1/1 2/1 4/1\r\nf 2//1 3//1 4//1\r\nf -4 -1/1/1 -2\r\n";

}  // namespace

TEST_CASE("mesh_file: OBJ takes all forms of indices and passes over what is not shape") {
  const TriangleMesh mesh = read(tetrahedron_obj, ".OBJ");
  CHECK(mesh.vertices.size() == 4);
  CHECK(mesh.vertices[1] == Vec3d{{1, 0, 0}});
  CHECK(mesh.triangles.size() == 4);
  CHECK(mesh.triangles[3] == std::array<std::int32_t, 3>{0, 3, 2});
  CHECK(open_edges(mesh) == 0);
}

TEST_CASE("mesh_file: a face of many corners is cut into triangles that cover it once") {
  // A comb in the plane z = x, whose fan from any corner would reach outside.
  const TriangleMesh mesh = read(
      "v 0 0 0\nv 5 0 5\nv 5 3 5\nv 4 3 4\nv 4 1 4\nv 3 1 3\nv 3 3 3\nv 2 3 2\nv 2 1 2\nv 1 1 1\n"
      "v 1 3 1\nv 0 3 0\nf 1 2 3 4 5 6 7 8 9 10 11 12\n",
      ".obj");
  REQUIRE(mesh.triangles.size() == 10);
  double area = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3d &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const Vec3d n = cross(b - a, c - a);
    CHECK(n[2] > 0);
    area += 0.5 * norm(n);
  }
  CHECK(area == Approx(11 * std::sqrt(2)));
  CHECK(open_edges(mesh) == 12);
}

TEST_CASE("mesh_file: a face that crosses itself or lies on a line still joins its neighbours") {
  CHECK(read("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\n", ".obj").triangles.size() == 2);
  CHECK(read("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3 4\n", ".obj").triangles.size() == 2);
}

TEST_CASE("mesh_file: PLY reads text and both binary orders alike") {
  const std::string text = ply_header("ascii", "3", "1") + "0 0 0\n1 0 0\n0 1 0.5\n127 3 0 1 2\n";
  for (const std::string& ply : {text, binary_ply(false), binary_ply(true)}) {
    const TriangleMesh mesh = read(ply, ".ply");
    REQUIRE(mesh.vertices.size() == 3);
    CHECK(mesh.vertices[2] == Vec3d{{0, 1, 0.5}});
    REQUIRE(mesh.triangles.size() == 1);
    CHECK(mesh.triangles[0] == std::array<std::int32_t, 3>{0, 1, 2});
  }
}

TEST_CASE("mesh_file: PLY passes over elements and properties it does not know") {
  const TriangleMesh mesh = read(
      "ply\nformat ascii 1.0\nelement camera 1\nproperty double f\nproperty list uint8 float64 k\n"
      "element vertex 3\nproperty int32 label\nproperty double z\nproperty double y\n"
      "property double x\nelement marker 999999999\nelement face 1\n"
      "property list uchar uint vertex_index\nend_header\n"
      "35 2 0.1 0.2\n7 3 2 1\n7 0 0 0\n7 1 0 0\n3 0 1 2\n",
      ".ply");
  CHECK(mesh.vertices[0] == Vec3d{{1, 2, 3}});
  CHECK(mesh.triangles.size() == 1);
}

TEST_CASE("mesh_file: STL corners at one position become one, in text and binary") {
  const std::string text =
      "solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
      "0\nendloop\n"
      "endfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 "
      "-0\nendloop\n"
      "endfacet\nendsolid two\n";
  const std::string binary =
      binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 1, 0, 0, 1, -0.f}});
  for (const std::string& stl : {text, binary}) {
    const TriangleMesh mesh = read(stl, ".stl");
    CHECK(mesh.vertices.size() == 4);
    CHECK(mesh.triangles.size() == 2);
    CHECK(open_edges(mesh) == 4);
  }
}

TEST_CASE("mesh_file: a broken file is refused with its line, or byte, and a remedy") {
  const char* const again = "; export the mesh again";
  CHECK(error("", ".obj") == std::string("m.obj: is empty") + again);
  CHECK(error(" \n", ".stl") == std::string("m.stl: is empty") + again);
  CHECK(error("v 0 0 0\n", ".off") ==
        "m.off: unknown mesh format '.off'; .obj, .ply and .stl are known");
  CHECK(error("v 0 0 0\nv 1 0 0\n", ".obj") ==
        "m.obj: has no triangles; points and lines enclose nothing, export its faces too");
  CHECK(error("v 0 0 0\n\nf 1 2 3\n", ".obj") ==
        "m.obj:3: vertex 2 does not exist; 1 vertices stand before this line, counted from 1");
  CHECK(error("v 0 0 0\nf 0 1 1\n", ".obj") ==
        "m.obj:2: vertex 0 does not exist; 1 vertices stand before this line, counted from 1");
  CHECK(error("v 0 nan 0\n", ".obj") ==
        "m.obj:1: a vertex coordinate is not finite: 'nan'; repair the mesh where it was made");
  CHECK(error("v 0 1e999 0\n", ".obj") ==
        "m.obj:1: a vertex coordinate is not finite: '1e999'; repair the mesh where it was made");
  CHECK(error("v 0 zero 0\n", ".obj") == "m.obj:1: a vertex coordinate is not a number: 'zero'");
  CHECK(error("v 0 0\n", ".obj") == "m.obj:1: a vertex coordinate is missing");
  CHECK(error("v 0 0 0\nv 1 0 0\nf 1 2\n", ".obj") ==
        "m.obj:3: a face needs 3 corners or more and has 2");
  CHECK(error("v 0 0 0\nf 1 1.5 1\n", ".obj") ==
        "m.obj:2: a face's vertex index is not a whole number: '1.5'");
}

TEST_CASE("mesh_file: a broken PLY is refused with its line, or byte, and a remedy") {
  CHECK(error("plY\n", ".ply") == "m.ply:1: is no PLY: its first line is not 'ply'");
  CHECK(error("ply\nformat ascii 1.0\n", ".ply") == "m.ply:2: the header has no line 'end_header'");
  CHECK(error("ply\nformat utf8 1.0\n", ".ply") ==
        "m.ply:2: unknown format; ascii, binary_little_endian and binary_big_endian are known");
  CHECK(error(ply_header("ascii", "3", "1") + "0 0 0\n1 0 inf\n0 1 0\n0 3 0 1 2\n", ".ply") ==
        "m.ply:13: a value is not finite: 'inf'; repair the mesh where it was made");
  CHECK(error(ply_header("ascii", "3", "1") + "0 0 0\n1 0 0\n0 1 0\n0 3 0 1 3\n", ".ply") ==
        "m.ply:15: vertex 3 does not exist; there are 3, counted from 0");
  CHECK(error(ply_header("ascii", "3", "1") + "0 0 0\n1 0 0\n0 1 0\n0 3\n", ".ply") ==
        "m.ply:15: 3 entries of a list cannot lie in the 0 bytes that are left; the file was cut "
        "short, "
        "export it again");
  std::string cut = binary_ply(false);
  cut.resize(cut.size() - 1);
  CHECK(error(cut, ".ply") ==
        "m.ply: byte 242: 3 entries of a list cannot lie in the 11 bytes that are left; the file "
        "was cut "
        "short, export it again");
  std::string wrong = binary_ply(false);
  wrong.back() = '\x7f';
  CHECK(error(wrong, ".ply") ==
        "m.ply: byte 254: vertex 2130706434 does not exist; there are 3, counted from 0");
}

TEST_CASE("mesh_file: a count the file cannot hold is refused before memory is asked for") {
  for (const char* format : {"ascii", "binary_little_endian"})
    CHECK_THAT(error(ply_header(format, "999999999999", "1") + "0 0 0\n", ".ply"),
               Catch::Contains("999999999999 rows of element 'vertex' cannot lie in the "));
  std::string stl = binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}});
  stl[0] = 'x';
  stl[83] = '\x7f';
  CHECK(error(stl, ".stl") ==
        "m.stl: byte 80: 2130706433 triangles take 106535321734 bytes, but the file has 134; it "
        "was cut "
        "short, export it again");
}

TEST_CASE("mesh_file: a broken STL is refused with its line, or byte, and a remedy") {
  CHECK(error("hello\n", ".stl") ==
        "m.stl: is no STL: neither 84 bytes long nor a text that begins with 'solid'");
  CHECK(error("solid\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", ".stl") ==
        "m.stl:4: a facet needs 3 vertices and has 2");
  CHECK(error("solid\nvertex 0 0 0\n", ".stl") ==
        "m.stl:2: the file ends within a facet; export it again");
  CHECK(error(binary_stl({{0, 0, 0, 1, NAN, 0, 0, 1, 0}}), ".stl") ==
        "m.stl: byte 108: a vertex of triangle 1 is not finite; repair the mesh where it was made");
  CHECK(error(binary_stl({{0, 0, 0, 1, 0, 0, 1, 0, 0}}), ".stl") ==
        "m.stl: has no triangles; points and lines enclose nothing, export its faces too");
}

TEST_CASE("mesh_file: files are read from disk, and a missing one is named") {
  const TemporaryFolder folder;
  std::ofstream(folder.path / "t.obj") << tetrahedron_obj;
  CHECK(read_mesh(folder.path / "t.obj").triangles.size() == 4);
  const std::string where = (folder.path / "no.obj").string();
  CHECK(error_of([&] { read_mesh(folder.path / "no.obj"); }) ==
        where +
            ": cannot be opened: No such file or directory; files are looked for from the scene's "
            "folder");
  CHECK_THAT(error_of([&] { read_mesh(folder.path); }), Catch::Contains("cannot be opened"));
}

TEST_CASE("mesh_file: open edges are those not passed as often one way as the other") {
  TriangleMesh mesh = read(tetrahedron_obj, ".obj");
  TriangleMesh turned = mesh;
  std::swap(turned.triangles[0][0], turned.triangles[0][1]);
  CHECK(open_edges(turned) == 3);
  mesh.triangles.pop_back();
  CHECK(open_edges(mesh) == 3);
}
