#include "solvers/mass_spring_network.h"

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
    : first_(world.exec), slots_(world.exec), damping_(Real(p.damping)) {
  const Collect all(p, world, rest);
  const Slices slices = sliced(all.points(), all.springs);
  first_.upload(slices.first);
  slots_.upload(slices.slots);
  springs_ = Index(all.springs.size());
}

}  // namespace rtsim
