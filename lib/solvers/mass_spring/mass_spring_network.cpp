#include "solvers/mass_spring/mass_spring_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "meshes/springs.h"

namespace rtsim {

namespace {

struct Spring {
  CellMesh::Edge ends;
  double stiffness, rest;
};

// The springs one after the other, those without stiffness left out.
class Collect {
 public:
  Collect(const MassSpringParams& p, World& world, const std::vector<Vec<3>>& rest)
      : p_(p), position_(rest) {
    const Object& mesh = world.object(p.mesh.name);
    const SpringNetwork n = p.network == SpringLayout::cloth ? cloth_springs(world, mesh)
                                                             : edge_springs(world, mesh.name);
    add(n.structural, p.stiffness);
    add(n.shear, p.shear_stiffness.value_or(p.stiffness));
    add(n.flexion, p.flexion_stiffness.value_or(p.stiffness));
  }

  std::vector<Spring> springs;
  std::size_t points() const { return position_.size(); }

 private:
  void add(const std::vector<CellMesh::Edge>& edges, double stiffness) {
    if (stiffness == 0 && p_.damping == 0) return;
    for (const CellMesh::Edge& e : edges) {
      const double length = norm(widen(position_[std::size_t(e[1])]) -  //
                                 widen(position_[std::size_t(e[0])]));
      const double rest = p_.rest_scale * length;
      if (p_.law == SpringLaw::relative && !(rest > 0))
        throw Error(ExitCode::bad_input,
                    fmt::format("the spring from point {} to {} of '{}' has no length at rest, so "
                                "its stiffness over length has no value; take \"law\": "
                                "\"absolute\", or part the points",
                                e[0], e[1], p_.mesh.name));
      springs.push_back({e, p_.law == SpringLaw::relative ? stiffness / rest : stiffness, rest});
    }
  }

  const MassSpringParams& p_;
  const std::vector<Vec<3>>& position_;
};

// The springs of every point in order, eight points side by side.
struct Slices {
  std::vector<Index> first;
  std::vector<mass_spring::Slot> slots;
};

Slices sliced(std::size_t points, const std::vector<Spring>& springs) {
  const std::size_t wide = lane_count, slices = (points + wide - 1) / wide;
  std::vector<Index> degree(slices * wide);
  for (const Spring& s : springs)
    ++degree[std::size_t(s.ends[0])], ++degree[std::size_t(s.ends[1])];
  Slices all{std::vector<Index>(slices + 1), {}};
  for (std::size_t i = 0; i < degree.size(); ++i)
    all.first[i / wide + 1] = std::max(all.first[i / wide + 1], degree[i]);
  for (std::size_t s = 0; s < slices; ++s) all.first[s + 1] += all.first[s];
  all.slots.resize(std::size_t(all.first.back()));
  for (std::size_t s = 0; s < slices; ++s)
    for (Index e = all.first[s]; e < all.first[s + 1]; ++e)
      for (std::size_t l = 0; l < wide; ++l)
        all.slots[std::size_t(e)].other[l] = Index(std::min(s * wide + l, points - 1));
  std::vector<Index> used(points);
  for (const Spring& s : springs)
    for (const std::size_t end : {std::size_t(0), std::size_t(1)}) {
      const auto i = std::size_t(s.ends[end]);
      mass_spring::Slot& slot = all.slots[std::size_t(all.first[i / wide] + used[i]++)];
      slot.other[i % wide] = s.ends[1 - end];
      slot.stiffness[i % wide] = Real(s.stiffness), slot.rest[i % wide] = Real(s.rest);
    }
  return all;
}

}  // namespace

SpringBuffers::SpringBuffers(const MassSpringParams& p, World& world,
                             const std::vector<Vec<3>>& rest)
    : first_(world.exec),
      slots_(world.exec),
      damping_(Real(p.damping)),
      plates_(world.exec),
      isotropic_(world.exec),
      bounds_(world.exec),
      groups_(world.exec, 0, {}),
      apart_(world.exec),
      bending_apart_(world.exec) {
  const Collect all(p, world, rest);
  const Slices slices = sliced(all.points(), all.springs);
  first_.upload(slices.first);
  slots_.upload(slices.slots);
  springs_ = Index(all.springs.size());
  if (is_implicit(p.integrator)) {
    std::vector<CellMesh::Edge> ends;
    for (const Spring& s : all.springs) ends.push_back(s.ends);
    groups_ = Groups(world.exec, all.points(), ends);
    apart_.upload(groups_.apart(slices.first, slices.slots));
  }
  if (p.bending_stiffness > 0) bend(p, world, rest);
}

void SpringBuffers::bend(const MassSpringParams& p, World& world, const std::vector<Vec<3>>& rest) {
  const std::string& mesh = p.mesh.name;
  if (world.has_table(tet_table(mesh)) || !world.has_table(triangle_table(mesh)))
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is no mesh of triangles, which alone resist bending; leave "
                            "\"bending_stiffness\" at 0",
                            mesh));
  std::vector<Vec3d> points;
  for (const Vec<3>& x : rest) points.push_back(widen(x));
  const PlatePatches patches(points, intact_of<3>(world, triangle_table(mesh)), false);
  plates_ = PlateBuffers(world.exec, patches, p.bending_stiffness);
  if (is_implicit(p.integrator)) {
    isotropic_ =
        IsotropicBuffers(world.exec, points.size(), [&](std::size_t i) { return patches.row(i); });
    bending_apart_.upload(isotropic_.apart(groups_));
    return;
  }
  std::vector<Real> bounds;
  for (std::size_t i = 0; i < points.size(); ++i)
    bounds.push_back(Real(p.bending_stiffness * patches.row_bound(i)));
  bounds_.upload(bounds);
}

void SpringBuffers::invert_levels(const Exec& ex, const mass_spring::System& A,
                                  Span<const Row4> filter) {
  if (groups_.levels() == 0) return;
  mass_spring::sum_outside(
      ex, A, {groups_.levels(), apart_.span(), bending_apart_.span(), filter, groups_.outside()});
  groups_.invert(ex, filter, A.inertia);
}

}  // namespace rtsim
