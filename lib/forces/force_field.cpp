#include "forces/force_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "force_field/force_field.h"
#include "meshes/loads_of_held.h"
#include "stage/fed.h"

namespace rtsim {

void describe(Describe& d, ConstantField& p) {
  d.vector("acceleration", p.acceleration, "m/s^2", "Acceleration, besides gravity.");
}
void describe(Describe& d, PointField& p) {
  d.vector("centre", p.centre, "m", "Where it pulls to.");
  d.required("strength", p.strength, "m^3/s^2", any(),
             "Acceleration times distance squared, far away; pushes where below zero.");
  d("softening", p.softening, "m", above(0), "Distance within which it weakens, not grows.");
}
void describe(Describe& d, VortexField& p) {
  d.vector("centre", p.centre, "m", "A point of the axis.");
  if (d.dim() != 2) d.vector("axis", p.axis, "", "Direction of the axis in 3D, of any length.");
  d.required("strength", p.strength, "m^2/s^2", any(),
             "Acceleration round the axis times the distance from it, far away.");
  d("softening", p.softening, "m", above(0), "Distance within which it weakens, not grows.");
}
void describe(Describe& d, LinearField& p) {
  d.vector("centre", p.centre, "m", "Where it pulls to.");
  d.required("stiffness", p.stiffness, "1/s^2", any(),
             "Acceleration over distance; pushes away where below zero.");
}
void describe(Describe& d, FieldBox& p) {
  d.vector("min", p.min, "m", "Lower corner.");
  d.vector("max", p.max, "m", "Upper corner.");
}
void describe(Describe& d, FieldSphere& p) {
  d.vector("centre", p.centre, "m", "Centre.");
  d.required("radius", p.radius, "m", above(0), "Radius.");
}

void describe(Describe& d, ForceFieldParams& p) {
  static constexpr const char* kinds[] = {"particles", "mesh"};
  d.role("particles", p.particles, kinds, "The particles, or the mesh, that it pushes.");
  d.nested("constant", p.constant, "The same acceleration everywhere.");
  d.nested("point", p.point, "Pulls to a point, weaker with the square of the distance.");
  d.nested("vortex", p.vortex, "Turns round an axis, weaker with the distance.");
  d.nested("linear", p.linear, "Pulls to a point, stronger with the distance: a spring.");
  d.nested("box", p.box, "Acts in this box alone.");
  d.nested("sphere", p.sphere, "Acts in this sphere alone; with a box, where both are.");
  d("start", p.start, "s", any(), "Acts in steps that begin at this time or later.");
  d("end", p.end, "s", any(), "Acts in steps that begin before this time. Default: for ever.");
}

namespace {

void copy(const Vec3d& from, Real* to) {
  for (int k = 0; k < 3; ++k) to[k] = Real(from[k]);
}

force_field::Fields fields_of(const ForceFieldParams& p, int dim) {
  force_field::Fields f;
  if (p.constant) copy(p.constant->acceleration, f.constant);
  if (p.point) {
    copy(p.point->centre, f.point_centre);
    f.point_strength = Real(p.point->strength), f.point_softening = Real(p.point->softening);
  }
  if (p.vortex) {
    const double length = norm(p.vortex->axis);
    if (!(length > 0)) throw Error(ExitCode::bad_input, "vortex: \"axis\" has no direction");
    copy(p.vortex->centre, f.vortex_centre);
    copy((1 / length) * p.vortex->axis, f.vortex_axis);
    f.vortex_strength = Real(p.vortex->strength), f.vortex_softening = Real(p.vortex->softening);
  }
  if (p.linear) copy(p.linear->centre, f.linear_centre), f.linear_rate2 = Real(p.linear->stiffness);
  if (p.box) copy(p.box->min, f.box_min), copy(p.box->max, f.box_max), f.box_axes = dim;
  if (p.sphere) copy(p.sphere->centre, f.sphere_centre), f.sphere_radius = Real(p.sphere->radius);
  return f;
}

template <int D>
class ForceField final : public Stage {
 public:
  ForceField(const ForceFieldParams& p, World& world, const std::string& name)
      : p_(p), fields_(fields_of(p, D)), fed_(world, name) {
    position(world), velocity(world);  // a missing column is an error now, not in a run
  }

  void advance(World& world, const Step& step) override {
    // Times are index * dt: half a rounding must not shift the window by a step.
    const double time = step.time + 1e-6 * step.dt;
    if (time < p_.start || (p_.end && time >= *p_.end)) return;
    const double fed = force_field::push<D>(world.exec, fields_, Real(step.dt), position(world),
                                            of_mesh(world, "mass"), of_mesh(world, "inverse_mass"),
                                            velocity(world), load(world));
    fed_.add(world, is_mesh(world) ? fed : world.object(p_.particles.name).row_mass * fed);
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    fed_.measure(world, p_.particles.name, out);
  }

  // Symplectic Euler in a well of rate sqrt(k): dt < 2 / sqrt(k).
  double stable_dt(World&) const override {
    double k = p_.linear ? p_.linear->stiffness : 0;
    if (p_.point) k = std::max(k, p_.point->strength / std::pow(p_.point->softening, 3));
    return k > 0 ? 2 / std::sqrt(k) : std::numeric_limits<double>::infinity();
  }

  std::vector<ColumnUse> uses() const override {
    return {{p_.particles.name, "position", Access::read},
            {p_.particles.name, "velocity", Access::add}};
  }

 private:
  Span<const Vec<D>> position(World& w) const {
    return w.table(p_.particles.name).template column<const Vec<D>>("position");
  }
  Span<Vec<D>> velocity(World& w) const {
    return w.table(p_.particles.name).template column<Vec<D>>("velocity");
  }

  bool is_mesh(const World& w) const { return w.object(p_.particles.name).kind == Kind::mesh; }
  Span<const Real> of_mesh(World& w, const char* column) const {
    if (!is_mesh(w)) return {};
    return w.table(p_.particles.name).template column<const Real>(column);
  }

  Span<Vec<D>> load(World& w) const {
    if constexpr (D == 3)
      if (is_mesh(w)) return loads_of_held(w, p_.particles.name);
    return {};
  }

  ForceFieldParams p_;
  force_field::Fields fields_;
  Fed fed_;
};

std::unique_ptr<Stage> make_force_field(const ForceFieldParams& p, World& world,
                                        const std::string& name) {
  if (!p.constant && !p.point && !p.vortex && !p.linear)
    throw Error(ExitCode::bad_input,
                "no field is given; give \"constant\", \"point\", \"vortex\" or \"linear\"");
  if (world.dim == 2) return std::make_unique<ForceField<2>>(p, world, name);
  return std::make_unique<ForceField<3>>(p, world, name);
}

}  // namespace

StageType force_field_type() {
  return stage_type(
      "force_field",
      "Pushes particles and meshes: constant, to a point, round an axis, or like a spring.",
      "Plummer, \"On the Problem of Distribution in Globular Star Clusters\", MNRAS 71, 1911, for "
      "the softened point",
      {"Acts once a step on the velocities, whatever the substeps of the solver.",
       "A solver that derives its sound speed from the fall does not know of the field."},
      "docs/particle_fluids.md", make_force_field);
}

}  // namespace rtsim
