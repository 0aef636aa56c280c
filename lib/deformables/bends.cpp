#include "deformables/bends.h"

#include <fmt/format.h>

namespace rtsim {

Bends::Bends(const PositionBasedParams& p, const Resistances& r, World& world,
             const std::vector<Vec3d>& rest) {
  if (!r.bend) return;
  const std::string& mesh = p.mesh.name;
  if (world.has_table(tet_table(mesh)) || !world.has_table(triangle_table(mesh)))
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is no mesh of triangles, which alone resist bending; leave "
                            "\"bending_stiffness\" at 0",
                            mesh));
  const auto hinges = hinges_of(intact_of<3>(world, triangle_table(mesh)));
  const auto set = [&](auto& into, const auto& list) {
    into.emplace(world.exec, rest.size(), list, p.order, r.multipliers);
  };
  if (p.bending == BendModel::dihedral)
    set(dihedral_, dihedral_bends(rest, hinges, p.rest_shape));
  else if (p.rest_shape == RestShape::as_built && curved(rest, hinges))
    set(curved_, curved_bends(rest, hinges));
  else
    set(flat_, flat_bends(rest, hinges));
}

void Bends::forget_multipliers() {
  each([](auto& set, auto) { set.forget_multipliers(); });
}

void Bends::project(const pbd::Softness& soft, Span<Row4> place) {
  each([&](auto& set, auto law) {
    law.soft = soft;
    set.project(law, place);
  });
}

}  // namespace rtsim
