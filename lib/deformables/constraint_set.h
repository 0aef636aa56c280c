#pragma once
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
};

enum class ProjectionOrder { gauss_seidel, jacobi };

// Constraints of a law, sorted by colour, with what a projection of them needs. Scratch: all of it
// follows from the mesh at its start.
template <class Law>
class ConstraintSet {
 public:
  ConstraintSet(const Exec& ex, std::size_t points, const ConstraintList<Law>& list,
                ProjectionOrder order, bool multipliers)
      : ex_(ex), order_(order), weight_(ex), shifts_(ex), first_slot_(ex), slots_(ex) {
    const Colouring c = colour(points, list.corners);
    first_ = c.first;
    ConstraintList<Law> sorted;
    for (const Index i : c.order) {
      sorted.corners.push_back(list.corners[std::size_t(i)]);
      sorted.numbers.push_back(list.numbers[std::size_t(i)]);
    }
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

  // Before the first projection of a substep.
  void forget_multipliers() {
    for (auto& m : multiplier_) m.zero();
  }
  void project(const Law& law, Span<Row4> points) {
    if (size() == 0) return;
    if (order_ == ProjectionOrder::gauss_seidel)
      pbd::gauss_seidel(ex_, law, rows(), first_, points);
    else
      pbd::jacobi(ex_, law, rows(), {first_slot_.span(), slots_.span(), weight_.span()},
                  shifts_.span(), points);
  }

 private:
  template <class T, class Rows>
  Buffer<T> column(const Rows& rows, std::size_t k) const {
    std::vector<T> values;
    values.reserve(rows.size());
    for (const auto& r : rows) values.push_back(r[k]);
    return Buffer<T>(ex_, std::span<const T>(values));
  }

  template <class Corners>
  void average(std::size_t points, const Corners& corners) {
    const Incidence at = incidence_of(points, corners);
    std::vector<Real> weight;
    for (const auto& c : corners) {
      Index most = 1;
      for (const auto p : c)
        most = std::max(most, at.first[std::size_t(p) + 1] - at.first[std::size_t(p)]);
      weight.push_back(Real(1) / Real(most));
    }
    weight_.upload(weight), first_slot_.upload(at.first), slots_.upload(at.slots);
    shifts_.resize(Law::corners * corners.size());
  }

  pbd::ConstraintRows<Law> rows() {
    pbd::ConstraintRows<Law> r;
    for (std::size_t k = 0; k < Law::corners; ++k) r.corner[k] = corner(k);
    for (std::size_t k = 0; k < Law::numbers; ++k) r.number[k] = number(k);
    for (std::size_t k = 0; k < Law::multipliers; ++k) r.multiplier[k] = multiplier_[k].span();
    return r;
  }

  Exec ex_;
  ProjectionOrder order_;
  std::vector<Index> first_;  // of each colour
  std::vector<Buffer<Index>> corner_;
  std::vector<Buffer<Real>> number_, multiplier_;
  Buffer<Real> weight_;  // of each constraint, of Jacobi alone, as are the next
  Buffer<Vec<3>> shifts_;
  Buffer<Index> first_slot_, slots_;
};

}  // namespace rtsim
