#include "deformables/contacts/self_contact.h"

#include <fmt/format.h>

#include <algorithm>

#include "deformables/tearing.h"
#include "exec/sort.h"
#include "meshes/adjacency.h"

namespace rtsim {

namespace {

template <int N>
std::vector<VecT<std::int32_t, N>> items(const std::vector<std::array<std::int32_t, N>>& cells) {
  std::vector<VecT<std::int32_t, N>> r(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) std::ranges::copy(cells[i], r[i].c);
  return r;
}

// Of tets only the surface can meet anything.
std::vector<CellMesh::Edge> outer_edges(World& world, const std::string& mesh,
                                        const std::vector<CellMesh::Triangle>& triangles) {
  if (!world.has_table(tet_table(mesh))) return intact_of<2>(world, edge_table(mesh));
  CellMesh surface;
  surface.triangles = triangles;
  return all_edges(surface);
}

template <std::size_t N>
void append(std::vector<std::array<std::int32_t, N>>& to,
            const std::vector<std::array<std::int32_t, N>>& cells, std::int32_t points) {
  for (auto c : cells) {
    for (auto& p : c) p += points;
    to.push_back(c);
  }
}

}  // namespace

SelfContact::SelfContact(World& world, const std::vector<std::string>& meshes,
                         const SelfContactRules& r)
    : ex_(world.exec),
      meshes_(meshes),
      rules_{Real(r.thickness), 0, Real(r.friction)},
      passes_(r.passes),
      within_(r.within),
      proxy_spheres_only_(r.proxy_spheres),
      margin_(Real(r.thickness)),
      triangles_(ex_),
      edges_(ex_),
      proxy_spheres_(ex_),
      points_(ex_),
      part_(ex_),
      rest_(ex_),
      pairs_found_at_(ex_),
      first_triangle_(ex_),
      others_(ex_),
      count_(ex_),
      order_(ex_),
      first_slot_(ex_),
      keys_(ex_),
      meets_(ex_),
      pairs_(ex_),
      facing_(ex_),
      moves_(ex_),
      active_(ex_) {
  std::vector<Vec<3>> position;
  std::vector<std::int32_t> part;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const auto x = world.table(meshes[m]).download<Vec<3>>("position");
    position.insert(position.end(), x.begin(), x.end());
    part.resize(position.size(), std::int32_t(m));
  }
  rest_.upload(position), part_.upload(part);
  pairs_found_at_.resize(position.size()), first_slot_.resize(position.size() + 1);
  active_.resize(position.size());
  const auto is_solid = [&](const std::string& m) { return world.has_table(tet_table(m)); };
  if (meshes.size() > 1 && !proxy_spheres_only_ && std::ranges::any_of(meshes, is_solid))
    inside_ = std::make_unique<Penetrations>(world, meshes, part_.span());
  build_trees(world);
  if (!proxy_spheres_only_) return;
  std::vector<VecT<std::int32_t, 1>> spheres;  // they stay when the mesh tears
  for (const std::int32_t p : points_.download()) spheres.push_back({{p}});
  proxy_spheres_.build(spheres, position);
}

// Bounding volume hierarchies of the cells that are not torn.
void SelfContact::build_trees(World& world) {
  const std::vector<Vec<3>> position = rest_.download();
  std::vector<CellMesh::Triangle> triangles;
  std::vector<CellMesh::Edge> edges;
  std::int32_t before = 0;
  for (const std::string& m : meshes_) {
    const auto faces = intact_of<3>(world, triangle_table(m));
    append(triangles, faces, before);
    append(edges, outer_edges(world, m, faces), before);
    before += world.table(m).rows();
  }
  triangles_.build(items<3>(triangles), position);
  const Incidence around = incidence_of<3>(position.size(), triangles);
  std::vector<VecT<std::int32_t, 2>> others;
  for (const Index s : around.slots) {
    const auto& t = triangles[std::size_t(s / 3)];
    others.push_back({{t[std::size_t(s + 1) % 3], t[std::size_t(s + 2) % 3]}});
  }
  first_triangle_.upload(around.first), others_.upload(others);
  edges_.build(items<2>(edges), position);
  std::vector<std::int32_t> points;
  for (const auto& e : edges) points.insert(points.end(), e.begin(), e.end());
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  points_.upload(points);
  if (inside_) inside_->build(world, edges_);
}

void SelfContact::begin(World& world) {
  stale_ = true;
  const Index torn = torn_edges(world, meshes_);
  if (torn != torn_) build_trees(world);
  torn_ = torn;
}

bool SelfContact::pairs_cover(Span<const Vec<3>> from, Span<const Vec<3>> to) const {
  const Real most = Real(0.5) * margin_;
  return !stale_ && contact::farthest(ex_, pairs_found_at_.span(), from) < most &&
         contact::farthest(ex_, pairs_found_at_.span(), to) < most;
}

void SelfContact::find_overlaps(Span<const Vec<3>> from) {
  if (!inside_) return;
  const bool was_tangled = inside_->any();
  inside_->find(from, rules_.thickness, triangles_, edges_);
  stale_ = stale_ || was_tangled || inside_->any();
}

void SelfContact::prepare(Span<const Vec<3>> from, Span<const Vec<3>> to, Real recovery) {
  find_overlaps(from);
  if (!pairs_cover(from, to)) find_pairs(from, to);
  rules_.recovery = recovery;
  contact::face(ex_, rules_, {}, pairs_.span(), rest_.span(), from, facing_.span());
}

void SelfContact::prepare_nearest(Span<const Vec<3>> from, Span<const Vec<3>> to, Real recovery,
                                  bool again) {
  if (!again) find_overlaps(from);
  if (!pairs_cover(from, to)) find_pairs(from, to);
  rules_.recovery = recovery;
  const contact::Fans fans{first_triangle_.span(), others_.span()};
  contact::face(ex_, rules_, fans, pairs_.span(), rest_.span(), from, facing_.span());
}

void SelfContact::find_pairs(Span<const Vec<3>> from, Span<const Vec<3>> to) {
  const contact::Ways ways{from, to};
  const Real around = Real(0.5) * (rules_.thickness + margin_);
  contact::Search s{{}, {}, {}, points_.span(), parts(), ways, around};
  if (proxy_spheres_only_) {
    proxy_spheres_.fit(ways, around);
    s.proxy_spheres = proxy_spheres_.view();
  } else {
    triangles_.fit(ways, around), edges_.fit(ways, around);
    s.triangles = triangles_.view(), s.edges = edges_.view();
  }
  if (inside_) s.tangled = inside_->tangled();
  count_.resize(std::size_t(s.queries()));
  contact::count_pairs(ex_, s, count_.span());
  const Index n = exclusive_scan(ex_, "contact.scan", count_.span(), count_.span());
  if (n > 500'000'000)
    throw Error(ExitCode::bad_input,
                fmt::format("{} pairs of features are near one another; use a smaller "
                            "\"thickness\", or smaller steps",
                            n));
  const auto pairs = std::size_t(n);
  pairs_.resize(pairs), facing_.resize(pairs), meets_.resize(pairs);
  keys_.resize(4 * pairs), order_.resize(4 * pairs), moves_.resize(4 * pairs);
  contact::write_pairs(ex_, s, count_.span(), pairs_.span());
  contact::slot_keys(ex_, pairs_.span(), keys_.span());
  bin_by_key(ex_, "contact.sort", keys_.span(), std::uint32_t(to.size), order_.span(),
             first_slot_.span());
  ex_.copy(pairs_found_at_.data(), to.data, std::size_t(to.size) * sizeof(Vec<3>));
  stale_ = false;
}

void SelfContact::repel(Span<const Vec<3>> from, Span<Vec<3>> x, Span<Vec<3>> v, Span<const Real> w,
                        Real h) {
  for (int k = 0; k < passes_ && pairs_.size() > 0; ++k)
    contact::repel(ex_, rules_, pairs_.span(), facing_.span(), slots(), w, from, moves_.span(),
                   active_.span(), h, x, v);
}

void SelfContact::push_apart(Span<const Vec<3>> x, Span<Vec<3>> v, Span<const Real> w,
                             Real recovery, Real h) {
  if (!inside_) return;
  contact::SelfRules rules = rules_;
  rules.recovery = recovery;
  inside_->find(x, rules.thickness, triangles_, edges_);
  inside_->push_out(rules, passes_, x, v, w, h);
}

void SelfContact::prepare_stop(Span<const Vec<3>> from, Span<const Vec<3>> to) {
  if (!proxy_spheres_only_ && !pairs_cover(from, to)) prepare(from, to, rules_.recovery);
}

Index SelfContact::mark_meeting(Span<const Vec<3>> from, Span<const Vec<3>> to,
                                Span<std::uint32_t> marked) {
  if (proxy_spheres_only_ || pairs_.size() == 0) return 0;
  return contact::mark_meeting(ex_, Real(0.1) * rules_.thickness, pairs_.span(), slots(),
                               facing_.span(), {from, to}, meets_.span(), marked);
}

void SelfContact::shorten(Span<const std::uint32_t> marked, Span<const Vec<3>> from, Span<Vec<3>> x,
                          Span<Vec<3>> v, Span<const Real> w, Real h) {
  if (proxy_spheres_only_ || pairs_.size() == 0) return;
  contact::shorten(ex_, slots(), facing_.span(), marked, w, from, h, x, v);
}

Index SelfContact::points_inside(Span<const Vec<3>> position) {
  if (!inside_) return 0;
  inside_->find(position, rules_.thickness, triangles_, edges_);
  return inside_->points_inside();
}

Index SelfContact::intersections(Span<const Vec<3>> position) {
  if (triangles_.empty()) return 0;
  triangles_.fit({position, position}, 0);
  return contact::count_intersections(ex_, triangles_.view(), edges_.view(), parts(), position);
}

std::string SelfContact::intersection_warning(World& world, Span<const Vec<3>> position) {
  if (proxy_spheres_only_) return {};  // spheres let cloth pass through cloth
  const Index inside = points_inside(position), through = intersections(position);
  if (inside == 0 && through == 0) return {};
  const std::string apart = " is moved apart by no more than \"recovery\"";
  if (through == 0)
    return fmt::format(
        "{} points are inside tetrahedra of other meshes at the start: what overlaps{}", inside,
        apart);
  const auto edge = edges_.item(
      contact::first_intersection(ex_, triangles_.view(), edges_.view(), parts(), position));
  std::size_t mesh = 0;
  std::int32_t before = 0;
  while (edge[0] >= before + world.table(meshes_[mesh]).rows())
    before += world.table(meshes_[mesh++]).rows();
  const Index a = edge[0] - before, b = edge[1] - before;
  Vec<3> x;
  ex_.download(&x, position.data + edge[0], sizeof x);
  return fmt::format(
      "{} edges go through triangles at the start, one from point {} to {} of '{}', at "
      "({:.4g}, {:.4g}, {:.4g}) m; {}",
      through, a, b, meshes_[mesh], x[0], x[1], x[2],
      inside_ ? "what overlaps tetrahedra of another mesh" + apart +
                    ", what else is tangled stays so: move that apart in the scene"
              : "contact keeps what is tangled so: move it apart in the scene");
}

}  // namespace rtsim
