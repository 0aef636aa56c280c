#include <fmt/format.h>

#include "shapes/mesh_text.h"

namespace rtsim {
namespace {

// "7", "7/1", "7//2" and "7/1/2" count from 1; negative ones back from the newest vertex.
std::int32_t corner(const MeshText& text, std::string_view word, std::size_t vertices) {
  const std::int64_t index = text.integer(word.substr(0, word.find('/')), "a face's vertex index");
  const std::int64_t row = index > 0 ? index - 1 : std::int64_t(vertices) + index;
  if (index == 0 || row < 0 || row >= std::int64_t(vertices))
    text.fail(
        fmt::format("vertex {} does not exist; {} vertices stand before this line, counted from 1",
                    index, vertices));
  return std::int32_t(row);
}

void read_face(MeshText& text, TriangleMesh& mesh) {
  std::vector<std::int32_t> corners;
  for (std::string_view w = text.word(); !w.empty(); w = text.word())
    corners.push_back(corner(text, w, mesh.vertices.size()));
  if (corners.size() < 3)
    text.fail(fmt::format("a face needs 3 corners or more and has {}", corners.size()));
  append_polygon(mesh, corners);
}

}  // namespace

// Vertices and faces; texture, normals, groups, materials, lines and curves are passed over.
// Written here rather than taken from a library because those at hand read "nan" and "abc" as 0 and
// know no line numbers.
TriangleMesh read_obj(std::string_view input, const std::string& name) {
  MeshText text(input, name);
  TriangleMesh mesh;
  while (text.next_line()) {
    const std::string_view key = text.word();
    if (key == "v") {
      Vec3d p;
      for (double& c : p.c) c = text.number(text.word(), "a vertex coordinate");
      mesh.vertices.push_back(p);
    } else if (key == "f") {
      read_face(text, mesh);
    }
  }
  return mesh;
}

}  // namespace rtsim
