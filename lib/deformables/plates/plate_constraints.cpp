#include "deformables/plates/plate_constraints.h"

#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

using Points = std::vector<Vec3d>;

std::array<Vec3d, 4> hinge(const Points& points, const PlatePatch& p, std::size_t f) {
  std::array<Vec3d, 4> x;
  for (std::size_t k = 0; k < 4; ++k)
    x[k] = points[std::size_t(p.points[std::size_t(PlatePatch::corners[f][k])])];
  return x;
}

// As pbd::HingeNormals has it.
double angle(const std::array<Vec3d, 4>& x) {
  const Vec3d e = x[1] - x[0], a = cross(e, x[2] - x[0]), b = cross(x[3] - x[0], e);
  return std::atan2(dot(cross(b, a), e), norm(e) * dot(a, b));
}

bool counts(const PlateStencil& s, std::size_t f) {
  return s.rows[0][f] != 0 || s.rows[1][f] != 0 || s.rows[2][f] != 0;
}

// Where a point stands among the corners, which it joins where it is new.
int place_of(CellMesh::Corner point, std::vector<CellMesh::Corner>& corners) {
  const auto at = std::ranges::find(corners, point);
  const auto k = int(at - corners.begin());
  if (at == corners.end()) corners.push_back(point);
  return k;
}

}  // namespace

PlateWeights plate_weights(const Points& points, const PlateStencil& s) {
  PlateWeights all;
  for (std::size_t f = 0; f < PlatePatch::hinges; ++f) {
    if (!counts(s, f)) continue;
    const auto c = hinge_weights(hinge(points, s.patch, f));
    for (std::size_t k = 0; k < 4; ++k) {
      const auto at =
          std::size_t(place_of(s.patch.points[std::size_t(PlatePatch::corners[f][k])], all.points));
      all.weights.resize(all.points.size());
      for (std::size_t j = 0; j < 3; ++j) all.weights[at][j] += s.rows[j][f] * c[k];
    }
  }
  return all;
}

template <int N, int F>
void add_dihedral(const Points& rest, const PlateStencil& s, bool flat,
                  ConstraintList<pbd::DihedralPlate<N, F>>& list) {
  std::vector<CellMesh::Corner> points;
  std::array<Real, 5 * F> numbers{};
  for (std::size_t f = 0; f < std::size_t(F); ++f) {
    numbers[F + f] = Real(pbd::DihedralPlate<N, F>::none);
    if (!counts(s, f)) continue;
    int at[4];
    for (std::size_t k = 0; k < 4; ++k)
      at[k] = place_of(s.patch.points[std::size_t(PlatePatch::corners[f][k])], points);
    const auto x = hinge(rest, s.patch, f);
    numbers[f] = Real(flat ? 0 : angle(x));
    numbers[F + f] = Real(pbd::DihedralPlate<N, F>::code(at[0], at[1], at[2], at[3]));
    for (std::size_t j = 0; j < 3; ++j)
      numbers[(2 + j) * F + f] = Real(s.rows[j][f] * norm(x[1] - x[0]));
  }
  // The places left over are the first point's again, which no hinge there moves.
  auto& corners = list.corners.emplace_back();
  corners.fill(points[0]);
  std::ranges::copy(points, corners.begin());
  list.numbers.push_back(numbers);
}

bool bent(const Points& points, const std::vector<PlateStencil>& stencils) {
  return std::ranges::any_of(stencils, [&](const PlateStencil& s) {
    for (std::size_t f = 0; f < 3; ++f)
      if (s.patch.has(int(f)) && std::abs(angle(hinge(points, s.patch, f))) > 1e-3) return true;
    return false;
  });
}

template void add_dihedral(const Points&, const PlateStencil&, bool,
                           ConstraintList<pbd::NarrowDihedral>&);
template void add_dihedral(const Points&, const PlateStencil&, bool,
                           ConstraintList<pbd::WideDihedral>&);

}  // namespace rtsim
