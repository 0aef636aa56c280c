#include "deformables/plates/bends.h"

#include <fmt/format.h>

#include "deformables/plates/plate_constraints.h"

namespace rtsim {

namespace {

// Those with as many points as the law takes.
template <int N, bool curved>
void collect(const std::vector<Vec3d>& rest, const std::vector<PlateWeights>& all,
             ConstraintList<pbd::IsometricPlate<N, curved>>& list) {
  for (const PlateWeights& w : all)
    if (w.points.size() == std::size_t(N)) add_plate(rest, w, list);
}

}  // namespace

template <class Law>
void Bends::set(const ConstraintList<Law>& list) {
  if (!list.corners.empty())
    std::get<Set<Law>>(sets_).emplace(ex_, points_, list, order_, multipliers_);
}

Bends::Bends(const PositionBasedParams& p, const Resistances& r, World& world,
             const std::vector<Vec3d>& rest)
    : ex_(world.exec), points_(rest.size()), order_(p.order), multipliers_(r.multipliers) {
  if (!r.bend) return;
  const std::string& mesh = p.mesh.name;
  if (world.has_table(tet_table(mesh)) || !world.has_table(triangle_table(mesh)))
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is no mesh of triangles, which alone resist bending; leave "
                            "\"bending_stiffness\" at 0",
                            mesh));
  const auto stencils = plate_stencils(rest, intact_of<3>(world, triangle_table(mesh)));
  const bool flat = p.rest_shape == RestShape::flat || !bent(rest, stencils);
  std::vector<PlateWeights> weights;
  for (const PlateStencil& s : stencils) weights.push_back(plate_weights(rest, s));
  for (const PlateWeights& w : weights) corners_ += double(w.points.size());
  if (p.bending == BendModel::dihedral) {
    ConstraintList<pbd::NarrowDihedral> narrow;
    ConstraintList<pbd::WideDihedral> wide;
    for (const PlateStencil& s : stencils)
      s.wide() ? add_dihedral(rest, s, flat, wide) : add_dihedral(rest, s, flat, narrow);
    set(narrow), set(wide);
    return;
  }
#define RTSIM_SET_PLATES(n)                       \
  if (flat) {                                     \
    ConstraintList<pbd::FlatRestPlate<n>> list;   \
    collect(rest, weights, list);                 \
    share_numbers(list), set(list);               \
  } else {                                        \
    ConstraintList<pbd::CurvedRestPlate<n>> list; \
    collect(rest, weights, list), set(list);      \
  }
  RTSIM_PLATE_SIZES(RTSIM_SET_PLATES)
#undef RTSIM_SET_PLATES
}

void Bends::forget_multipliers() {
  each([](auto& set) {
    if (set) set->forget_multipliers();
  });
}

namespace {

template <class Law>
void project_set(std::optional<ConstraintSet<Law>>& set, const pbd::Softness& soft,
                 Span<Row4> place, const pbd::Told& told) {
  if (set) set->project(Law{soft}, place, told);
}

}  // namespace

void Bends::project(const pbd::Softness& soft, Span<Row4> place, const pbd::Told& told) {
  each([&](auto& set) { project_set(set, soft, place, told); });
}

void Bends::find_held(const std::vector<Real>& inverse_mass) {
  each([&](auto& set) {
    if (set) set->find_held(inverse_mass);
  });
}

namespace {

template <class Law>
void add_sums(const Exec&, const std::optional<ConstraintSet<Law>>&, Span<const Vec<3>>,
              Span<const Real>, pbd::BentSums&) {}
template <int N, bool curved>
void add_sums(const Exec& ex,
              const std::optional<ConstraintSet<pbd::IsometricPlate<N, curved>>>& set,
              Span<const Vec<3>> position, Span<const Real> inverse_mass, pbd::BentSums& all) {
  if (!set) return;
  const pbd::BentSums more = pbd::bent_sums(ex, set->constant_rows(), position, inverse_mass);
  all.squares += more.squares, all.weighted += more.weighted, all.gradients += more.gradients;
}

}  // namespace

pbd::BentSums Bends::sums(Span<const Vec<3>> position, Span<const Real> inverse_mass) const {
  pbd::BentSums all;
  std::apply([&](const auto&... set) { (add_sums(ex_, set, position, inverse_mass, all), ...); },
             sets_);
  return all;
}

}  // namespace rtsim
