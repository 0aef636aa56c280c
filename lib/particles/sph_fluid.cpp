#include "particles/sph_fluid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/fluid_push.h"
#include "particles/stable_step.h"
#include "particles/walls/wall_forces.h"
#include "relaxation/relaxation.h"
#include "shapes/animated_shape.h"
#include "shapes/motion.h"
#include "sph/keep_inside.h"
#include "sph/probe.h"
#include "stage/inflow.h"

namespace rtsim {

namespace {

template <int D>
neighbours::Box box_of(World& world, const std::string& table) {
  return neighbours::bounding_box<D>(world.exec,
                                     world.table(table).column<const Vec<D>>("position"));
}

template <int D>
neighbours::Box joined(World& world, const std::string& table, const std::string& fluid,
                       const std::vector<std::string>& boundaries) {
  neighbours::Box box = box_of<D>(world, table);
  for (const std::string& b : boundaries) {
    const neighbours::Box more = box_of<D>(world, sample_table(b, fluid));
    for (int k = 0; k < 3; ++k) {
      box.low[k] = std::min(box.low[k], more.low[k]);
      box.high[k] = std::max(box.high[k], more.high[k]);
    }
  }
  return box;
}

// Rigid bodies and meshes: what the fluid moves.
bool yields(const World& world, const std::string& boundary) {
  return world.object(boundary).kind != Kind::boundary;
}

// The periodic box, with what stands in it checked, and samples beyond it left out.
template <int D>
PeriodicBox enter_box(World& world, const SphParams& p, double support) {
  if (!p.periodic) return {};
  if (p.boundary_method == BoundaryMethod::volume_map && !p.boundary.names.empty())
    throw Error(ExitCode::bad_input,
                "volume maps know no periodic box; leave out \"boundary_method\": \"volume_map\"");
  for (const std::string& b : p.boundary.names)
    if (yields(world, b))
      throw Error(ExitCode::bad_input,
                  fmt::format("\"periodic\": '{}' moves freely, and no box brings it back, so the "
                              "fluid would push it where it is not; leave out \"periodic\", "
                              "or take '{}' out of \"boundary\"",
                              b, b));
  const PeriodicBox box = periodic_box(*p.periodic, D, support);
  require_inside<D>(box, world.table(p.fluid.name));
  for (const PhaseSpec& phase : p.phases) require_inside<D>(box, world.table(phase.fluid.name));
  for (const std::string& b : p.boundary.names) keep_samples_inside<D>(box, world, b, p.fluid.name);
  return box;
}

// The boundaries, where they are treated so.
std::vector<std::string> boundaries_by(BoundaryMethod method, const SphParams& p) {
  return p.boundary_method == method ? p.boundary.names : std::vector<std::string>{};
}

// Their pushes are always found, for whoever moves them.
bool meets_solids(const World& world, const SphParams& p) {
  for (const std::string& b : p.boundary.names) {
    if (!yields(world, b)) continue;
    if (p.boundary_method == BoundaryMethod::volume_map)
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' is pushed by the fluid, and has no volume map; leave out "
                              "\"boundary_method\"",
                              b));
    return true;
  }
  return false;
}

// How far rows are from their mean along an axis: the root of the mean square [m].
double spread(const sph::Sums& s, int axis, double rows) {
  if (!(rows > 0)) return 0;
  const double mean = s.place[axis] / rows;
  return std::sqrt(std::max(0.0, s.square[axis] / rows - mean * mean));
}

template <int D>
double greatest_speed2(Table& t) {
  double fastest = 0;
  for (const Vec<D>& v : t.download<Vec<D>>("velocity"))
    fastest = std::max(fastest, double(dot(v, v)));
  return fastest;
}

}  // namespace

template <int D>
SphFluid<D>::SphFluid(World& world, const SphParams& p, double kernel_support)
    : medium(sph::Medium::of(D, p.mass(world), kernel_support, p.rest_density)),
      spacing(world.object(p.fluid.name).spacing),
      support(kernel_support),
      name_(p.fluid.name),
      mixture_(world, p),
      boundaries_(p.boundary.names),
      forces_wanted_((p.wants_wall_forces() || meets_solids(world, p)) &&
                     !p.boundary.names.empty()),
      forces_measured_(p.boundary_forces && !p.boundary.names.empty()),
      probes_(p.probes),
      periodic_(enter_box<D>(world, p, kernel_support)),
      home_(joined<D>(world, mixture_.table(), name_, boundaries_)),
      cells_(world.exec, kernel_support, home_, periodic_),
      walls_(world, name_, boundaries_by(BoundaryMethod::samples, p), medium.kernel, spacing,
             periodic_),
      maps_(world, name_, boundaries_by(BoundaryMethod::volume_map, p), medium.kernel, spacing,
            p.map_cell.value_or(spacing)),
      // Distances know no images.
      shapes_(world,
              p.periodic ? std::vector<std::string>{} : boundaries_by(BoundaryMethod::samples, p),
              spacing),
      lists_(world.exec),
      motion_(world.exec),
      lost_(world.exec),
      neighbours_(world.exec),
      met_(world.exec) {
  for (Object& o : world.objects)
    for (const auto& m : members())
      if (o.name == m.fluid) o.row_mass = m.particle_mass;
  Table& t = table(world);
  for (const char* needed : {"position", "velocity"}) t.column<const Vec<D>>(needed);
  t.add<Real>({"density", D == 2 ? "kg/m^2" : "kg/m^3", Role::derived});
  t.add<Real>({"pressure", D == 2 ? "N/m" : "Pa", Role::derived});
  if (forces_wanted_) add_force_columns(world);
  add_sensors(world);
}

template <int D>
void SphFluid<D>::add_force_columns(World& world) {
  for (const std::string& b : boundaries_) {
    FluidPush<D>::make(world, b, name_);
    if (maps_.empty())
      world.table(sample_table(b, name_)).add<Vec<D>>({"force", "N", Role::derived});
  }
}

template <int D>
void SphFluid<D>::add_sensors(World& world) {
  for (const SphProbe& p : probes_) {
    if (p.quantity != SphProbe::Quantity::wall_pressure) continue;
    try {
      if (!maps_.empty())
        throw Error(ExitCode::bad_input, "wall_pressure wants \"boundary_method\": \"samples\"");
      const double radius = p.radius.value_or(2 * spacing);
      require_clear_of_seam(periodic_, p.at, radius, D);
      sensors_.emplace_back(world, name_, boundaries_, p.at, radius, spacing);
    } catch (const Error& e) {
      throw Error(e.code(), fmt::format("probe \"{}\": {}", p.name, e.what()));
    }
  }
}

template <int D>
void SphFluid<D>::measure_forces(World& world, std::vector<Measurement>& out) const {
  constexpr const char* axes[] = {".x", ".y", ".z"};
  for (const std::string& b : boundaries_) {
    const sph::ForceAndTorque on = read_forces<D>(world, b, name_);
    for (int a = 0; a < D; ++a) out.push_back({b + ".force" + axes[a], on.force[a], "N"});
    for (int a = D == 2 ? 2 : 0; a < 3; ++a)
      out.push_back({b + ".torque" + axes[a], on.torque[a], "N m"});
  }
}

template <int D>
void SphFluid<D>::measure_probes(World& world, std::vector<Measurement>& out) const {
  Table& t = table(world);
  const auto x = t.column<const Vec<D>>("position");
  const auto g = world.gravity_vector<D>();
  const double magnitude = norm(widen(g));
  const Vec<D> up = magnitude > 0 ? Real(-1 / magnitude) * g : Vec<D>{};
  auto sensor = sensors_.begin();
  for (const SphProbe& p : probes_) {
    const std::string name = name_ + "." + p.name;
    if (p.quantity == SphProbe::Quantity::wall_pressure) {
      out.push_back({name, (sensor++)->pressure(world), D == 2 ? "N/m" : "Pa"});
    } else if (p.quantity == SphProbe::Quantity::pressure) {
      const sph::PressureAt a =
          sph::pressure_at<D>(world.exec, medium.kernel, periodic_, narrow<D>(p.at), x,
                              t.column<const Real>("density"), t.column<const Real>("pressure"));
      out.push_back({name, a.weight > 0 ? a.weighted / a.weight : 0, D == 2 ? "N/m" : "Pa"});
    } else {  // rows are half a spacing inside the fluid
      const double h =
          sph::height_at<D>(world.exec, periodic_, narrow<D>(p.at), up, Real(spacing), x);
      out.push_back({name, h > -1e299 ? h + spacing / 2 : 0, "m"});
    }
  }
}

template <int D>
void SphFluid<D>::place(World& world, double ahead) {
  walls_.update(world, ahead);
  cells_.sort(table(world));
  revision_ = table(world).revision();
  const std::size_t n = std::size_t(table(world).rows());
  neighbours_.resize(n), motion_.resize(n + lane_count);
  maps_.update(world, cells_.view().rows, ahead);
  shapes_.place(world, ahead);
}

template <int D>
void SphFluid<D>::pack_motion(World& world, Span<const Real> w) {
  sph::pack_motion<D>(world.exec, velocity(world), w, motion_.span());
}

template <int D>
void SphFluid<D>::move(World& world, double dt, Span<Row4> motion) {
  if (maps_.empty())
    keep_from_samples(world, dt, motion);
  else
    maps_.keep_out(cells_.view().rows, motion, double(medium.mass), dt);
  sph::drift<D>(world.exec, Real(dt), motion, velocity(world), position(world));
}

template <int D>
void SphFluid<D>::keep_from_samples(World& world, double dt, Span<Row4> motion) {
  const std::size_t n = forces_wanted_ ? std::size_t(table(world).rows()) : 0;
  met_.resize(n), lost_.resize(n);
  const CellRows cells = cells_.view();
  const Span<const neighbours::ListPlace> places =
      world.exec.cpu_shaped() ? lists().places() : Span<const neighbours::ListPlace>{};
  in_walls_ =
      sph::keep_inside(world.exec, Real(dt), Real(spacing), walls_.moving(), walls(), cells.rows,
                       places, Real(support - 1.2 * spacing), motion, met_.span(), lost_.span());
  shapes_.keep_out(world.exec, dt, near_walls(world), cells.rows, motion);
  book_meetings(world, dt, 1 / dt);
}

template <int D>
void SphFluid<D>::keep_out_of_shapes(World& world, double dt, Span<Row4> motion) {
  const std::size_t n = forces_wanted_ ? std::size_t(table(world).rows()) : 0;
  met_.resize(n), lost_.resize(n);
  sph::forget_meetings(world.exec, met_.span());
  shapes_.keep_out(world.exec, dt, near_walls(world), cells_.view().rows, motion);
  book_meetings(world, dt, 1 / dt);
}

// No place of a surface is further from its samples than 1.4 spacings (shapes/sample.cpp), which
// kernels with a row's own part do not reach.
template <int D>
sph::NearWalls SphFluid<D>::near_walls(World& world) {
  const auto places =
      world.exec.cpu_shaped() ? lists().places() : Span<const neighbours::ListPlace>{};
  return {walls(),     places,      Real(support), Real(std::max(0.0, support - 1.5 * spacing)),
          met_.span(), lost_.span()};
}

template <int D>
void SphFluid<D>::keep_shifts(World& world, double dt, Span<Row4> shift) {
  const std::size_t n = forces_wanted_ ? std::size_t(shift.size) : 0;
  met_.resize(n), lost_.resize(n);
  relaxation::keep_inside<D>(world.exec, Real(dt), Real(spacing), walls_.moving(), walls(),
                             cells_.view().rows, velocity(world), shift, met_.span(), lost_.span());
  shapes_.keep_shifts_out(world.exec, dt, near_walls(world), cells_.view().rows, velocity(world),
                          shift);
  book_meetings(world, dt, 1 / (dt * dt));
}

// `scale` makes an acceleration of what was lost.
template <int D>
void SphFluid<D>::book_meetings(World& world, double dt, double scale) {
  if (!forces_wanted_ || walls_.empty()) return;
  mixture_.weigh(world, lost_.span());
  const double reach = 3 * spacing + dt * std::sqrt(double(extremes_.speed2));
  sph::add_meetings(world.exec, walls(), cells_.view(), Real(reach),
                    Real(double(medium.mass) * scale), met_.span(), lost_.span(), walls_.forces(),
                    walls_.couples());
}

template <int D>
void SphFluid<D>::measure_walls(World& world, std::vector<Measurement>& out) const {
  if (walls_.empty()) return;
  const Index inside = shapes_.count_inside(world, position(world)),
              in_samples = shapes_.all() && !periodic_.any ? 0 : in_walls_;
  out.push_back({name_ + ".rows_in_walls", double(inside + in_samples), ""});
}

// Of some of a boundary's samples, which stand where it starts, in its own frame.
template <int D>
std::vector<Vec3d> SphFluid<D>::places_on(World& world, const Object& boundary) const {
  constexpr std::size_t enough = 500;
  const Pose start = pose_at(*boundary.motion, 0);
  const auto all =
      world.table(sample_table(boundary.name, name_)).template download<Vec<D>>("position");
  std::vector<Vec3d> some;
  for (std::size_t k = 0; k < all.size(); k += 1 + all.size() / enough)
    some.push_back(start.to_local(widen(all[k])));
  return some;
}

template <int D>
double SphFluid<D>::expected_speed(World& world) const {
  neighbours::Box own = box_of<D>(world, mixture_.table());
  double squared = greatest_speed2<D>(table(world));
  const auto meet = [&](double speed) { squared = std::max(squared, speed * speed); };
  for (const auto& m : members())
    for (const Inflow& in : Inflow::of(world, m.fluid)) {
      meet(in.speed);
      for (int k = 0; k < D; ++k) {
        own.low[k] = std::min(own.low[k], Real(in.low[k]));
        own.high[k] = std::max(own.high[k], Real(in.high[k]));
      }
    }
  double fall = 0;  // g H
  for (int k = 0; k < D; ++k) {
    if (periodic_.length[k] > 0) continue;  // an endless fall has no speed
    const double g = world.gravity[std::size_t(k)];
    fall += g < 0 ? -g * (own.high[k] - home_.low[k]) : g * (home_.high[k] - own.low[k]);
  }
  for (const std::string& b : boundaries_) {
    squared = std::max(squared, greatest_speed2<D>(world.table(sample_table(b, name_))));
    const Object& o = world.object(b);
    if (o.deformation)
      meet(o.deformation->greatest_speed());
    else if (o.motion)
      meet(greatest_normal_speed(*o.motion, *o.shape, places_on(world, o)));
  }
  return std::sqrt(squared + 2 * std::max(fall, 0.0));
}

template <int D>
sph::Sums SphFluid<D>::sums(World& world, Table& t, double rest_density,
                            Span<const Index> neighbours) const {
  const sph::State<D> state{t.column<const Vec<D>>("position"), t.column<const Vec<D>>("velocity"),
                            t.column<const Real>("density"), neighbours};
  return sph::sums<D>(world.exec, state, rest_density, falling(world));
}

template <int D>
void SphFluid<D>::measure(World& world, std::vector<Measurement>& out) const {
  const sph::Sums all = sums(world, table(world), double(medium.rest_density), neighbours_.span());
  for (const auto& m : members()) {
    Table& own = world.table(m.fluid);
    measure_phase(m, own.rows(), phases().mixed() ? sums(world, own, m.rest_density, {}) : all,
                  out);
  }
  if (phases().mixed()) measure_levels(world, out);
  const auto add = [&](const char* quantity, double value, const char* unit) {
    out.push_back({name_ + "." + quantity, value, unit});
  };
  add("pairs", all.pairs, "");
  add("max_neighbours", all.max_neighbours, "");
  add("max_speed", std::sqrt(double(extremes_.speed2)), "m/s");
  measure_probes(world, out);
  if (forces_measured_) measure_forces(world, out);
}

// The highest and the lowest row of each phase against gravity: how sharp an interface is.
template <int D>
void SphFluid<D>::measure_levels(World& world, std::vector<Measurement>& out) const {
  const auto g = world.gravity_vector<D>();
  const double magnitude = norm(widen(g));
  if (!(magnitude > 0)) return;
  const Vec<D> up = Real(-1 / magnitude) * g;
  constexpr Real everywhere = Real(1e15);  // [m]; squared it is still a float
  for (const auto& m : members()) {
    const auto x = world.table(m.fluid).template column<const Vec<D>>("position");
    const auto reach = [&](const Vec<D>& along) {
      return x.size == 0 ? 0 : sph::height_at<D>(world.exec, {}, Vec<D>{}, along, everywhere, x);
    };
    out.push_back({m.fluid + ".highest", reach(up), "m"});
    out.push_back({m.fluid + ".lowest", -reach(Real(-1) * up), "m"});
  }
}

template <int D>
void SphFluid<D>::measure_phase(const typename Mixture<D>::Member& phase, double n,
                                const sph::Sums& s, std::vector<Measurement>& out) const {
  const double m = phase.particle_mass;
  const auto add = [&](const char* quantity, double value, const char* unit) {
    out.push_back({phase.fluid + "." + quantity, value, unit});
  };
  add("kinetic_energy", m * s.kinetic, "J");
  add("potential_energy", m * s.potential, "J");
  add("mass", m * n, "kg");
  constexpr const char* axes[] = {"momentum.x", "momentum.y", "momentum.z"};
  for (int k = 0; k < D; ++k) add(axes[k], m * s.momentum[k], "kg m/s");
  constexpr const char* angular_names[] = {"angular_momentum.x", "angular_momentum.y",
                                           "angular_momentum.z"};
  for (int k = D == 2 ? 2 : 0; k < 3 && !periodic_.any; ++k)
    add(angular_names[k], m * s.angular_momentum[k], "kg m^2/s");
  add("density_error_mean", n > 0 ? s.compression / n : 0, "");
  add("density_error_max", s.max_compression, "");
  add("front", n > 0 ? s.front : 0, "m");
  constexpr const char* spreads[] = {"spread.x", "spread.y", "spread.z"};
  for (int k = 0; k < D; ++k) add(spreads[k], spread(s, k, n), "m");
}

template <int D>
Vec<D> SphFluid<D>::falling(const World& world) const {
  Vec<D> g = world.gravity_vector<D>();
  for (int k = 0; k < D; ++k)
    if (periodic_.length[k] > 0) g[k] = 0;
  return g;
}

template <int D>
Feed SphFluid<D>::feed(World& world) const {
  const Vec<D> g = falling(world);
  double mass = 0;
  for (const auto& m : members()) mass += m.particle_mass * world.table(m.fluid).rows();
  Feed feed;
  feed.hidden = mass * double(norm(g)) * spacing;
  feed.acceleration = double(norm(world.gravity_vector<D>() - g));
  return feed;
}

template <int D>
void SphFluid<D>::watch(World& world, double limit, Span<const Vec<D>> acceleration,
                        const std::string& remedy) {
  const auto v = table(world).template column<const Vec<D>>("velocity");
  const sph::Extremes now = sph::extremes<D>(world.exec, Real(limit), v, acceleration);
  if (now.astray < 0) {
    extremes_ = now;
    return;
  }
  Vec<D> fastest;
  world.exec.download(&fastest, v.data + now.astray, sizeof fastest);
  const double speed = norm(widen(fastest));
  std::string what = "velocity of row {} of '{}' is not finite";
  if (speed <= limit) what = "acceleration of row {} of '{}' is not finite";
  if (std::isfinite(speed) && speed > limit)
    what =
        fmt::format("velocity of row {{}} of '{{}}' is {:.3g} m/s, over {:.3g} m/s", speed, limit);
  throw Diverged(fmt::format(fmt::runtime(what), now.astray, mixture_.table()) + "; " + remedy);
}

template <int D>
void SphFluid<D>::pressure_from(World& world, Span<const Real> k, Span<const Real> more) {
  sph::pressure_of(world.exec, k, more, density(world), pressure(world));
}

template <int D>
std::vector<ColumnUse> SphFluid<D>::uses() const {
  std::vector<ColumnUse> all;
  for (const auto& m : members())
    for (const char* column : {"position", "velocity"})
      all.push_back({m.fluid, column, Access::write});
  return all;
}

template <int D>
double SphFluid<D>::courant_dt() const {
  return courant_dt(std::sqrt(double(extremes_.speed2)));
}

template <int D>
double SphFluid<D>::courant_dt(double v) const {
  return rtsim::courant_dt(support / 2, v);
}

template <int D>
double SphFluid<D>::viscous_dt(double nu) const {
  return rtsim::viscous_dt(support / 2, nu);
}

template <int D>
void SphFluid<D>::watch_courant(World& world, double dt, int substeps) {
  if (!(dt > 0))
    return watch(world, 1e30, {},
                 "in the state the run begins with: check velocity, gravity and \"particle_mass\"");
  const double allowed = courant_dt(), limit = 100 * substeps * support / dt;
  watch(world, limit, {},
        fmt::format("dt {:.3g} s, the last good state allowed {:.3g} s: try \"substeps\": {:.0f}",
                    dt, substeps * allowed, std::max(std::ceil(dt / allowed), 2.0 * substeps)));
}

template class SphFluid<2>;
template class SphFluid<3>;

}  // namespace rtsim
