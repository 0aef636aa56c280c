#include "particles/yielding_mesh.h"

#include "bodies/fluid_push.h"

namespace rtsim {

YieldingMesh::YieldingMesh(World& world, const std::string& mesh, const std::string& fluid)
    : YieldingSolid<3>(world, mesh, fluid),
      carried_(world, mesh, fluid),
      velocity_(world.exec, std::size_t(world.table(mesh).rows())),
      other_(world.exec),
      gained_(world.exec, velocity_.size()),
      pulled_(world.exec, velocity_.size()) {}

void YieldingMesh::load(World& world, double dt) {
  const auto now = world.table(solid_).column<const Vec<3>>("velocity");
  world.exec.copy(velocity_.data(), now.data, velocity_.size() * sizeof(Vec<3>));
  other_.upload(FluidPush<3>::find(world, solid_, fluid_)->other_accelerations(world, dt).velocity);
}

skin::PointMobility YieldingMesh::mobility(World& world, const SphFluid<3>& fluid) {
  return {carried_.shares(), world.table(solid_).column<const Real>("inverse_mass"),
          velocity_.span(), places(fluid)};
}

void YieldingMesh::aim(World& world, SphFluid<3>& fluid, double h, double lead) {
  Table& t = samples(world);
  const skin::PointMobility y = mobility(world, fluid);
  skin::predict_points(world.exec, Real(h), world.gravity_vector<3>(), other_.span(), y);
  skin::aim_samples(world.exec, y, t.column<const Vec<3>>("position"),
                    t.column<const Vec<3>>("velocity"), Real(lead), Real(1 / h),
                    fluid.walls().cells.rows, fluid.wall_motion());
}

void YieldingMesh::apply_impulses(World& world, SphFluid<3>& fluid, double h) {
  skin::apply_impulses(world.exec, mobility(world, fluid), Real(h), push(), gained_.span(),
                       fluid.wall_motion());
}

void YieldingMesh::find_mobility_bound(World& world, const SphFluid<3>& fluid, Span<Real> bound) {
  skin::find_mobility_bound(world.exec, mobility(world, fluid), fluid.medium.mass, push(),
                            pulled_.span(), bound);
}

void YieldingMesh::move(World& world, SphFluid<3>& fluid, double h, double ahead) {
  Table& t = samples(world);
  const skin::PointMobility y = mobility(world, fluid);
  skin::carry_samples(world.exec, y, fluid.walls().cells.rows, fluid.wall_motion(), Real(h),
                      Real(ahead), t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity"));
  skin::move_on(world.exec, Real(h), world.gravity_vector<3>(), y);
}

}  // namespace rtsim
