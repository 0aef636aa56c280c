#include "solvers/flip/flip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "exec/sort.h"
#include "solvers/flip/flip_grid.h"
#include "solvers/flip/sheets_in_liquid.h"

namespace rtsim {

namespace {

constexpr const char* gradient =
    "velocity_gradient";        // of particles: d u_x / d x, d u_x / d y, ...
constexpr double drift = 0.3;   // of the volume, from which on it is told
constexpr double tight = 0.02;  // likewise, of liquid that there is no room for

template <int D>
class Flip final : public Stage {
 public:
  Flip(const FlipParams& p, World& world, const std::string& name)
      : p_(p),
        state_(name + ".state"),
        ex_(world.exec),
        shape_(*world.object(p.grid.name).grid),
        spacing_(world.object(p.fluid.name).spacing),
        grid_(p, world),
        domain_(grid_.domain()),
        walls_(grid_.walls()),
        bodies_(grid_.bodies()),
        marks_(ex_),
        order_(ex_),
        first_(ex_, std::size_t(shape_.rows()) + 1),
        places_(ex_),
        probes_(shape_, p.probes) {
    refuse_meshes();
    place_.domain = domain_;
    for (int a = 0; a < D; ++a) place_.low[a] = Real(shape_.low[a]);
    if constexpr (D == 3) sheets_.emplace(world, walls_.meshes(), place_);
    refuse_sheets();
    add_columns(world);
    check_start(world);
    leave_out(world);
    if (p.band == 0) return;
    band_.emplace(world, name, p.fluid.name, p.grid.name, place_, spacing_, p.band);
    grid_.set_band(*band_);
  }

  void advance(World& world, const Step& step) override {
    if (sheets_) sheets_->begin(world, walls_.meshes());
    bodies_.begin(world, walls_, step.dt);
    if (!bodies_.empty()) {  // of where other stages took them
      keep_on_sides(world, {});
      keep_inside(world);
    }
    if (band_) begin_band(world, step);
    const int n = substeps(world, step.dt);
    for (int k = 0; k < n && !empty(world); ++k) substep(world, step, k, n);
    if (empty(world)) ex_.zero(pressure(world).data, std::size_t(shape_.rows()) * sizeof(Real));
    bodies_.hand_over(world, walls_, step.dt);
    substeps_ = n;
    find_speed(world, step.dt);
  }

  void refresh(World& world, double) override {
    walls_.recall(world);
    if (band_) band_->recall(world);
    find_speed(world, 0);
    find_columns(world);
    law_.now = grid_.flow();
  }

  void show(std::string_view table) override { shown_ = shown_ || table == p_.grid.name; }
  void before_frame(World& world) override {
    if (shown_) find_columns(world);
  }

  double stable_dt(World&) const override {
    if (!p_.substeps) return std::numeric_limits<double>::infinity();
    const double by_speed = speed_ > 0 ? grid_.longest_trace * shape_.spacing / speed_
                                       : std::numeric_limits<double>::infinity();
    return *p_.substeps * std::min(by_speed, capillary_dt());
  }

  std::string warning(World&) const override {
    std::vector<std::string> told;
    if (!walls_.mended().empty()) told.push_back(walls_.mended());
    if (!left_out_.empty()) told.push_back(left_out_);
    for (const std::string& wall : walls_.unresolved())
      told.push_back(fmt::format(
          "no corner of a cell of '{}' lies inside '{}', so the liquid does not feel it; use a "
          "smaller spacing, or a thicker wall",
          p_.grid.name, wall));
    if (!bodies_.empty() && !yields(p_.pressure))
      told.push_back(
          "bodies do not yield with this method of the pressure, and light ones burst: use "
          "\"multigrid_cg\"");
    if (grid_.outflow() > 1e-3)
      told.push_back(fmt::format(
          "walls press {:.3g} /s of its volume out of a closed part of '{}' that is full, and it "
          "cannot give way: leave room for air, or make a side \"open\"",
          grid_.outflow(), p_.grid.name));
    if (const double n = shape_.spacing / spacing_; n < 1.5 || n > 3)
      told.push_back(fmt::format(
          "a cell of '{}' has {:.2g} particles of '{}' along its sides; 2 are right: fewer leave "
          "gaps, more cost time",
          p_.grid.name, n, p_.fluid.name));
    if (const std::string of_pressure = grid_.solved().warning(p_.pressure); !of_pressure.empty())
      told.push_back(of_pressure);
    if (grid_.thin() > 0.01)
      told.push_back(fmt::format(
          "{:.0f} % of '{}' is in drops of a radius below some five cells of '{}', or in sheets "
          "below two, whose surface tension is wrong; use a smaller spacing",
          100 * grid_.thin(), p_.fluid.name, p_.grid.name));
    if (too_much_ > tight)
      told.push_back(fmt::format(
          "'{}' fills {:.0f} % more than there is room for in '{}', and is squeezed: let it out by "
          "\"remove\" or a side that is \"open\", or pour in less",
          p_.fluid.name, 100 * too_much_, p_.grid.name));
    else if (!p_.keep_volume && std::abs(volume_error_) > drift)
      told.push_back(fmt::format(
          "what lies below the surface of '{}' is {:.0f} % {} than its particles fill; with "
          "\"keep_volume\" it stays as much as they do",
          p_.fluid.name, 100 * std::abs(volume_error_), volume_error_ > 0 ? "more" : "less"));
    if (const std::string of_friction = Viscosity::warning(grid_.solved_viscosity());
        !of_friction.empty())
      told.push_back(of_friction);
    return fmt::format("{}", fmt::join(told, "\n"));
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    Table& t = world.table(p_.fluid.name);
    const auto x = t.column<const Vec<D>>("position");
    const auto add = [&](const std::string& what, double value, const char* unit) {
      out.push_back({p_.fluid.name + "." + what, value, unit});
    };
    flip::Sums s = flip::sums<D>(ex_, x, t.column<const Vec<D>>("velocity"), falling(world));
    if (band_) s = flip::AddSums{}(s, band_->sums(world, falling(world)));
    const double m = row_mass();
    add("kinetic_energy", m * s.kinetic, "J");
    add("potential_energy", m * s.potential, "J");
    add("mass", m * all_rows(world), "kg");
    for (int a = 0; a < D; ++a)
      add(std::string("momentum.") + "xyz"[a], m * s.momentum[a], "kg m/s");
    for (int a = D == 2 ? 2 : 0; a < 3; ++a)
      add(std::string("angular_momentum.") + "xyz"[a], m * s.angular_momentum[a], "kg m^2/s");
    add("front", t.rows() > 0 ? s.front : 0, "m");
    measure_volume(world, out);
    add("drained", double(drained(world)), "");
    if (band_) band_->measure(world, out);
    add("max_speed", speed_, "m/s");
    add("substeps", substeps_, "");
    if (walls_.solids()) add("rows_in_walls", flip::count_inside<D>(ex_, place_, solid(), x), "");
    add("pressure_iterations", grid_.solved().iterations, "");
    add("pressure_residual", grid_.solved().residual, "");
    if (p_.kinematic_viscosity > 0)
      add("viscosity_iterations", grid_.solved_viscosity().iterations, "");
    probes_.measure(ex_, p_.grid.name, grid_.layout(), walls_.layer(), pressure(world), law_.now,
                    out);
    measure_walls(world, out);
  }

  Feed feed(World& world) const override {
    Feed feed;
    feed.hidden = row_mass() * all_rows(world) * double(norm(falling(world))) * shape_.spacing +
                  p_.surface_tension * rows(world) * 2 * D * std::pow(spacing_, D - 1);
    feed.acceleration = double(norm(world.gravity_vector<D>() - falling(world)));
    return feed;
  }

  std::vector<ColumnUse> uses() const override {
    std::vector<ColumnUse> u;
    for (const char* c : {"position", "velocity"}) u.push_back({p_.fluid.name, c, Access::write});
    for (const char* c : {"pressure", "velocity", "level_set"})
      u.push_back({p_.grid.name, c, Access::write});
    return u;
  }

 private:
  bool flips() const { return p_.transfer == flip::Transfer::flip; }
  bool affine() const { return p_.transfer == flip::Transfer::apic; }
  double row_mass() const { return p_.rest_density * std::pow(spacing_, D); }
  Index rows(World& w) const { return w.table(p_.fluid.name).rows(); }
  // With those that cells without particles stand for.
  double all_rows(World& w) const { return rows(w) + (band_ ? band_->rows_without(w) : 0); }
  bool empty(World& w) const { return rows(w) == 0 && !(band_ && band_->deep_cells(w) > 0); }
  Span<Real> pressure(World& w) const { return grid_.pressure(w); }
  Span<Real> distance(World& w) const { return grid_.distance(w); }
  flip::Solid solid() const { return grid_.solid(); }

  void refuse_meshes() const {
    for (const MeshWalls::Mesh& m : walls_.meshes().meshes()) {
      if (p_.kinematic_viscosity > 0)
        throw Error(ExitCode::bad_input,
                    fmt::format("kinematic_viscosity: friction is not passed on to the mesh '{}', "
                                "which a liquid pushes by its pressure alone; leave it out",
                                m.name));
      if (p_.surface_tension > 0)
        throw Error(
            ExitCode::bad_input,
            fmt::format("surface_tension: its pull is not passed on to the mesh '{}'; leave "
                        "it out",
                        m.name));
    }
  }

  void refuse_sheets() const {
    if (!sheets_ || sheets_->empty() || p_.band == 0) return;
    throw Error(ExitCode::bad_input,
                "band: the grid carries liquid through sheets; leave it out, so that particles are "
                "everywhere");
  }

  void add_columns(World& world) {
    grid_.add_columns(world);
    Table& t = world.table(p_.fluid.name);
    for (const char* needed : {"position", "velocity"}) t.column<const Vec<D>>(needed);
    if (affine()) t.add<Vec<D * D>>({gradient, "1/s"});
    world.add_table(state_, 1).add<std::int64_t>({"drained", ""});
    for (Object& o : world.objects)
      if (o.name == p_.fluid.name) o.row_mass = row_mass();
  }
  void check_start(World& world) const {
    const double n = shape_.spacing / spacing_;
    if (n < 1 - 1e-6 || n > 4 + 1e-6)
      throw Error(ExitCode::bad_input,
                  fmt::format("particles of '{}' are {:.4g} m apart and cells of '{}' {:.4g} m "
                              "wide; give the particles a spacing of {:.4g}, or the grid one of "
                              "{:.4g}",
                              p_.fluid.name, spacing_, p_.grid.name, shape_.spacing,
                              shape_.spacing / 2, 2 * spacing_));
    std::size_t outside = 0;
    const auto position = world.table(p_.fluid.name).template download<Vec<D>>("position");
    for (const Vec<D>& x : position) {
      bool inside = true;
      for (int a = 0; a < D; ++a) {
        const double t = (double(x[a]) - shape_.low[a]) / shape_.spacing;
        inside = inside && t > -1e-3 && t < shape_.cells[a] + 1e-3;
      }
      outside += !inside;
    }
    if (outside > 0)
      throw Error(ExitCode::bad_input,
                  fmt::format("{} of {} particles of '{}' start outside of the grid '{}'; make the "
                              "grid larger, or the fill smaller",
                              outside, position.size(), p_.fluid.name, p_.grid.name));
  }

  // What a fill put into solids, where they are at the start.
  void leave_out(World& world) {
    if (!walls_.solids()) return;
    walls_.recall(world);
    Table& t = world.table(p_.fluid.name);
    marks_.resize(std::size_t(t.rows()));
    flip::mark_inside<D>(ex_, place_, solid(), state(world).position, Real(spacing_ / 2),
                         marks_.span());
    const Index all = t.rows();
    if (const Index gone = t.remove(marks_.span()); gone > 0)
      left_out_ = fmt::format(
          "{} of {} particles of '{}' were filled in inside of what stands there, and left out",
          gone, all, p_.fluid.name);
  }

  int substeps(World& world, double dt) const {
    if (p_.substeps) return *p_.substeps;
    const double speed = std::max(greatest_speed(world), bodies_.greatest_speed()) +
                         dt * double(norm(world.gravity_vector<D>()));
    const double n = std::ceil(speed * dt / (p_.max_courant * shape_.spacing));
    if (!(n <= grid_.most_substeps)) grid_.stop(world, dt, speed);
    const double capillary = std::ceil(dt / capillary_dt() - 1e-9);
    if (capillary > grid_.most_substeps)
      throw Error(ExitCode::bad_input,
                  fmt::format("waves of surface tension on cells of {:.3g} m ask for substeps of "
                              "{:.3g} s, and a step of {:.3g} s would have over {}: use shorter "
                              "steps",
                              shape_.spacing, capillary_dt(), dt, grid_.most_substeps));
    return std::max({1, int(n), int(capillary)});
  }
  double greatest_speed(World& world) const {
    const auto of_particles = double(flip::greatest_speed<D>(ex_, velocity(world)));
    return band_ ? std::max(of_particles, band_->greatest_speed()) : of_particles;
  }
  double capillary_dt() const {
    if (p_.surface_tension == 0) return std::numeric_limits<double>::infinity();
    return SurfaceTension::stable_dt(p_.surface_tension, p_.rest_density, shape_.spacing);
  }

  // Zhu & Bridson 2005, sec. 3, begun with particles that stand where the last step left them.
  void substep(World& world, const Step& step, int index, int of) {
    const double dt = step.dt / of, before_end = step.dt * (of - 1 - index) / of;
    bodies_.fall(world, walls_, dt, before_end);
    const flip::Particles<D> particles = pack(world);
    grid_.find_surface(world, particles);
    grid_.gather(world, particles, dt);
    grid_.project(world, dt);
    grid_.extrapolate(dt);
    law_.now = grid_.flow();
    if (p_.keep_volume) law_.shift = grid_.even_out(world, particles);
    move(world, particles, dt);
    bodies_.move(world, walls_, dt, before_end);
    keep_on_sides(world, particles);
    keep_inside(world);
    if (!band_) return;
    find_order(world);
    band_->settle(world, in_cells(), law_, grid_.flow_speed(), walls_.faces(), step, index);
    if (walls_.solids()) keep_inside(world);
  }

  // Before the first step all of the liquid is particles.
  void begin_band(World& world, const Step& step) {
    const bool begun = band_->begun(world);
    if (begun && !band_->disturbed(world)) return;
    flip::Move<D> still;
    still.domain = domain_, still.layout = grid_.layout();
    still.trace = advection::Trace::midpoint;
    find_order(world);
    if (begun) {
      still.now = grid_.carried_flow(world);
      return band_->wake(world, in_cells(), still, step);
    }
    grid_.gather_velocity(world, pack(world));
    still.now = grid_.flow();
    band_->settle(world, in_cells(), still, 0, walls_.faces(), step, -1);
  }
  typename NarrowBand<D>::Rows in_cells() const { return {order_.span(), first_.span()}; }

  flip::State<D> state(World& world) const {
    Table& t = world.table(p_.fluid.name);
    flip::State<D> s{t.column<Vec<D>>("position"), t.column<Vec<D>>("velocity"), {}};
    if (affine()) s.affine = t.column<Vec<D * D>>(gradient);
    return s;
  }
  Span<const Vec<D>> velocity(World& world) const { return state(world).velocity; }

  void find_order(World& world) {
    const auto position = state(world).position;
    marks_.resize(std::size_t(position.size)), order_.resize(marks_.size());
    flip::cell_keys<D>(ex_, place_, position, marks_.span());
    bin_by_key(ex_, "flip.sort", marks_.span(), std::uint32_t(shape_.rows()), order_.span(),
               first_.span());
  }
  flip::Particles<D> pack(World& world) {
    find_order(world);
    const Index n = rows(world), pitch = (n + 2 * lane_count - 1) / lane_count * lane_count;
    places_.resize(std::size_t(pitch) * D);
    auto p = flip::pack<D>(ex_, place_, state(world), order_.span(), first_.span(), pitch,
                           places_.data());
    if (band_) p.deep = band_->deep(world);
    return p;
  }

  // What the particles say at the end of the step.
  void find_columns(World& world) {
    const flip::Particles<D> particles = pack(world);
    grid_.find_surface(world, particles);
    grid_.gather_velocity(world, particles);
    mac::centre_velocity<D>(ex_, domain_, grid_.faces(),
                            grid_.cells(world).template column<Vec<D>>("velocity"));
  }

  void move(World& world, const flip::Particles<D>& particles, double dt) {
    flip::Move<D>& law = law_;
    law.domain = domain_, law.layout = grid_.layout();
    law.before = grid_.before();
    law.transfer = p_.transfer, law.flip_share = Real(p_.flip_share);
    law.cells_per_speed = Real(dt / shape_.spacing), law.trace = p_.trace;
    // Rows get the order of the cells that they come from, so that what is near in space is near in
    // memory.
    std::vector<std::string_view> anew{"position", gradient};
    if (!flips()) anew.push_back("velocity");
    world.table(p_.fluid.name).permute(order_.span(), anew);
    flip::move<D>(ex_, place_, law, particles, state(world));
  }

  // Of sheets. Rows are in the order of the particles, which are where they were.
  void keep_on_sides(World& world, const flip::Particles<D>& before) {
    if constexpr (D == 3) {
      if (sheets_->empty()) return;
      FlowMeshes& meshes = bodies_.meshes();
      std::vector<flip::SheetHit> hits = sheets_->go(meshes.position(), before.x, state(world));
      if (!before.x[0]) sheets_->check(hits, p_.fluid.name, rows(world));
      std::vector<FlowMeshes::Hit> met;
      for (const flip::SheetHit& h : hits) met.push_back(sheets_->hit_of(h));
      std::vector<FlowMeshes::Hit> after = met;
      meshes.collide(row_mass(), after);
      for (std::size_t k = 0; k < hits.size(); ++k)
        hits[k].velocity = hits[k].velocity + Real(after[k].speed - met[k].speed) * hits[k].normal;
      const Buffer<flip::SheetHit> there(ex_, std::span<const flip::SheetHit>(hits));
      flip::stop_at_sheets(ex_, there.span(), state(world));
    }
  }

  void keep_inside(World& world) {
    Table& t = world.table(p_.fluid.name);
    marks_.resize(std::size_t(t.rows()));
    const Index gone =
        flip::keep_inside<D>(ex_, place_, walls_.nodes(), distance(world), state(world).position,
                             state(world).velocity, marks_.span());
    if (gone == 0) return;
    const std::int64_t all = drained(world) + t.remove(marks_.span());
    ex_.upload(world.table(state_).column<std::int64_t>("drained").data, &all, sizeof all);
  }
  std::int64_t drained(World& world) const {
    return world.table(state_).download<std::int64_t>("drained")[0];
  }

  void find_speed(World& world, double dt) {
    speed_ = greatest_speed(world);
    if (!std::isfinite(speed_)) grid_.stop(world, dt, speed_);
  }

  // Along periodic axes a fall has no depth.
  Vec<D> falling(const World& world) const {
    Vec<D> g = world.gravity_vector<D>();
    for (int a = 0; a < D; ++a)
      if (domain_.periodic(a)) g[a] = 0;
    return g;
  }

  // By the surface of the last substep.
  void measure_volume(World& world, std::vector<Measurement>& out) const {
    const double filled = all_rows(world) * std::pow(spacing_, D);
    const double volume = filled > 0 ? flip::volume<D>(ex_, domain_, walls_.faces(), solid(),
                                                       walls_.layer(), distance(world))
                                     : 0;
    out.push_back({p_.fluid.name + ".volume", volume, D == 2 ? "m^2" : "m^3"});
    volume_error_ = filled > 0 ? volume / filled - 1 : 0;
    too_much_ = volume < (1 - tight) * filled ? filled / room() - 1 : 0;
    out.push_back({p_.fluid.name + ".volume_error", volume_error_, ""});
  }

  // Outside of walls [m^D].
  double room() const {
    if (room_ > 0 && !walls_.moving()) return room_;
    const Buffer<Real> below(ex_,
                             std::vector<Real>(std::size_t(shape_.rows()), Real(-shape_.spacing)));
    room_ = flip::volume<D>(ex_, domain_, walls_.faces(), solid(), walls_.layer(), below.span());
    return room_;
  }

  void measure_walls(World& world, std::vector<Measurement>& out) const {
    const auto on = walls_.wrenches(pressure(world));
    for (std::size_t k = 0; k < on.size(); ++k) {
      if (walls_.all().members()[k].body >= 0 || walls_.all().members()[k].mesh) continue;
      const std::string& name = walls_.all().members()[k].name;
      measure_force(name, on[k].force, out);
      for (int a = D == 2 ? 2 : 0; a < 3; ++a)
        out.push_back({name + ".torque." + "xyz"[a], on[k].torque[a], "N m"});
    }
    const Vec3d weight =
        p_.rest_density * Vec3d{{world.gravity[0], world.gravity[1], world.gravity[2]}};
    measure_force(p_.grid.name, walls_.on_sides(distance(world), weight, pressure(world)).along,
                  out);
    bodies_.measure(world, out);
  }
  template <class Force>
  static void measure_force(const std::string& name, const Force& force,
                            std::vector<Measurement>& out) {
    for (int a = 0; a < D; ++a) out.push_back({name + ".force." + "xyz"[a], force[a], "N"});
  }

  FlipParams p_;
  std::string state_, left_out_;  // table; what was told of the fill
  Exec ex_;
  GridShape shape_;
  double spacing_;  // of the particles [m]
  FlipGrid<D> grid_;
  const mac::Domain& domain_;  // of grid_, as are these
  GridWalls& walls_;
  BodiesInLiquid& bodies_;
  flip::Place<D> place_;
  Buffer<std::uint32_t> marks_;  // of rows: the key of their cell, or whether they go
  Buffer<Index> order_, first_;
  Buffer<Real> places_;
  flip::Move<D> law_;
  GridProbes probes_;
  std::optional<NarrowBand<D>> band_;
  std::optional<SheetsInLiquid> sheets_;  // of three dimensions
  mutable double volume_error_ = 0, too_much_ = 0, room_ = 0;
  double speed_ = 0;  // [m/s] of the fastest particle
  int substeps_ = 0;
  bool shown_ = false;  // the grid, in frames
};

std::unique_ptr<Stage> make_flip(const FlipParams& p, World& world, const std::string& name) {
  if (world.dim == 2) return std::make_unique<Flip<2>>(p, world, name);
  return std::make_unique<Flip<3>>(p, world, name);
}

}  // namespace

StageType flip_type() {
  return stage_type(
      "flip", "Liquids with a free surface: particles that carry velocity, a grid for pressure.",
      "Zhu & Bridson, \"Animating Sand as a Fluid\", SIGGRAPH 2005; Jiang et al., \"The Affine "
      "Particle-In-Cell Method\", SIGGRAPH 2015; surface after Gibou et al., J. Comput. Phys. 176, "
      "2002; walls after Batty, Bertails & Bridson, SIGGRAPH 2007; viscosity after Larionov, "
      "Batty & Bridson, SIGGRAPH 2017; volume after Kugelstadt, Longva, Thuerey & Bender, IEEE "
      "TVCG 27, 2021",
      {"Surface tension is right for drops of six cells in radius and more. Air has no weight.",
       "Without viscosity it slides along walls; drops and sheets below a cell fly freely.",
       "Walls thinner than two cells leak, and thinner than one are not felt."},
      "docs/liquids.md", make_flip);
}

}  // namespace rtsim
