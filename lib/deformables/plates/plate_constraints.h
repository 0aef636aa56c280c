#pragma once
#include <algorithm>
#include <cmath>

#include "deformables/constraint_set.h"
#include "deformables/plates/plate_stencils.h"

namespace rtsim {

// The points around a triangle, each once, its own corners first and in their order round it, and
// what of them is in each of its constraints.
struct PlateWeights {
  std::vector<CellMesh::Corner> points;
  std::vector<std::array<double, 3>> weights;
};
PlateWeights plate_weights(const std::vector<Vec3d>& points, const PlateStencil&);

// Of a stencil with N points.
template <int N, bool bent>
void add_plate(const std::vector<Vec3d>& rest, const PlateWeights& w,
               ConstraintList<pbd::IsometricPlate<N, bent>>& list) {
  auto& corners = list.corners.emplace_back();
  auto& numbers = list.numbers.emplace_back();
  std::array<Vec3d, 3> c;
  for (std::size_t i = 0; i < std::size_t(N); ++i) {
    corners[i] = w.points[i];
    for (std::size_t j = 0; j < 3; ++j) {
      if (i > 0) numbers[(N - 1) * j + i - 1] = Real(w.weights[i][j]);
      c[j] = c[j] + w.weights[i][j] * rest[std::size_t(w.points[i])];
    }
  }
  if constexpr (bent)
    for (std::size_t j = 0; j < 3; ++j) numbers[3 * (N - 1) + j] = Real(norm(c[j]));
}

// Lets constraints have their numbers in common where there are few kinds, as in the sheets of a
// lattice, which then read next to nothing for them. What the rounding of places makes of numbers
// does not tell kinds apart.
template <class Law>
void share_numbers(ConstraintList<Law>& list) {
  constexpr std::size_t most = 8;
  ConstraintList<Law> shared;
  const auto alike = [](const auto& a, const auto& b) {
    Real size = 0, apart = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      size = std::max(size, std::abs(a[k]));
      apart = std::max(apart, std::abs(a[k] - b[k]));
    }
    return apart <= Real(1e-3) * size;
  };
  for (const auto& n : list.numbers) {
    std::size_t k = 0;
    while (k < shared.numbers.size() && !alike(shared.numbers[k], n)) ++k;
    if (k == most) return;
    if (k == shared.numbers.size()) shared.numbers.push_back(n);
    shared.kind.push_back(Index(k));
  }
  list.numbers = shared.numbers, list.kind = shared.kind;
}

// Of a stencil that is no wider than the law; flat at rest, or as it is.
template <int N, int F>
void add_dihedral(const std::vector<Vec3d>& rest, const PlateStencil&, bool flat,
                  ConstraintList<pbd::DihedralPlate<N, F>>& list);

// Whether any hinge of them is bent, by more than the rounding of positions makes of a plane.
bool bent(const std::vector<Vec3d>& points, const std::vector<PlateStencil>&);

}  // namespace rtsim
