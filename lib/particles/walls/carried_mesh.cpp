#include "particles/walls/carried_mesh.h"

#include <algorithm>

#include "bodies/fluid_push.h"

namespace rtsim {

CarriedMesh::CarriedMesh(World& world, const std::string& mesh, const std::string& fluid)
    : mesh_(mesh),
      fluid_(fluid),
      samples_(world, mesh, fluid),
      velocity_(world.exec, std::size_t(world.table(mesh).rows())),
      other_(world.exec) {}

skin::PointMobility CarriedMesh::mobility(World& world) {
  return {samples_.shares(),
          world.table(mesh_).column<const Real>("inverse_mass"),
          velocity_.span(),
          {}};
}

void CarriedMesh::begin(World& world, double dt, double h, Index first) {
  first_ = first;
  const auto now = world.table(mesh_).column<const Vec<3>>("velocity");
  world.exec.copy(velocity_.data(), now.data, velocity_.size() * sizeof(Vec<3>));
  other_.upload(FluidPush<3>::find(world, mesh_, fluid_)->other_accelerations(world, dt).velocity);
  h_ = h, ahead_ = 0;
  carry(world, dt);
}

void CarriedMesh::push(World& world, Span<const Index> places, Span<const Row4> force) {
  const Index samples = samples_.shares().bindings.size;
  skin::push_points(world.exec, mobility(world), Real(h_),
                    Span<const Index>{places.data + first_, samples}, force);
}

void CarriedMesh::carry(World& world, double ahead) {
  const double elapsed = std::max(0.0, ahead_ - ahead);
  const skin::PointMobility y = mobility(world);
  if (elapsed > 0)
    skin::let_fall(world.exec, Real(elapsed), world.gravity_vector<3>(), other_.span(), y);
  Table& t = world.table(sample_table(mesh_, fluid_));
  skin::drift_samples(world.exec, y, Real(ahead_), Real(elapsed + ahead),
                      t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity"));
  ahead_ = ahead;
}

}  // namespace rtsim
