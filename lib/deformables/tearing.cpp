#include "deformables/tearing.h"

#include <fmt/format.h>

#include <algorithm>

#include "meshes/adjacency.h"
#include "tear/tear.h"

namespace rtsim {

void describe_tear_strain(Describe& d, std::optional<double>& strain) {
  d("tear_strain", strain, "", above(0),
    "Edges break where a step leaves them longer than (1 + tear_strain) L, of those that meet in a "
    "point the most strained one; triangles that lose an edge are gone. Default: nothing tears.");
}

namespace {

// Edges stand with their lower end first, in order.
std::vector<std::array<std::size_t, 3>> sides_of(const std::vector<CellMesh::Triangle>& triangles,
                                                 const std::vector<CellMesh::Edge>& edges) {
  std::vector<std::pair<CellMesh::Edge, std::size_t>> sorted;
  for (std::size_t e = 0; e < edges.size(); ++e)
    sorted.push_back({{std::min(edges[e][0], edges[e][1]), std::max(edges[e][0], edges[e][1])}, e});
  std::ranges::sort(sorted);
  std::vector<std::array<std::size_t, 3>> sides;
  for (const auto& t : triangles) {
    sides.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = t[k], b = t[(k + 1) % 3];
      const CellMesh::Edge edge{std::min(a, b), std::max(a, b)};
      sides.back()[k] = std::ranges::lower_bound(sorted, std::pair{edge, std::size_t(0)})->second;
    }
  }
  return sides;
}

}  // namespace

Tearing::Tearing(World& world, const std::string& mesh, double limit)
    : mesh_(mesh),
      limit_(Real(limit)),
      length_(world.exec),
      strain_(world.exec),
      first_(world.exec),
      slots_(world.exec) {
  if (world.has_table(tet_table(mesh)))
    throw Error(ExitCode::bad_input,
                fmt::format("\"tear_strain\" is of cloth, nets and ropes, and '{}' has "
                            "tetrahedra; leave it away",
                            mesh));
  const auto x = world.table(mesh).download<Vec<3>>("position");
  const auto edges = corners_of<2>(world, edge_table(mesh));
  std::vector<Real> length;
  for (const auto& e : edges)
    length.push_back(Real(norm(widen(x[std::size_t(e[1])]) - widen(x[std::size_t(e[0])]))));
  const Incidence star = incidence_of(x.size(), edges);
  length_.upload(length), first_.upload(star.first), slots_.upload(star.slots);
  strain_.resize(edges.size());
  world.table(edge_table(mesh)).add<std::uint32_t>({"torn", ""});
  if (!world.has_table(triangle_table(mesh))) return;
  sides_ = sides_of(corners_of<3>(world, triangle_table(mesh)), edges);
  world.table(triangle_table(mesh)).add<std::uint32_t>({"torn", "", Role::derived});
}

bool Tearing::tear(World& world) {
  Table& edges = world.table(edge_table(mesh_));
  const auto ends = edges.column<const VecT<std::int32_t, 2>>("corners");
  const auto torn = edges.column<std::uint32_t>("torn");
  tear::strains(world.exec, ends, length_.span(), torn,
                world.table(mesh_).column<const Vec<3>>("position"), strain_.span());
  const Index broke =
      tear::tear(world.exec, limit_, {ends, first_.span(), slots_.span()}, strain_.span(), torn);
  if (broke > 0) refresh(world);
  return broke > 0;
}

void Tearing::refresh(World& world) {
  if (sides_.empty()) return;
  const auto edges = world.table(edge_table(mesh_)).download<std::uint32_t>("torn");
  std::vector<std::uint32_t> torn;
  for (const auto& sides : sides_)
    torn.push_back(std::ranges::any_of(sides, [&](std::size_t e) { return edges[e] != 0; }) ? 1
                                                                                            : 0);
  const auto to = world.table(triangle_table(mesh_)).column<std::uint32_t>("torn");
  world.exec.upload(to.data, torn.data(), torn.size() * sizeof(std::uint32_t));
}

void Tearing::measure(World& world, std::vector<Measurement>& out) const {
  out.push_back({mesh_ + ".torn", double(torn_edges(world, {mesh_})), ""});
}

Index torn_edges(World& world, const std::vector<std::string>& meshes) {
  Index n = 0;
  for (const std::string& m : meshes) {
    if (!world.has_table(edge_table(m))) continue;
    Table& edges = world.table(edge_table(m));
    if (edges.has("torn")) n += tear::count(world.exec, edges.column<const std::uint32_t>("torn"));
  }
  return n;
}

}  // namespace rtsim
