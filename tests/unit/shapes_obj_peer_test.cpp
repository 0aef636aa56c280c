#define TINYOBJLOADER_IMPLEMENTATION
#define TINYOBJLOADER_USE_DOUBLE
#include <tiny_obj_loader.h>

#include <catch2/catch.hpp>

#include "shapes/mesh_file.h"
#include "support/source_folder.h"

using namespace rtsim;

// Our reader exists because this one takes "nan" and "abc" for 0 and knows no lines; on files that
// are good the two must agree.
TEST_CASE("shapes: a good OBJ reads as tinyobjloader reads it") {
  const std::string file = source_folder() + "/configs/wcsph/obstacle.obj";
  tinyobj::ObjReader peer;
  REQUIRE(peer.ParseFromFile(file));
  const auto& numbers = peer.GetAttrib().vertices;
  const auto& corners = peer.GetShapes().at(0).mesh.indices;

  const TriangleMesh mesh = read_mesh(file);
  REQUIRE(3 * mesh.vertices.size() == numbers.size());
  REQUIRE(3 * mesh.triangles.size() == corners.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    REQUIRE(mesh.vertices[i / 3][int(i % 3)] == Approx(numbers[i]).epsilon(1e-12));
  for (std::size_t c = 0; c < corners.size(); ++c)
    REQUIRE(mesh.triangles[c / 3][c % 3] == corners[c].vertex_index);
}
