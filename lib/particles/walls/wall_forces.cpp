#include "particles/walls/wall_forces.h"

namespace rtsim {

namespace {

template <int D>
using Force = VecT<double, D>;
template <int D>
using Torque = VecT<double, D == 2 ? 1 : 3>;
template <int D>
constexpr int first_axis = D == 2 ? 2 : 0;  // of torques

}  // namespace

template <int D>
void add_force_table(World& world, const std::string& boundary, const std::string& fluid) {
  const Index owners =
      world.object(boundary).kind == Kind::bodies ? world.table(boundary).rows() : 1;
  Table& t = world.add_table(force_table(boundary, fluid), owners);
  t.add<Force<D>>({"force", "N"});
  t.add<Torque<D>>({"torque", "N m"});
}

template <int D>
void write_forces(World& world, const std::string& boundary, const std::string& fluid,
                  const std::vector<sph::ForceAndTorque>& owners, double scale) {
  std::vector<Force<D>> force(owners.size());
  std::vector<Torque<D>> torque(owners.size());
  for (std::size_t o = 0; o < owners.size(); ++o) {
    for (int a = 0; a < D; ++a) force[o][a] = scale * owners[o].force[a];
    for (int a = first_axis<D>; a < 3; ++a)
      torque[o][a - first_axis<D>] = scale * owners[o].torque[a];
  }
  Table& t = world.table(force_table(boundary, fluid));
  world.exec.upload(t.column<Force<D>>("force").data, force.data(), force.size() * sizeof force[0]);
  world.exec.upload(t.column<Torque<D>>("torque").data, torque.data(),
                    torque.size() * sizeof torque[0]);
}

template <int D>
sph::ForceAndTorque read_forces(World& world, const std::string& boundary,
                                const std::string& fluid) {
  Table& t = world.table(force_table(boundary, fluid));
  sph::ForceAndTorque sum;
  for (const Force<D>& f : t.download<Force<D>>("force"))
    for (int a = 0; a < D; ++a) sum.force[a] += f[a];
  for (const Torque<D>& m : t.download<Torque<D>>("torque"))
    for (int a = first_axis<D>; a < 3; ++a) sum.torque[a] += m[a - first_axis<D>];
  return sum;
}

#define RTSIM_INSTANTIATE(D)                                                        \
  template void add_force_table<D>(World&, const std::string&, const std::string&); \
  template void write_forces<D>(World&, const std::string&, const std::string&,     \
                                const std::vector<sph::ForceAndTorque>&, double);   \
  template sph::ForceAndTorque read_forces<D>(World&, const std::string&, const std::string&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)
#undef RTSIM_INSTANTIATE

}  // namespace rtsim
