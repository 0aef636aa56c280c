#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "exec/buffer.h"
#include "meshes/adjacency.h"
#include "meshes/colouring.h"
#include "pbd/constraints.h"

namespace rtsim {

// Constraints of a law as they are found, on the host.
template <class Law>
struct ConstraintList {
  std::vector<std::array<std::int32_t, Law::corners>> corners;
  std::vector<std::array<Real, Law::numbers>> numbers;
  std::vector<Index> kind{};  // of each, the row of its numbers; empty where each has its own
};

enum class ProjectionOrder { gauss_seidel, jacobi };

// Constraints of a law, sorted by colour, with what a projection of them needs. Scratch: all of it
// follows from the mesh at its start.
template <class Law>
class ConstraintSet {
 public:
  ConstraintSet(const Exec& ex, std::size_t points, const ConstraintList<Law>& list,
                ProjectionOrder order, bool multipliers)
      : ex_(ex),
        order_(order),
        held_(ex),
        kind_(ex),
        weight_(ex),
        shifts_(ex),
        first_slot_(ex),
        slots_(ex) {
    Colouring c = colour(points, list.corners);
    first_ = c.first;
    if (!list.kind.empty()) sort_by_kind(c, list.kind);
    ConstraintList<Law> sorted;
    for (const Index i : c.order) {
      sorted.corners.push_back(list.corners[std::size_t(i)]);
      if (list.kind.empty())
        sorted.numbers.push_back(list.numbers[std::size_t(i)]);
      else
        sorted.kind.push_back(list.kind[std::size_t(i)]);
    }
    if (!list.kind.empty()) sorted.numbers = list.numbers;
    kind_.upload(sorted.kind);
    for (std::size_t k = 0; k < Law::corners; ++k)
      corner_.push_back(column<Index>(sorted.corners, k));
    for (std::size_t k = 0; k < Law::numbers; ++k)
      number_.push_back(column<Real>(sorted.numbers, k));
    for (int k = 0; k < Law::multipliers; ++k)
      multiplier_.emplace_back(ex, multipliers ? sorted.corners.size() : 0);
    if (order == ProjectionOrder::jacobi) average(points, sorted.corners);
  }

  Index size() const { return Index(corner_[0].size()); }
  Span<const Index> corner(std::size_t k) const { return corner_[k].span(); }
  Span<const Real> number(std::size_t k) const { return number_[k].span(); }

  // For what only looks at them: without multipliers.
  pbd::ConstraintRows<Law> constant_rows() const {
    pbd::ConstraintRows<Law> r;
    r.kind = kind_.span();
    for (std::size_t k = 0; k < Law::corners; ++k) r.corner[k] = corner(k);
    for (std::size_t k = 0; k < Law::numbers; ++k) r.number[k] = number(k);
    return r;
  }

  // Before the first projection of a substep.
  void forget_multipliers() {
    for (auto& m : multiplier_) m.zero();
  }
  void project(const Law& law, Span<Row4> points, const pbd::Told& told = {},
               pbd::Sweep sweep = pbd::Sweep::forward) {
    if (size() == 0) return;
    pbd::OnHeld held;
    if (told.push.size > 0 && held_.size() > 0) held = {&first_held_, held_.span(), told.push};
    if (order_ == ProjectionOrder::gauss_seidel)
      pbd::gauss_seidel(ex_, law, rows(), first_, sweep, held, points, told.moved);
    else
      pbd::jacobi(ex_, law, rows(), {first_slot_.span(), slots_.span(), weight_.span()}, held,
                  shifts_.span(), points, told.moved);
  }

  // Which constraints pull at points without an inverse mass.
  void find_held(const std::vector<Real>& inverse_mass) {
    std::vector<bool> held(corner_[0].size());
    for (const Buffer<Index>& corner : corner_) {
      const std::vector<Index> of = corner.download();
      for (std::size_t c = 0; c < of.size(); ++c)
        if (!(inverse_mass[std::size_t(of[c])] > 0)) held[c] = true;
    }
    std::vector<Index> all;
    first_held_ = {0};
    for (std::size_t k = 0; k + 1 < first_.size(); ++k) {
      for (Index c = first_[k]; c < first_[k + 1]; ++c)
        if (held[std::size_t(c)]) all.push_back(c);
      first_held_.push_back(Index(all.size()));
    }
    held_.upload(all);
  }

 private:
  template <class T, class Rows>
  Buffer<T> column(const Rows& rows, std::size_t k) const {
    std::vector<T> values;
    values.reserve(rows.size());
    for (const auto& r : rows) values.push_back(r[k]);
    return Buffer<T>(ex_, std::span<const T>(values));
  }

  static void sort_by_kind(Colouring& c, const std::vector<Index>& kind) {
    for (std::size_t k = 0; k + 1 < c.first.size(); ++k)
      std::stable_sort(
          c.order.begin() + c.first[k], c.order.begin() + c.first[k + 1],
          [&](Index a, Index b) { return kind[std::size_t(a)] < kind[std::size_t(b)]; });
  }

  template <class Corners>
  void average(std::size_t points, const Corners& corners) {
    const Incidence at = incidence_of(points, corners);
    // Once each, also where a point fills several places.
    std::vector<Index> constraints(points);
    for (const auto& c : corners)
      for (auto p = c.begin(); p != c.end(); ++p)
        if (std::find(c.begin(), p, *p) == p) ++constraints[std::size_t(*p)];
    std::vector<Real> weight;
    for (const auto& c : corners) {
      Index most = 1;
      for (const auto p : c) most = std::max(most, constraints[std::size_t(p)]);
      weight.push_back(Real(1) / Real(most));
    }
    weight_.upload(weight), first_slot_.upload(at.first), slots_.upload(at.slots);
    shifts_.resize(Law::corners * corners.size());
  }

  pbd::ConstraintRows<Law> rows() {
    pbd::ConstraintRows<Law> r = constant_rows();
    for (std::size_t k = 0; k < Law::multipliers; ++k) r.multiplier[k] = multiplier_[k].span();
    return r;
  }

  Exec ex_;
  ProjectionOrder order_;
  std::vector<Index> first_;       // of each colour
  std::vector<Index> first_held_;  // likewise, of those that pull at held points
  Buffer<Index> held_;
  std::vector<Buffer<Index>> corner_;
  Buffer<Index> kind_;
  std::vector<Buffer<Real>> number_, multiplier_;
  Buffer<Real> weight_;  // of each constraint, of Jacobi alone, as are the next
  Buffer<Vec<3>> shifts_;
  Buffer<Index> first_slot_, slots_;
};

}  // namespace rtsim
