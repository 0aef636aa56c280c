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

}  // namespace rtsim
