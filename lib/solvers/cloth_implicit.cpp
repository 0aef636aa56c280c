#include "solvers/cloth_implicit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "deformables/mesh_series.h"
#include "mass_spring/mass_spring.h"
#include "solvers/cloth_implicit_steps.h"

namespace rtsim {

namespace {

constexpr std::int32_t most_halvings = 6;

class ClothImplicit final : public Stage {
 public:
  ClothImplicit(const ClothImplicitParams& p, World& world, const std::string& name)
      : p_(p),
        state_(name + ".state"),
        steps_(world, p),
        contact_(p.contact, world, p.mesh.name),
        touches_(world.exec),
        holds_(world.exec),
        before_(world.exec),
        start_x_(world.exec),
        start_v_(world.exec) {
    if (contact_.has_bodies() && p.solve.newton_iterations > 1)
      throw Error(
          ExitCode::bad_input,
          "\"newton_iterations\" lose what bodies in the \"boundary\" are pushed by; take 1, "
          "and more \"substeps\"");
    if (p.stretch_change) world.add_table(state_, 1).add<std::int32_t>({"halvings", ""});
  }

  void advance(World& world, const Step& step) override {
    const cloth::Points points = this->points(world);
    const auto target = table(world).column<const Vec<3>>("target");
    mass_spring::aim(world.exec, points, target, Real(step.dt));
    if (p_.stretch_change)
      step_carefully(world, step);
    else
      take_substeps(world, step, p_.substeps);
    mass_spring::arrive(world.exec, points, target);
    watch_velocities(world, p_.mesh.name,
                     "look at stiffness, masses and velocities of the last frame; more "
                     "\"substeps\" or \"stretch_change\": 0.1 may help");
  }

  std::string warning(World&) const override {
    const std::string unsolved = solve_.warning(p_.mesh.name, p_.solve);
    return unsolved.empty() ? contact_.warning() : unsolved;
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const std::string& m = p_.mesh.name;
    measure_motion(world, m, out);
    const auto x = table(world).column<const Vec<3>>("position");
    const cloth::Mesh mesh = steps_.mesh().view();
    const cloth::Fabric<Real> k = steps_.mesh().fabric(1);
    const cloth::Energies e = cloth::energies(world.exec, mesh, k, x);
    const double bending = steps_.plates().energy(world.exec, x);
    const cloth::Strain s = cloth::strain(world.exec, mesh, k, x);
    const auto add = [&](const char* quantity, double value, const char* unit) {
      out.push_back({m + "." + quantity, value, unit});
    };
    add("stretch_energy", e.stretch, "J");
    add("shear_energy", e.shear, "J");
    add("bending_energy", bending, "J");
    add("elastic_energy", e.stretch + e.shear + bending, "J");
    add("strain_mean", s.sum / s.area, "");
    add("strain_max", s.greatest, "");
    add("iterations", solve_.iterations, "");
    add("residual", solve_.residual, "");
    if (p_.stretch_change) add("substeps", substeps_, "");
    contact_.measure(world, m, out);
  }

  Feed feed(World&) const override { return contact_.feed(); }

  std::vector<ColumnUse> uses() const override {
    const std::string& m = p_.mesh.name;
    return {{m, "position", Access::write},
            {m, "velocity", Access::write},
            {m, "inverse_mass", Access::read},
            {m, "target", Access::read}};
  }

 private:
  void take_substeps(World& world, const Step& step, int substeps) {
    solve_ = {}, substeps_ = substeps;
    contact_.begin(world, step, substeps);
    const double h = step.dt / substeps;
    for (int k = 0; k < substeps && !too_much(); ++k) substep(world, k, h);
  }

  void substep(World& world, int k, double h) {
    const cloth::Points p = points(world);
    if (contact_.any()) keep(world.exec, p.position, before_);
    if (contact_.has_boundary()) {
      touches_.resize(std::size_t(p.position.size)), holds_.resize(touches_.size());
      touches_.zero();
      contact_.touching(world, k, p.position, p.velocity, p.inverse_mass, Real(h), touches_.span());
      cloth::grip(world.exec, touches_.span(), p.velocity, Real(contact_.friction()),
                  Real(1e-3) * Real(h) * norm(world.gravity_vector<3>()), holds_.span());
    }
    steps_.advance({world.exec,
                    p,
                    {world.gravity_vector<3>(), Real(p_.drag)},
                    h,
                    holds_.span(),
                    contact_.friction()},
                   solve_);
    if (contact_.has_bodies())
      contact_.give(world, before_.span(), touches_.span(), steps_.impulses());
    if (contact_.any())
      contact_.resolve(world, k, before_.span(), p.position, p.velocity, p.inverse_mass, Real(h));
  }

  // Takes the step again with half the substep where a triangle changed too much (Baraff & Witkin
  // 1998, section 6); the next step begins with what did.
  void step_carefully(World& world, const Step& step) {
    const cloth::Points p = points(world);
    keep(world.exec, p.position, start_x_), keep(world.exec, p.velocity, start_v_);
    std::int32_t halvings = this->halvings(world);
    take_substeps(world, step, p_.substeps << halvings);
    while (too_much() && halvings < most_halvings) {
      bring_back(world.exec, start_x_, p.position), bring_back(world.exec, start_v_, p.velocity);
      take_substeps(world, step, p_.substeps << ++halvings);
    }
    if (halvings > 0 && solve_.change < 0.25 * *p_.stretch_change) --halvings;
    world.exec.upload(world.table(state_).column<std::int32_t>("halvings").data, &halvings,
                      sizeof halvings);
  }
  std::int32_t halvings(World& world) const {
    return world.table(state_).download<std::int32_t>("halvings")[0];
  }
  bool too_much() const {
    return p_.stretch_change && substeps_ < p_.substeps << most_halvings &&
           solve_.change > *p_.stretch_change;
  }

  Table& table(World& w) const { return w.table(p_.mesh.name); }
  cloth::Points points(World& w) const {
    Table& t = table(w);
    return {t.column<const Real>("mass"), t.column<const Real>("inverse_mass"),
            t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity")};
  }
  static void keep(const Exec& ex, Span<const Vec<3>> from, Buffer<Vec<3>>& to) {
    to.resize(std::size_t(from.size));
    ex.copy(to.data(), from.data, to.size() * sizeof(Vec<3>));
  }
  static void bring_back(const Exec& ex, const Buffer<Vec<3>>& from, Span<Vec<3>> to) {
    ex.copy(to.data, from.data(), from.size() * sizeof(Vec<3>));
  }

  ClothImplicitParams p_;
  std::string state_;
  ClothSteps steps_;
  Contact contact_;
  Buffer<contact::Touch> touches_;
  Buffer<cloth::Hold> holds_;
  Buffer<Vec<3>> before_, start_x_, start_v_;  // of a substep, and of the step
  ClothSolve solve_;
  int substeps_ = 1;  // of the last step
};

std::unique_ptr<Stage> make_cloth_implicit(const ClothImplicitParams& p, World& world,
                                           const std::string& name) {
  return std::make_unique<ClothImplicit>(p, world, name);
}

}  // namespace

StageType cloth_implicit_type() {
  return stage_type(
      "cloth_implicit", "Woven cloth that stretches, shears and bends, by large implicit steps.",
      "Baraff & Witkin, \"Large Steps in Cloth Simulation\", SIGGRAPH 1998; tangents made positive "
      "after Choi & Ko, \"Stable but Responsive Cloth\", SIGGRAPH 2002; bending after Bergou et "
      "al., "
      "\"A Quadratic Bending Model for Inextensible Surfaces\", SGP 2006",
      "Warp and weft stretch on their own: there is no Poisson ratio. What is not positive of the "
      "forces' slopes is left out of the system: the push of compressed threads, half of the "
      "shear's second slope, and how the curvature at rest and that which damping goes back to "
      "turn with the cloth, so that linearised once these resist turns; more "
      "\"newton_iterations\" come to the exact step all the same, only more slowly. Implicit Euler "
      "loses energy and spin, more at larger steps. Linearised once, triangles that turn by an "
      "angle within a step stretch by half its square. Bending is that of a "
      "plate on any triangles, by the sine of half the angles between them: folds of 90 degrees in "
      "one edge take four fifths of the energy, of 180 two fifths. It resists strains within the "
      "plane as well, where these change from edge to edge, with some B over the square of an "
      "edge. Iterations of the solve grow with the points along a side. Points do "
      "not rebound from boundaries. Which of them stick, slide or leave is looked for in at most "
      "five solves: what is not settled by then may be pulled at a surface for that substep. The "
      "solve knows one boundary for each point; the others, and self-contact, correct what a "
      "substep came to, which strains layers that lie close where substeps are long: "
      "\"stretch_change\" makes them short there.",
      make_cloth_implicit);
}

}  // namespace rtsim
