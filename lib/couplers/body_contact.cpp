#include "couplers/body_contact.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bodies/body_tie.h"
#include "bodies/named_bodies.h"
#include "deformables/contacts/contact.h"
#include "rigid/body.h"

namespace rtsim {

void describe(Describe& d, BodyContactParams& p) {
  static constexpr const char *meshes[] = {"mesh"}, *bodies[] = {"bodies"};
  d.role("mesh", p.mesh, meshes, "What pushes, and is pushed by its solver's contact.");
  d.role("bodies", p.bodies, bodies,
         "What it pushes; the mesh's solver names them in its \"boundary\".");
}

// Of the mesh, whose solver has this scratch because of the bodies.
double row_bytes(const BodyContactParams&, const GridShape&) { return body_contact_point_bytes; }

namespace {

// The contact of a mesh gives its points the impulses J_i at x_i in a step dt; the bodies get the
// opposite, as the kick K and, through the step, the force that contact found to bring them where
// it saw them (contact_bodies.h):
//   V += K,  F = -1/dt sum J_i - M K/dt,
// and so on for what turns them.
class BodyContact final : public Stage {
 public:
  BodyContact(const BodyContactParams& p, World& world)
      : p_(p),
        contacts_(world.has_table(forces())),
        ties_(BodyTie::between(world, p.bodies.name, p.mesh.name)) {
    if (!contacts_ && ties_.empty())
      throw Error(
          ExitCode::bad_input,
          fmt::format("nothing says how '{0}' pushes '{1}': put the solver of '{0}' in front "
                      "of this one, and name '{1}' in its \"boundary\", or \"tie\" points by "
                      "\"attach\"",
                      p.mesh.name, p.bodies.name));
    for (const BodyTie& tie : ties_) tie.promise(world);
  }

  void advance(World& world, const Step& step) override {
    for (const BodyTie& tie : ties_) tie.give(world, step.dt);
    if (!contacts_) return;
    add(world, "kick", "velocity"), add(world, "spin_kick", "angular_velocity");
    add(world, "steady_force", "force"), add(world, "steady_torque", "torque");
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    Vec3d sum;
    for (const BodyTie& tie : ties_) sum = sum + tie.pull(world);
    if (contacts_)
      for (const Vec3d& f : world.table(forces()).download<Vec3d>("force")) sum = sum + f;
    const char* const axes[] = {".push.x", ".push.y", ".push.z"};
    for (int a = 0; a < 3; ++a) out.push_back({p_.bodies.name + axes[a], sum[a], "N"});
    measure_named(world, p_.bodies.name, out);
  }

  // The push is passed on once: as if it were written, so that no other stage may do so too.
  std::vector<ColumnUse> uses() const override {
    std::vector<ColumnUse> all{{p_.bodies.name, "velocity", Access::add},
                               {p_.bodies.name, "angular_velocity", Access::add},
                               {p_.bodies.name, "force", Access::add},
                               {p_.bodies.name, "torque", Access::add}};
    if (contacts_) all.push_back({forces(), "force", Access::write});
    return all;
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

  BodyContactParams p_;
  bool contacts_;  // the mesh knows them by its contact
  std::vector<BodyTie> ties_;
};

std::unique_ptr<Stage> make_body_contact(const BodyContactParams& p, World& world) {
  return std::make_unique<BodyContact>(p, world);
}

}  // namespace

StageType body_contact_type() {
  return stage_type(
      "body_contact",
      "Lets ropes, cloth and soft bodies push the rigid bodies that they touch or are tied to.",
      "own; contact after Bridson, Fedkiw & Anderson, \"Robust Treatment of Collisions, Contact "
      "and "
      "Friction for Cloth Animation\", SIGGRAPH 2002",
      {"Every mesh point looks at every body: for tens of bodies, not for thousands.",
       "Bodies wedged between stiff cloth and something else tremble at long steps.",
       "A heavy body sinks through light cloth, unless cloth_implicit or more substeps hold it."},
      "docs/cloth_and_soft_bodies.md", make_body_contact);
}

}  // namespace rtsim
