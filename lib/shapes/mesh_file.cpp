#include "shapes/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/input_file.h"
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
  if (const std::string why = why_unreadable(path, largest_mesh); !why.empty())
    mesh_fault(path.string(),
               "cannot be opened: " + why + "; files are looked for from the scene's folder");
  const std::string text = read_input(path, largest_mesh);
  return read_mesh(text, path.extension().string(), path.string());
}

namespace {

struct Edge {
  std::int32_t low, high;
  int way;  // +1 from low to high, -1 back
};

std::vector<Edge> find_open_edges(const TriangleMesh& mesh) {
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
  std::vector<Edge> open;
  for (std::size_t i = 0; i < edges.size();) {
    const Edge& first = edges[i];
    int balance = 0;
    for (; i < edges.size() && edges[i].low == first.low && edges[i].high == first.high; ++i)
      balance += edges[i].way;
    if (balance != 0) open.push_back(first);
  }
  return open;
}

}  // namespace

std::size_t open_edges(const TriangleMesh& mesh) { return find_open_edges(mesh).size(); }

std::string tell_open_edges(const TriangleMesh& mesh) {
  const std::vector<Edge> open = find_open_edges(mesh);
  if (open.empty()) return "every edge joins two triangles";
  const auto place = [&](std::int32_t v) {
    const Vec3d& x = mesh.vertices[std::size_t(v)];
    return fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]);
  };
  return fmt::format("{} edge{} two triangles{}, one of them from {} to {}", open.size(),
                     open.size() == 1 ? " does not join" : "s do not join",
                     open.size() == 1 ? "" : " each", place(open[0].low), place(open[0].high));
}

}  // namespace rtsim
