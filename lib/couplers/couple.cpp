#include "couplers/couple.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bodies/fluid_push.h"
#include "bodies/named_bodies.h"
#include "couplers/couple_mesh.h"
#include "lanes/row4.h"
#include "rigid/motion/inverse_inertia.h"

namespace rtsim {

void describe(Describe& d, CoupleParams& p) {
  static constexpr const char *fluids[] = {"particles", "grid", "height_field"},
                              *solids[] = {"bodies", "mesh"};
  d.role("fluid", p.fluid, fluids, "What pushes.");
  d.role("solid", p.solid, solids,
         "What is pushed; the fluid's stage names it in \"boundary\" too.");
  static constexpr Option couplings[] = {
      {"strong", int(Coupling::strong),
       "while the fluid's pressure is looked for, where its stage can"},
      {"weak", int(Coupling::weak), "at the step's end"}};
  d.choice("coupling", p.coupling, couplings, "When solids answer to pushes:");
}

BoundaryMemory boundary_memory(const CoupleParams& p, int) {
  BoundaryMemory m{.fluid = p.fluid.name, .boundaries = {p.solid.name}};
  if (p.coupling == Coupling::strong)
    m.sample_bytes = sizeof(Row4) + sizeof(Real);  // force, mobility bound
  return m;
}

namespace {

// What the fluid gave to surfaces, forces f_b at x_b times its step, the bodies get here, and what
// it was about the origin:
//   F = sum_b f_b,  T = sum_b x_b x f_b - y x F,  y = x + dt v / 2 + dt^2 g / 6
// F acts at the centre of mass while that moves through the step, on a parabola that has its mean
// at y (but for F's own part, which is along F); so with T about y angular momentum of both
// together is kept. The price is an arm: the fluid saw the body up to a step and a half behind y.
//
// A fluid that moved bodies by the pressure of its n substeps did so with velocities that had
// 1, 2, .. n of n pushes; a constant force does that which gives 1/n of its impulse at once, about
// x, and the rest throughout.
template <int D>
class Couple final : public Stage {
 public:
  Couple(const CoupleParams& p, World& world)
      : p_(p),
        push_(found(p, world)),
        strong_(p.coupling == Coupling::strong && push_.offers_strong(world)) {
    if (strong_) push_.accept_strong(world);
  }

  void advance(World& world, const Step& step) override {
    Table& table = world.table(p_.solid.name);
    const auto f = push_.force(world);
    const auto t = push_.torque(world);
    const std::vector<Real> at_start =
        strong_ ? push_.part_at_start(world) : std::vector<Real>(f.size());
    State b(table);
    typename FluidPush<D>::Motion expected;
    const Vec3d g{{world.gravity[0], world.gravity[1], world.gravity[2]}};
    for (std::size_t o = 0; o < f.size(); ++o) {
      const double share = double(at_start[o]);
      if (share > 0) b.kick(o, share * step.dt, f[o], about(t[o], b.position[o], f[o]));
      const Vec3d y =
          FluidPush<D>::mean_place(widen(b.position[o]), widen(b.velocity[o]), world, step.dt);
      const Torque rest = about(t[o], y, f[o]);
      b.load(o, 1 - share, f[o], rest);
      if (strong_) b.expect(expected, o, (1 - share) * step.dt, f[o], rest, step.dt * g);
    }
    b.store(world.exec, table);
    if (strong_) push_.expect(world, expected);
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    measure_named(world, p_.solid.name, out);
  }

  // The fluid's push is passed on once: as if it were written, so that no other stage may do so
  // too.
  std::vector<ColumnUse> uses() const override {
    return {{force_table(p_.solid.name, p_.fluid.name), "force", Access::write},
            {p_.solid.name, "force", Access::add},
            {p_.solid.name, "torque", Access::add},
            {p_.solid.name, "velocity", Access::add},
            {p_.solid.name, "angular_velocity", Access::add}};
  }

 private:
  static constexpr int turns = FluidPush<D>::turns;
  using Torque = typename FluidPush<D>::Torque;
  using Angular = rigid::Angular<D>;

  static FluidPush<D> found(const CoupleParams& p, World& world) {
    if (const auto push = FluidPush<D>::find(world, p.solid.name, p.fluid.name)) return *push;
    throw Error(ExitCode::bad_input,
                fmt::format("nothing says how '{}' pushes '{}': put the fluid's stage in front of "
                            "this one, and name '{}' in its \"boundary\"",
                            p.fluid.name, p.solid.name, p.solid.name));
  }

  // The columns of bodies, on the host.
  struct State {
    std::vector<Vec<D>> position, velocity, force;
    std::vector<rigid::Orientation<D>> orientation;
    std::vector<Angular> angular, inertia, torque;
    std::vector<Real> mass;

    explicit State(Table& t)
        : position(t.download<Vec<D>>("position")),
          velocity(t.download<Vec<D>>("velocity")),
          force(t.download<Vec<D>>("force")),
          orientation(t.download<rigid::Orientation<D>>("orientation")),
          angular(t.download<Angular>("angular_velocity")),
          inertia(t.download<Angular>("inertia")),
          torque(t.download<Angular>("torque")),
          mass(t.download<Real>("mass")) {}

    void kick(std::size_t o, double h, const VecT<double, D>& f, const Torque& t) {
      velocity[o] = velocity[o] + gain(o, h, f), angular[o] = angular[o] + turn(o, h, t);
    }
    void load(std::size_t o, double share, const VecT<double, D>& f, const Torque& t) {
      for (int a = 0; a < D; ++a) force[o][a] += Real(share * f[a]);
      for (int a = 0; a < turns; ++a) torque[o][a] += Real(share * t[a]);
    }
    // For the fluid's next step: what gravity and the rest of its push, for h, alone make of this
    // one. What other stages press on bodies with, now or before, is not expected.
    void expect(typename FluidPush<D>::Motion& m, std::size_t o, double h, const VecT<double, D>& f,
                const Torque& t, const Vec3d& fall) const {
      m.velocity.push_back(velocity[o] + gain(o, h, f));
      m.angular.push_back(angular[o] + turn(o, h, t));
      if (!(rigid::inverse_or_zero(mass[o]) > 0)) return;
      for (int a = 0; a < D; ++a) m.velocity[o][a] += Real(fall[a]);
    }
    template <class F>
    Vec<D> gain(std::size_t o, double h, const F& f) const {
      const double inverse = double(rigid::inverse_or_zero(mass[o]));
      Vec<D> v;
      for (int a = 0; a < D; ++a) v[a] = Real(h * inverse * double(f[a]));
      return v;
    }
    template <class T>
    Angular turn(std::size_t o, double h, const T& t) const {
      Angular by;
      for (int a = 0; a < turns; ++a) by[a] = Real(h * double(t[a]));
      return rigid::inverse_inertia(orientation[o], inertia[o])(by);
    }
    void store(const Exec& ex, Table& t) const {
      write(ex, t, "velocity", velocity), write(ex, t, "angular_velocity", angular);
      write(ex, t, "force", force), write(ex, t, "torque", torque);
    }
  };
  template <class V>
  static void write(const Exec& ex, Table& t, const char* column, const std::vector<V>& values) {
    ex.upload(t.column<V>(column).data, values.data(), values.size() * sizeof(V));
  }

  // The torque about y of what has t about the origin.
  template <class Y>
  static Torque about(const Torque& t, const Y& y, const VecT<double, D>& f) {
    const Vec3d at = cross(widen(y), widen(f));
    Torque own = t;
    for (int a = 0; a < turns; ++a) own[a] -= at[a + 3 - turns];
    return own;
  }

  CoupleParams p_;
  FluidPush<D> push_;
  bool strong_;
};

std::unique_ptr<Stage> make_couple(const CoupleParams& p, World& world) {
  if (world.object(p.solid.name).kind == Kind::mesh) return make_couple_mesh(p, world);
  if (world.dim == 2) return std::make_unique<Couple<2>>(p, world);
  return std::make_unique<Couple<3>>(p, world);
}

}  // namespace

StageType couple_type() {
  return stage_type(
      "couple", "Lets a fluid push the bodies, cloth and soft bodies that stand in it.",
      "Akinci et al., \"Versatile Rigid-Fluid Coupling for Incompressible SPH\", SIGGRAPH 2012, "
      "eqs. 9-13; strong: after Gissler et al., \"Interlinked SPH pressure solvers for strong "
      "fluid-rigid coupling\", ACM TOG 38(1), 2019, and on grids Batty, Bertails & Bridson, \"A "
      "fast "
      "variational framework for accurate solid-fluid coupling\", SIGGRAPH 2007, and "
      "Robinson-Mosher et al., \"Two-way Coupling of Fluids to Rigid and Deformable Solids and "
      "Shells\", SIGGRAPH 2008",
      {"With wcsph, pbf, sph_mueller, sph_clavet and sph_bodin it is weak: light bodies tremble.",
       "Contacts, joints and what holds a mesh together answer the fluid a step late.",
       "On grids it pushes what is larger than a cell; meshes not in lbm and on shallow_water."},
      "docs/floating_bodies.md", make_couple);
}

}  // namespace rtsim
