#include "couplers/sph_rigid.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bodies/named_bodies.h"
#include "rigid/body.h"

namespace rtsim {

void describe(Describe& d, SphRigidParams& p) {
  static constexpr const char *fluids[] = {"particles"}, *bodies[] = {"bodies"};
  d.role("fluid", p.fluid, fluids, "What pushes.");
  d.role("bodies", p.bodies, bodies, "What is pushed; the fluid's stage names them too.");
}

namespace {

// Forces of the fluid on samples x_b, times its step, are momentum that its rows gave away there;
// here the bodies get it, and what it was about the origin:
//   F = sum_b f_b,  T = sum_b x_b x f_b - y x F,  y = x + dt v / 2 + dt^2 g / 6
// F acts at the centre of mass while that moves through the step, on a parabola that has its mean
// at y (but for F's own part, which is along F); so with T about y angular momentum of both
// together is kept. The price is an arm: the fluid saw the body up to a step and a half behind y.
template <int D>
class SphRigid final : public Stage {
 public:
  SphRigid(const SphRigidParams& p, World& world) : p_(p) {
    if (!world.has_table(forces()))
      throw Error(
          ExitCode::bad_input,
          fmt::format("nothing says how '{}' pushes '{}': put the fluid's stage in front of "
                      "this one, and name '{}' in its \"boundary\"",
                      p.fluid.name, p.bodies.name, p.bodies.name));
  }

  void advance(World& world, const Step& step) override {
    Table &on = world.table(forces()), &bodies = world.table(p_.bodies.name);
    const auto f = on.download<VecT<double, D>>("force");
    const auto t = on.download<Torque>("torque");
    const auto x = bodies.download<Vec<D>>("position"), v = bodies.download<Vec<D>>("velocity");
    auto force = bodies.download<Vec<D>>("force");
    auto torque = bodies.download<rigid::Angular<D>>("torque");
    const Vec3d g{{world.gravity[0], world.gravity[1], world.gravity[2]}};
    for (std::size_t b = 0; b < f.size(); ++b) {
      const Vec3d y = widen(x[b]) + step.dt / 2 * widen(v[b]) + step.dt * step.dt / 6 * g;
      const Vec3d at = cross(y, widen(f[b]));
      for (int a = 0; a < D; ++a) force[b][a] += Real(f[b][a]);
      for (int a = 0; a < turns; ++a) torque[b][a] += Real(t[b][a] - at[a + 3 - turns]);
    }
    world.exec.upload(bodies.column<Vec<D>>("force").data, force.data(),
                      force.size() * sizeof force[0]);
    world.exec.upload(bodies.column<rigid::Angular<D>>("torque").data, torque.data(),
                      torque.size() * sizeof torque[0]);
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    measure_named(world, p_.bodies.name, out);
  }

  // The fluid's push is passed on once: as if it were written, so that no other stage may do so
  // too.
  std::vector<ColumnUse> uses() const override {
    return {{forces(), "force", Access::write},
            {p_.bodies.name, "force", Access::add},
            {p_.bodies.name, "torque", Access::add}};
  }

 private:
  static constexpr int turns = D == 2 ? 1 : 3;
  using Torque = VecT<double, turns>;

  std::string forces() const { return force_table(p_.bodies.name, p_.fluid.name); }

  SphRigidParams p_;
};

std::unique_ptr<Stage> make_sph_rigid(const SphRigidParams& p, World& world) {
  if (world.dim == 2) return std::make_unique<SphRigid<2>>(p, world);
  return std::make_unique<SphRigid<3>>(p, world);
}

}  // namespace

StageType sph_rigid_type() {
  return stage_type(
      "sph_rigid", "Lets a particle fluid push the bodies that stand in it.",
      "Akinci et al., \"Versatile Rigid-Fluid Coupling for Incompressible SPH\", SIGGRAPH 2012, "
      "eqs. 9-13",
      "Comes behind the fluid's stage, which names the bodies in its \"boundary\", and before the "
      "bodies' own. Weak: for a step the fluid sees bodies where they were at its start, with the "
      "velocities they had, and they feel its mean push at its end. A fluid that does not compress "
      "resists at once, so bodies much lighter than the water they move tremble in dfsph, iisph "
      "and pcisph. The torque that comes with a push is about the body's mean place in the step, "
      "so what passes by the fluid that pushes it may be spun by up to a lever of one and a half "
      "steps of its way. Bodies float where they displace their own mass of the fluid as it stands "
      "beside "
      "them; docs/floating_bodies.md says how right with each solver. What stays on a flat top "
      "weighs.",
      make_sph_rigid);
}

}  // namespace rtsim
