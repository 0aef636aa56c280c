#include "deformables/steady_pushes.h"

#include "bodies/fluid_push.h"
#include "skin/shares.h"

namespace rtsim {

SteadyPushes::SteadyPushes(World& world, std::string mesh) : mesh_(std::move(mesh)) {
  if (world.dim != 3) return;
  for (const Object& o : world.objects) {
    const auto push = FluidPush<3>::find(world, mesh_, o.name);
    if (!push) continue;
    push->take_steady(world);
    if (push->steady(world)) tables_.push_back(force_table(mesh_, o.name));
  }
}

void SteadyPushes::act(World& world, double h) const {
  Table& points = world.table(mesh_);
  for (const std::string& table : tables_)
    skin::kick(world.exec, Real(h), world.table(table).column<const Vec3d>("force"),
               points.column<const Real>("inverse_mass"), points.column<Vec<3>>("velocity"), {});
}

}  // namespace rtsim
