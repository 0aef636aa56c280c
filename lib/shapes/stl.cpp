#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "shapes/mesh_text.h"
#include "shapes/weld.h"

namespace rtsim {
namespace {

constexpr std::size_t header_bytes = 84, facet_bytes = 50;

static_assert(std::endian::native == std::endian::little, "binary STL is read as it lies");

std::size_t facet_count(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  return count;
}

// Three corners as they come; welding joins them.
void append_corner(TriangleMesh& mesh, const Vec3d& p) {
  mesh.vertices.push_back(p);
  const auto n = std::int32_t(mesh.vertices.size());
  if (n % 3 == 0) mesh.triangles.push_back({n - 3, n - 2, n - 1});
}

TriangleMesh read_binary(std::string_view bytes, const std::string& name) {
  const std::size_t count = facet_count(bytes), needed = header_bytes + count * facet_bytes;
  if (needed > bytes.size())
    mesh_fault(name,
               fmt::format("byte 80: {} triangles take {} bytes, but the file has {}; it was cut "
                           "short, export it again",
                           count, needed, bytes.size()));
  TriangleMesh mesh;
  for (std::size_t i = 0; i < 3 * count; ++i) {
    const std::size_t at = header_bytes + i / 3 * facet_bytes + 12 * (1 + i % 3);
    float c[3];
    std::memcpy(c, bytes.data() + at, sizeof c);
    if (!std::isfinite(c[0]) || !std::isfinite(c[1]) || !std::isfinite(c[2]))
      mesh_fault(name,
                 fmt::format("byte {}: a vertex of triangle {} is not finite; repair the mesh "
                             "where it was made",
                             at, i / 3 + 1));
    append_corner(mesh, {{c[0], c[1], c[2]}});
  }
  return mesh;
}

TriangleMesh read_text(std::string_view input, const std::string& name) {
  MeshText text(input, name);
  TriangleMesh mesh;
  int corners = 0;
  while (text.next_line()) {
    const std::string_view key = text.word();
    if (key == "vertex") {
      Vec3d p;
      for (double& c : p.c) c = text.number(text.word(), "a vertex coordinate");
      append_corner(mesh, p);
      ++corners;
    } else if (key == "endloop") {
      if (corners != 3) text.fail(fmt::format("a facet needs 3 vertices and has {}", corners));
      corners = 0;
    }
  }
  if (corners != 0) text.fail("the file ends within a facet; export it again");
  return mesh;
}

// Binary files may begin with "solid" too; their length tells.
bool is_binary(std::string_view bytes) {
  if (bytes.size() < header_bytes) return false;
  return header_bytes + facet_count(bytes) * facet_bytes == bytes.size() ||
         !bytes.starts_with("solid");
}

}  // namespace

TriangleMesh read_stl(std::string_view bytes, const std::string& name) {
  if (is_binary(bytes)) return weld(read_binary(bytes, name));
  if (MeshText(bytes, name).next_word() != "solid")
    mesh_fault(name, "is no STL: neither 84 bytes long nor a text that begins with 'solid'");
  return weld(read_text(bytes, name));
}

}  // namespace rtsim
