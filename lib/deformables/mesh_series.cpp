#include "deformables/mesh_series.h"

#include <fmt/format.h>

#include "pbd/measures.h"
#include "pbd/motion.h"

namespace rtsim {

void measure_motion(World& world, const std::string& mesh, std::vector<Measurement>& out) {
  Table& t = world.table(mesh);
  const pbd::Sums s =
      pbd::sums(world.exec, world.gravity_vector<3>(), t.column<const Real>("mass"),
                t.column<const Vec<3>>("position"), t.column<const Vec<3>>("velocity"));
  out.push_back({mesh + ".kinetic_energy", s.kinetic, "J"});
  out.push_back({mesh + ".potential_energy", s.potential, "J"});
  out.push_back({mesh + ".mass", s.mass, "kg"});
  for (int a = 0; a < 3; ++a)
    out.push_back({mesh + ".momentum." + "xyz"[a], s.momentum[a], "kg m/s"});
  for (int a = 0; a < 3; ++a)
    out.push_back({mesh + ".angular_momentum." + "xyz"[a], s.angular_momentum[a], "kg m^2/s"});
}

std::vector<ColumnUse> uses_of_mesh(const std::string& mesh) {
  return {{mesh, "position", Access::write},
          {mesh, "velocity", Access::write},
          {mesh, "inverse_mass", Access::read},
          {mesh, "target", Access::read}};
}

void watch_velocities(World& world, const std::string& mesh, const std::string& remedy) {
  const Index astray =
      pbd::first_astray(world.exec, world.table(mesh).column<const Vec<3>>("velocity"));
  if (astray >= 0)
    throw Diverged(
        fmt::format("velocity of row {} of '{}' is not finite; {}", astray, mesh, remedy));
}

}  // namespace rtsim
