#include "solvers/fem/fem_coarse.h"

#include <algorithm>

namespace rtsim {

namespace {

std::size_t count_groups(const std::vector<Index>& group) {
  return std::size_t(*std::max_element(group.begin(), group.end())) + 1;
}

// Items of each of n lists, one after the other, and where each list begins.
struct Lists {
  std::vector<Index> first, item;

  explicit Lists(const std::vector<std::vector<Index>>& all) : first(1) {
    for (const auto& one : all) {
      item.insert(item.end(), one.begin(), one.end());
      first.push_back(Index(item.size()));
    }
  }
};

// Members of each group, in order.
Lists members(const std::vector<Index>& group) {
  std::vector<std::vector<Index>> all(count_groups(group));
  for (std::size_t i = 0; i < group.size(); ++i) all[std::size_t(group[i])].push_back(Index(i));
  return Lists(all);
}

// The blocks of a matrix between groups, other than their own, and what adds up to each.
class JoinedBlocks {
 public:
  explicit JoinedBlocks(std::size_t groups) : columns_(groups), parts_(groups) {}

  void add(Index row, Index column, Index part) {
    auto& known = columns_[std::size_t(row)];
    auto& parts = parts_[std::size_t(row)];
    const auto at = std::size_t(std::find(known.begin(), known.end(), column) - known.begin());
    if (at == known.size()) known.push_back(column), parts.push_back({});
    parts[at].push_back(part);
  }
  const std::vector<std::vector<Index>>& columns() const { return columns_; }
  Lists parts_of_blocks() const {
    std::vector<std::vector<Index>> all;
    for (const auto& row : parts_) all.insert(all.end(), row.begin(), row.end());
    return Lists(all);
  }

 private:
  std::vector<std::vector<Index>> columns_;
  std::vector<std::vector<std::vector<Index>>> parts_;
};

}  // namespace

FemCoarse::Level::Level(const Exec& ex, const PointGroups& groups)
    : first(ex),
      column(ex),
      row(ex),
      first_term(ex),
      term(ex),
      first_part(ex),
      part(ex),
      parent(ex),
      blocks(ex),
      own(ex, count_groups(groups.of_points)),
      smoother(ex, own.size()),
      x(ex, own.size()),
      r(ex, own.size()),
      rest(ex, own.size()),
      place(ex, own.size()),
      arm(ex, own.size()),
      weight(2. / double(groups.most_of_element)) {}

void FemCoarse::Level::set_columns(const std::vector<std::vector<Index>>& columns) {
  const Lists lists(columns);
  std::vector<Index> rows;
  for (std::size_t g = 0; g < columns.size(); ++g)
    rows.insert(rows.end(), columns[g].size(), Index(g));
  first.upload(lists.first), column.upload(lists.item), row.upload(rows);
  blocks.resize(rows.size());
}

fem::GroupLevel FemCoarse::Level::view() {
  return {{first.span(), column.span(), blocks.span(), own.span()},
          smoother.span(),
          x.span(),
          r.span(),
          rest.span(),
          place.span(),
          arm.span(),
          first_part.span(),
          part.span(),
          parent.span()};
}

FemCoarse::FemCoarse(const Exec& ex, const std::vector<PointGroups>& groups,
                     const std::vector<Index>& first,
                     const std::vector<block_cg::BlockSlot>& blocks)
    : ex_(ex),
      first_(ex),
      member_(ex),
      group_(ex),
      point_(ex),
      arm_(ex, (groups[0].of_points.size() + lane_count - 1) / lane_count * lane_count) {
  for (const PointGroups& level : groups) levels_.emplace_back(ex, level);
  Columns columns = join_points(groups[0].of_points, first, blocks);
  for (std::size_t k = 1; k < levels_.size(); ++k)
    columns = join_groups(k, columns, groups[k - 1].of_points, groups[k].of_points);
  for (std::size_t g = 0; g < columns.size(); ++g) columns[g].insert(columns[g].begin(), Index(g));
  last_.emplace(columns);
  on_host_.resize(columns.size());
}

FemCoarse::Columns FemCoarse::join_points(const std::vector<Index>& group,
                                          const std::vector<Index>& first,
                                          const std::vector<block_cg::BlockSlot>& blocks) {
  const Lists all = members(group);
  first_.upload(all.first), member_.upload(all.item);
  std::vector<Index> filled = group;
  filled.resize(arm_.size(), 0);
  group_.upload(filled);
  arm_.zero();
  JoinedBlocks joined(levels_[0].own.size());
  std::vector<Index> lane, point;
  for (std::size_t i = 0; i < group.size(); ++i)
    for (Index e = first[i / lane_count]; e < first[i / lane_count + 1]; ++e) {
      const Index l = Index(i % lane_count), j = blocks[std::size_t(e)].other[l];
      if (group[std::size_t(j)] == group[i]) continue;
      joined.add(group[i], group[std::size_t(j)], Index(point.size()));
      lane.push_back(e * lane_count + l), point.push_back(Index(i));
    }
  Lists terms = joined.parts_of_blocks();
  std::vector<Index> points_of_terms;
  for (Index& term : terms.item) {
    points_of_terms.push_back(point[std::size_t(term)]);
    term = lane[std::size_t(term)];
  }
  Level& level = levels_[0];
  level.set_columns(joined.columns());
  level.first_term.upload(terms.first), level.term.upload(terms.item);
  point_.upload(points_of_terms);
  return joined.columns();
}

FemCoarse::Columns FemCoarse::join_groups(std::size_t k, const Columns& columns,
                                          const std::vector<Index>& group,
                                          const std::vector<Index>& larger) {
  std::vector<Index> parent(columns.size());
  for (std::size_t i = 0; i < group.size(); ++i) parent[std::size_t(group[i])] = larger[i];
  JoinedBlocks joined(levels_[k].own.size());
  Index block = 0;
  for (std::size_t g = 0; g < columns.size(); ++g)
    for (const Index h : columns[g]) {
      if (parent[std::size_t(h)] != parent[g]) joined.add(parent[g], parent[std::size_t(h)], block);
      ++block;
    }
  const Lists parts = members(parent), terms = joined.parts_of_blocks();
  Level& level = levels_[k];
  level.set_columns(joined.columns());
  level.first_part.upload(parts.first), level.part.upload(parts.item);
  level.first_term.upload(terms.first), level.term.upload(terms.item);
  levels_[k - 1].parent.upload(parent);
  return joined.columns();
}

fem::RigidGroups FemCoarse::points() const {
  return {first_.span(), member_.span(), group_.span(), arm_.span(), filter_};
}

void FemCoarse::update(const Exec& ex, const block_cg::BlockMatrix& A, Span<const Row4> position,
                       Span<const Row4> filter) {
  filter_ = filter;
  const fem::GroupLevel lowest = levels_[0].view();
  fem::find_arms(ex, points(), position, arm_.span(), lowest.place);
  fem::assemble(ex, {points(), A, levels_[0].first_term.span(), levels_[0].term.span(),
                     point_.span(), lowest.A});
  for (std::size_t k = 1; k < levels_.size(); ++k) {
    Level &below = levels_[k - 1], &above = levels_[k];
    fem::invert_own(ex, below.view(), below.weight);
    fem::find_arms(ex, below.view(), above.view());
    fem::assemble(ex, below.view(), {above.first_term.span(), above.term.span(), below.row.span()},
                  above.view());
  }
  factorise_last();
}

void FemCoarse::factorise_last() {
  const Level& last = levels_.back();
  const auto first = last.first.download();
  const auto blocks = last.blocks.download(), own = last.own.download();
  for (std::size_t g = 0; g < own.size(); ++g) {
    std::vector<fem::Block6> row{own[g]};
    row.insert(row.end(), blocks.begin() + first[g], blocks.begin() + first[g + 1]);
    last_->set(Index(g), row.data()->c);
  }
  last_->factorise();
}

void FemCoarse::solve_last() {
  Level& last = levels_.back();
  const std::size_t bytes = on_host_.size() * sizeof(fem::Six);
  ex_.download(on_host_.data(), last.r.data(), bytes);
  last_->solve(on_host_.data());
  ex_.upload(last.x.data(), on_host_.data(), bytes);
}

void FemCoarse::solve(std::size_t k) {
  if (k + 1 == levels_.size()) return solve_last();
  const fem::GroupLevel level = levels_[k].view(), above = levels_[k + 1].view();
  fem::begin(ex_, level);
  fem::restrict_to(ex_, level, above);
  solve(k + 1);
  fem::finish(ex_, level, above);
}

block_cg::Squares FemCoarse::precondition(Span<const Row4> r, Span<Row4> q) {
  fem::restrict_to(ex_, points(), r, levels_[0].r.span());
  solve(0);
  return {fem::prolongate(ex_, points(), levels_[0].x.span(), r, q), 0};
}

}  // namespace rtsim
