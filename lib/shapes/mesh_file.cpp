#include "shapes/mesh_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "shapes/mesh_text.h"

namespace rtsim {
namespace {

std::string lower(std::string_view text) {
  std::string s(text);
  for (char& c : s)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return s;
}

TriangleMesh read_format(std::string_view text, const std::string& extension,
                         const std::string& name) {
  if (extension == ".obj") return read_obj(text, name);
  if (extension == ".ply") return read_ply(text, name);
  if (extension == ".stl") return read_stl(text, name);
  mesh_fault(name, "unknown mesh format '" + extension + "'; .obj, .ply and .stl are known");
}

}  // namespace

TriangleMesh read_mesh(std::string_view text, std::string_view extension, const std::string& name) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    mesh_fault(name, "is empty; export the mesh again");
  TriangleMesh mesh = read_format(text, lower(extension), name);
  if (mesh.triangles.empty())
    mesh_fault(name, "has no triangles; points and lines enclose nothing, export its faces too");
  return mesh;
}

TriangleMesh read_mesh(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    mesh_fault(path.string(), "cannot be opened; files are looked for from the scene's folder");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return read_mesh(text, path.extension().string(), path.string());
}

std::size_t open_edges(const TriangleMesh& mesh) {
  struct Edge {
    std::int32_t low, high;
    int way;  // +1 from low to high, -1 back
  };
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = t[k], b = t[(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& e, const Edge& f) {
    return e.low != f.low ? e.low < f.low : e.high < f.high;
  });
  std::size_t open = 0;
  for (std::size_t i = 0; i < edges.size();) {
    const Edge& first = edges[i];
    int balance = 0;
    for (; i < edges.size() && edges[i].low == first.low && edges[i].high == first.high; ++i)
      balance += edges[i].way;
    if (balance != 0) ++open;
  }
  return open;
}

}  // namespace rtsim
