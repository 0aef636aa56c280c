#include "deformables/contacts/penetrations.h"

#include <algorithm>

#include "exec/sort.h"
#include "meshes/adjacency.h"

namespace rtsim {

namespace {

// Cells grow where tets are stretched so far that they would take more on average.
constexpr double most_cells = 64;

contact::Box overlap(const contact::Box& a, const contact::Box& b) {
  contact::Box r;
  for (int k = 0; k < 3; ++k)
    r.low[k] = std::max(a.low[k], b.low[k]), r.high[k] = std::min(a.high[k], b.high[k]);
  return r;
}

void include(contact::Box& a, const contact::Box& b) {
  for (int k = 0; k < 3; ++k)
    a.low[k] = std::min(a.low[k], b.low[k]), a.high[k] = std::max(a.high[k], b.high[k]);
}

contact::Box nothing() {
  contact::Box b;
  for (int k = 0; k < 3; ++k) b.low[k] = Real(1e30), b.high[k] = Real(-1e30);
  return b;
}

double longest_side(const contact::Corners4& t, const std::vector<Vec<3>>& x) {
  double longest = 0;
  for (int a = 0; a < 3; ++a) {
    const auto [low, high] = std::minmax({x[std::size_t(t[0])][a], x[std::size_t(t[1])][a],
                                          x[std::size_t(t[2])][a], x[std::size_t(t[3])][a]});
    longest = std::max(longest, double(high) - double(low));
  }
  return longest;
}

}  // namespace

Penetrations::Penetrations(World& world, const std::vector<std::string>& meshes,
                           Span<const std::int32_t> part)
    : ex_(world.exec),
      meshes_(meshes),
      part_(part),
      tets_(ex_),
      points_(ex_),
      reach_(ex_),
      is_solid_(ex_),
      first_neighbour_(ex_),
      neighbours_(ex_),
      cell_count_(ex_),
      entry_tet_(ex_),
      entry_order_(ex_),
      first_entry_(ex_),
      entry_bucket_(ex_),
      inside_(ex_),
      close_(ex_),
      next_inside_(ex_),
      crosses_(ex_),
      near_(ex_),
      level_(ex_),
      next_level_(ex_),
      ways_(ex_),
      exits_(ex_),
      shortest_(ex_),
      next_shortest_(ex_),
      count_(ex_),
      order_(ex_),
      first_slot_(ex_),
      keys_(ex_),
      items_(ex_),
      ahead_(ex_),
      moves_(ex_),
      active_(ex_) {
  first_point_.push_back(0);
  double sum = 0;
  std::size_t tets = 0;
  for (const std::string& m : meshes_) {
    first_point_.push_back(first_point_.back() + world.table(m).rows());
    solid_.push_back(world.has_table(tet_table(m)) ? 1 : 0);
    if (!solid_.back()) continue;
    const auto x = world.table(m).download<Vec<3>>("position");
    for (const auto& t : world.table(tet_table(m)).download<contact::Corners4>("corners"))
      sum += longest_side(t, x), ++tets;
  }
  is_solid_.upload(solid_);
  mean_box_ = sum / double(std::max<std::size_t>(tets, 1));
  const auto points = std::size_t(first_point_.back());
  inside_.resize(points), close_.resize(points), next_inside_.resize(points);
  near_.resize(points), level_.resize(points), next_level_.resize(points);
  ways_.resize(points), active_.resize(points), first_slot_.resize(points + 1);
}

void Penetrations::build(World& world, ItemTree<2>& edges) {
  std::vector<contact::Corners4> tets;
  for (std::size_t m = 0; m < meshes_.size(); ++m)
    for (auto t : intact_of<4>(world, tet_table(meshes_[m]))) {
      contact::Corners4 c;
      for (int k = 0; k < 4; ++k) c[k] = t[std::size_t(k)] + std::int32_t(first_point_[m]);
      tets.push_back(c);
    }
  tets_.upload(tets);
  std::vector<Index> first(std::size_t(first_point_.back()) + 1);
  const auto items = edges.items();
  for (const auto& e : items) ++first[std::size_t(e[0]) + 1], ++first[std::size_t(e[1]) + 1];
  std::vector<std::int32_t> points;
  for (std::size_t p = 0; p + 1 < first.size(); ++p) {
    if (first[p + 1] > 0) points.push_back(std::int32_t(p));
    first[p + 1] += first[p];
  }
  std::vector<Index> neighbours(2 * items.size()), next(first.begin(), first.end() - 1);
  for (const auto& e : items) {
    neighbours[std::size_t(next[std::size_t(e[0])]++)] = e[1];
    neighbours[std::size_t(next[std::size_t(e[1])]++)] = e[0];
  }
  points_.upload(points), first_neighbour_.upload(first), neighbours_.upload(neighbours);
  crosses_.resize(items.size());
}

contact::Tangled Penetrations::tangled() const {
  if (!any_) return {};
  return {near_.span(), crosses_.span()};
}

void Penetrations::find(Span<const Vec<3>> from, Real thickness, ItemTree<3>& triangles,
                        ItemTree<2>& edges) {
  any_ = false, inside_count_ = crossing_count_ = 0;
  find_reach(from, Real(0.5) * thickness);
  if (cells_.reach.size == 0) return;
  triangles.fit({from, from}, 0), edges.fit({from, from}, 0);
  const contact::Surfaces surfaces{triangles.view(), edges.view(), first_neighbour_.span(),
                                   neighbours_.span(), is_solid_.span()};
  fill_cells();
  crossing_count_ = contact::find_crossing(ex_, cells_, surfaces, crosses_.span());
  find_inside(surfaces);
  any_ = inside_count_ > 0 || crossing_count_ > 0;
  if (!any_) return;
  contact::mark_near(ex_, surfaces, inside_.span(), near_.span());
  find_ways(surfaces);
  write_penetrations(surfaces);
}

void Penetrations::find_inside(const contact::Surfaces& s) {
  inside_count_ = contact::find_inside(ex_, cells_, points_.span(), inside_.span(), close_.span());
  for (Index more = inside_count_; more > 0; inside_count_ += more) {
    more = contact::grow_inside(ex_, cells_, s, close_.span(), inside_.span(), next_inside_.span());
    inside_.swap(next_inside_);
  }
  for (Index before = 0; inside_count_ > 0 && inside_count_ != before;) {
    before = inside_count_;
    inside_count_ = contact::confirm_inside(ex_, cells_, s, crossing_count_ > 0, inside_.span(),
                                            next_inside_.span());
    inside_.swap(next_inside_);
  }
}

// Where the box of each mesh overlaps those of others, one of the two a solid.
void Penetrations::find_reach(Span<const Vec<3>> from, Real slack) {
  std::vector<contact::Box> box, reach;
  for (std::size_t m = 0; m < meshes_.size(); ++m) {
    box.push_back(contact::box_of_points(ex_, from, first_point_[m], first_point_[m + 1]));
    for (int k = 0; k < 3; ++k) box.back().low[k] -= slack, box.back().high[k] += slack;
  }
  contact::Box all = nothing();
  for (std::size_t m = 0; m < box.size(); ++m) {
    reach.push_back(nothing());
    for (std::size_t k = 0; k < box.size(); ++k) {
      if (k == m || !(solid_[k] || solid_[m])) continue;
      const contact::Box both = overlap(box[m], box[k]);
      if (!both.empty()) include(reach.back(), both);
    }
    if (!reach.back().empty()) include(all, reach.back());
  }
  cells_ = {};
  if (all.empty()) return;
  reach_.upload(reach);
  cells_.tets = tets_.span(), cells_.part = part_, cells_.reach = reach_.span();
  cells_.position = from, cells_.origin = all.low, cells_.slack = slack;
}

void Penetrations::fill_cells() {
  cells_.cell = Real(mean_box_);
  const double most = most_cells * double(tets_.size()) + 1e4;
  while (contact::cells_of_tets(ex_, cells_) > most) cells_.cell *= 2;
  cells_.buckets = std::uint32_t(2 * tets_.size() + 1);
  cell_count_.resize(tets_.size());
  contact::count_cells(ex_, cells_, cell_count_.span());
  const auto n =
      std::size_t(exclusive_scan(ex_, "contact.scan", cell_count_.span(), cell_count_.span()));
  entry_tet_.resize(n), entry_bucket_.resize(n), entry_order_.resize(n);
  first_entry_.resize(cells_.buckets + 1);
  contact::write_cells(ex_, cells_, cell_count_.span(), entry_tet_.span(), entry_bucket_.span());
  bin_by_key(ex_, "contact.sort", entry_bucket_.span(), cells_.buckets, entry_order_.span(),
             first_entry_.span());
  cells_.tet = entry_tet_.span(), cells_.order = entry_order_.span();
  cells_.first = first_entry_.span();
}

void Penetrations::find_ways(const contact::Surfaces& s) {
  const auto round = [&](auto&& kernel) {
    const Index more =
        kernel(ex_, cells_, s, inside_.span(), ways_.span(), level_.span(), next_level_.span());
    level_.swap(next_level_);
    return more;
  };
  level_.zero();
  Index found = round(contact::border_ways);
  const auto spread = [&](Index more) {
    for (; more > 0 && found < inside_count_; found += more) more = round(contact::spread_ways);
  };
  spread(found);
  if (found == inside_count_) return;
  const Index reacted = round(contact::react_ways);
  found += reacted;
  spread(reacted);
  if (found < inside_count_) find_exits(s);
}

void Penetrations::find_exits(const contact::Surfaces& s) {
  exits_.resize(inside_.size()), shortest_.resize(inside_.size());
  next_shortest_.resize(inside_.size());
  contact::nearest_exits(ex_, cells_, s, inside_.span(), level_.span(), exits_.span(),
                         shortest_.span());
  for (Index better = 1; better > 0; shortest_.swap(next_shortest_))
    better = contact::spread_exits(ex_, cells_, s, inside_.span(), level_.span(), shortest_.span(),
                                   next_shortest_.span());
  contact::take_exits(ex_, cells_, inside_.span(), exits_.span(), shortest_.span(), ways_.span(),
                      level_.span());
}

void Penetrations::write_penetrations(const contact::Surfaces& s) {
  count_.resize(inside_.size() + crosses_.size());
  contact::count_penetrations(ex_, cells_, s, inside_.span(), crosses_.span(), count_.span());
  const auto n = std::size_t(exclusive_scan(ex_, "contact.scan", count_.span(), count_.span()));
  items_.resize(n), keys_.resize(6 * n), order_.resize(6 * n), moves_.resize(6 * n);
  contact::write_penetrations(ex_, cells_, s, inside_.span(), crosses_.span(), ways_.span(),
                              count_.span(), items_.span());
  contact::penetration_keys(ex_, items_.span(), keys_.span());
  bin_by_key(ex_, "contact.sort", keys_.span(), std::uint32_t(inside_.size()), order_.span(),
             first_slot_.span());
}

void Penetrations::push_out(const contact::SelfRules& rules, int passes, Span<const Vec<3>> x,
                            Span<Vec<3>> v, Span<const Real> w, Real h) {
  if (!any_ || items_.size() == 0) return;
  ahead_.resize(std::size_t(x.size));
  contact::look_ahead(ex_, x, v, h, ahead_.span());
  for (int k = 0; k < passes; ++k)
    contact::push_out(ex_, rules, items_.span(), {order_.span(), first_slot_.span()}, w, x,
                      moves_.span(), active_.span(), h, ahead_.span(), v);
}

}  // namespace rtsim
