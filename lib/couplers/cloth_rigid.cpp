#include "couplers/cloth_rigid.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bodies/named_bodies.h"
#include "rigid/body.h"

namespace rtsim {

void describe(Describe& d, ClothRigidParams& p) {
  static constexpr const char *meshes[] = {"mesh"}, *bodies[] = {"bodies"};
  d.role("mesh", p.mesh, meshes, "What pushes, and is pushed by its solver's contact.");
  d.role("bodies", p.bodies, bodies,
         "What it pushes; the mesh's solver names them in its \"boundary\".");
}

namespace {

// The contact of a mesh changes the momentum of its points by J_i, at x_i, in a step dt; the bodies
// get the opposite,
//   F = -1/dt sum_i J_i,  T = -1/dt sum_i (x_i - x) x J_i
// about the centre of mass x at the step's start.
class ClothRigid final : public Stage {
 public:
  ClothRigid(const ClothRigidParams& p, World& world) : p_(p) {
    if (!world.has_table(forces()))
      throw Error(
          ExitCode::bad_input,
          fmt::format("nothing says how '{0}' pushes '{1}': put the solver of '{0}' in front "
                      "of this one, and name '{1}' in its \"boundary\"",
                      p.mesh.name, p.bodies.name));
  }

  void advance(World& world, const Step&) override {
    add(world, "force", "force"), add(world, "own_torque", "torque");
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    Vec3d sum;
    for (const Vec3d& f : world.table(forces()).download<Vec3d>("force")) sum = sum + f;
    const char* const axes[] = {".push.x", ".push.y", ".push.z"};
    for (int a = 0; a < 3; ++a) out.push_back({p_.bodies.name + axes[a], sum[a], "N"});
    measure_named(world, p_.bodies.name, out);
  }

  // The push is passed on once: as if it were written, so that no other stage may do so too.
  std::vector<ColumnUse> uses() const override {
    return {{forces(), "force", Access::write},
            {p_.bodies.name, "force", Access::add},
            {p_.bodies.name, "torque", Access::add}};
  }

 private:
  std::string forces() const { return force_table(p_.bodies.name, p_.mesh.name); }

  void add(World& world, const char* from, const char* column) const {
    Table& bodies = world.table(p_.bodies.name);
    const auto push = world.table(forces()).download<Vec3d>(from);
    auto to = bodies.download<Vec<3>>(column);
    for (std::size_t b = 0; b < to.size(); ++b) to[b] = narrow<3>(widen(to[b]) + push[b]);
    world.exec.upload(bodies.column<Vec<3>>(column).data, to.data(), to.size() * sizeof to[0]);
  }

  ClothRigidParams p_;
};

std::unique_ptr<Stage> make_cloth_rigid(const ClothRigidParams& p, World& world) {
  return std::make_unique<ClothRigid>(p, world);
}

}  // namespace

StageType cloth_rigid_type() {
  return stage_type(
      "cloth_rigid", "Lets ropes, cloth and soft bodies push the rigid bodies that they touch.",
      "own; contact after Bridson, Fedkiw & Anderson, \"Robust Treatment of Collisions, Contact "
      "and "
      "Friction for Cloth Animation\", SIGGRAPH 2002",
      "Comes behind the mesh's solver, which names the bodies in its "
      "\"boundary\", and before the "
      "bodies' own stage. Weak: points meet bodies where their velocities take them within the "
      "step "
      "and give way, so that nothing heavy falls through; bodies feel their mean push. Bodies much "
      "lighter than the points that they touch, or tied up in stiff cloth at long steps, tremble. "
      "Points hold a body as hard as m / h^2 of substeps h, but for cloth_implicit, whose solve "
      "knows what points touch: take substeps in which that is much stiffer than the cloth. "
      "Angular "
      "momentum of both together is kept but for F times the way of a step. Held points do not "
      "feel "
      "bodies, nor push them. Every point looks at every body: this is for tens of bodies, not for "
      "thousands.",
      make_cloth_rigid);
}

}  // namespace rtsim
