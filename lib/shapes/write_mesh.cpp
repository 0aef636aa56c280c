#include "shapes/write_mesh.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>

namespace rtsim {

namespace {

static_assert(std::endian::native == std::endian::little, "little-endian values lie as written");

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

std::string obj_text(const TriangleMesh& mesh, const std::string& comment) {
  std::string text = "# " + comment + "\n";
  for (const Vec3d& v : mesh.vertices)
    fmt::format_to(std::back_inserter(text), "v {} {} {}\n", float(v[0]), float(v[1]), float(v[2]));
  for (const auto& [a, b, c] : mesh.triangles)  // counted from 1
    fmt::format_to(std::back_inserter(text), "f {} {} {}\n", a + 1, b + 1, c + 1);
  return text;
}

std::string ply_bytes(const TriangleMesh& mesh, const std::string& comment) {
  std::string bytes = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment {}\n"
      "element vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      comment, mesh.vertices.size(), mesh.triangles.size());
  bytes.reserve(bytes.size() + 12 * mesh.vertices.size() + 13 * mesh.triangles.size());
  for (const Vec3d& v : mesh.vertices)
    for (int a = 0; a < 3; ++a) append(bytes, float(v[a]));
  for (const auto& corners : mesh.triangles) {
    append(bytes, std::uint8_t(3));
    for (const std::int32_t c : corners) append(bytes, c);
  }
  return bytes;
}

namespace {

// Of counterclockwise corners; zero where the triangle has no area.
Vec3d unit_normal(const TriangleMesh& mesh, const std::array<std::int32_t, 3>& corners) {
  const auto at = [&](int k) { return mesh.vertices[std::size_t(corners[std::size_t(k)])]; };
  const Vec3d n = cross(at(1) - at(0), at(2) - at(0));
  const double length = norm(n);
  return length > 0 ? (1 / length) * n : Vec3d{};
}

}  // namespace

std::string stl_bytes(const TriangleMesh& mesh, const std::string& comment) {
  std::string bytes = comment.substr(0, 80);
  bytes.resize(80, ' ');
  bytes.reserve(84 + 50 * mesh.triangles.size());
  append(bytes, std::uint32_t(mesh.triangles.size()));
  const auto append_vector = [&](const Vec3d& v) {
    for (int a = 0; a < 3; ++a) append(bytes, float(v[a]));
  };
  for (const auto& corners : mesh.triangles) {
    append_vector(unit_normal(mesh, corners));
    for (const std::int32_t c : corners) append_vector(mesh.vertices[std::size_t(c)]);
    append(bytes, std::uint16_t(0));
  }
  return bytes;
}

}  // namespace rtsim
