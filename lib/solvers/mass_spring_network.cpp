#include "solvers/mass_spring_network.h"

#include <fmt/format.h>

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
  Collect(const MassSpringParams& p, World& world)
      : p_(p), position_(world.table(p.mesh.name).download<Vec<3>>("position")) {
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
  std::vector<Vec<3>> position_;
};

}  // namespace

SpringBuffers::SpringBuffers(const MassSpringParams& p, World& world)
    : first_(world.exec), halves_(world.exec), damping_(Real(p.damping)) {
  const Collect all(p, world);
  std::vector<Index> first(all.points() + 1);
  for (const Spring& s : all.springs)
    for (const Index end : s.ends) ++first[std::size_t(end) + 1];
  for (std::size_t i = 0; i < all.points(); ++i) first[i + 1] += first[i];
  std::vector<mass_spring::Half> halves(2 * all.springs.size());
  std::vector<Index> next(first.begin(), first.end() - 1);
  for (const Spring& s : all.springs)
    for (const std::size_t end : {std::size_t(0), std::size_t(1)})
      halves[std::size_t(next[std::size_t(s.ends[end])]++)] = {s.ends[1 - end], Real(s.stiffness),
                                                               Real(s.rest)};
  first_.upload(first);
  halves_.upload(halves);
}

}  // namespace rtsim
