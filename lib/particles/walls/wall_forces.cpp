#include "particles/walls/wall_forces.h"

#include "bodies/fluid_push.h"

namespace rtsim {

namespace {

template <int D>
constexpr int first_axis = D == 2 ? 2 : 0;  // of torques

}  // namespace

template <int D>
void write_forces(World& world, const std::string& boundary, const std::string& fluid,
                  const std::vector<sph::ForceAndTorque>& owners, double scale) {
  std::vector<typename FluidPush<D>::Force> force(owners.size());
  std::vector<typename FluidPush<D>::Torque> torque(owners.size());
  for (std::size_t o = 0; o < owners.size(); ++o) {
    for (int a = 0; a < D; ++a) force[o][a] = scale * owners[o].force[a];
    for (int a = first_axis<D>; a < 3; ++a)
      torque[o][a - first_axis<D>] = scale * owners[o].torque[a];
  }
  FluidPush<D>::find(world, boundary, fluid)->write(world, force, torque);
}

template <int D>
sph::ForceAndTorque read_forces(World& world, const std::string& boundary,
                                const std::string& fluid) {
  const auto push = FluidPush<D>::find(world, boundary, fluid);
  sph::ForceAndTorque sum;
  for (const auto& f : push->force(world))
    for (int a = 0; a < D; ++a) sum.force[a] += f[a];
  for (const auto& m : push->torque(world))
    for (int a = first_axis<D>; a < 3; ++a) sum.torque[a] += m[a - first_axis<D>];
  return sum;
}

#define RTSIM_INSTANTIATE(D)                                                      \
  template void write_forces<D>(World&, const std::string&, const std::string&,   \
                                const std::vector<sph::ForceAndTorque>&, double); \
  template sph::ForceAndTorque read_forces<D>(World&, const std::string&, const std::string&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)
#undef RTSIM_INSTANTIATE

}  // namespace rtsim
