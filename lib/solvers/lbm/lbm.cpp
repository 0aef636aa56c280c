#include "solvers/lbm/lbm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bodies/fluid_push.h"
#include "bodies/six_unknowns.h"
#include "grids/body_motions.h"
#include "lbm/measures.h"
#include "particles/walls/wall_forces.h"
#include "solvers/lbm/lbm_domain.h"
#include "solvers/lbm/lbm_probes.h"
#include "solvers/lbm/lbm_setup.h"

namespace rtsim {

namespace {

using TwoBytes = VecT<std::uint8_t, 2>;  // a half, as tables know it

template <int D, class Stored>
class Lbm final : public Stage {
 public:
  Lbm(const LbmParams& p, World& world, const std::string& name)
      : p_(p),
        populations_(name + ".populations"),
        state_(name + ".state"),
        ends_(name + ".ends"),
        domain_(world, p),
        bodies_(world, p.grid.name, p.boundary.names, true),
        probes_(*world.object(p.grid.name).grid, p.probes),
        row_speed2_(world.exec, std::size_t(domain_.layout().rows())),
        units_{world.object(p.grid.name).grid->spacing, 0, p.density} {
    left_out_ = Vec3d{{world.gravity[0], world.gravity[1], world.gravity[2]}} - p.acceleration;
    Table& cells = grid_table(world);
    cells.add<Real>({"pressure", D == 2 ? "N/m" : "Pa", Role::derived});
    cells.add<Vec<D>>({"velocity", "m/s", Role::derived});
    if (p.vorticity) cells.add<lbm::Curl<D>>({"vorticity", "1/s", Role::derived});
    lbm_start_fields<D>(p, *world.object(p.grid.name).grid, cells, world.exec);
    add_populations(world);
    for (const std::string& name : p.boundary.names)
      if (p.boundary_forces && world.object(name).kind == Kind::boundary)
        FluidPush<D>::make(world, name, p.grid.name), pushed_.push_back(name);
    world.add_table(ends_, 6).add<double>({"outflow", "m/s"});
    Table& state = world.add_table(state_, 1);
    state.add<std::int64_t>({"lattice_steps", ""});
    state.add<double>({"lattice_dt", "s"});
  }

  void advance(World& world, const Step& step) override {
    begin(world, step.dt / p_.substeps);
    bodies_.begin(world, domain_.solids(), step.dt);
    std::vector<lbm::Wrench> on(pushed_.size());
    for (int s = 1; s <= p_.substeps; ++s) {
      const auto f = populations(world);
      predict_bodies();
      domain_.template move<Stored>(world, (p_.substeps - s) * units_.dt, 0, law_, f,
                                    output(world, false));
      lbm::Drive drive;
      ++lattice_steps_;
      law_.step = std::uint32_t(lattice_steps_);
      drive.ramp = ramp(lattice_steps_);
      raise_ends(drive);
      lbm::step<D, Stored>(world.exec, domain_.layout(), law_, f, domain_.solid(), domain_.walk(),
                           drive, output(world, s == p_.substeps), row_speed2_.span());
      push_bodies(world, f);
      watch_ends(world);
      for (std::size_t b = 0; b < on.size(); ++b) on[b] = on[b] + wrench_on(world, pushed_[b]);
    }
    save(world);
    for (std::size_t b = 0; b < on.size(); ++b) write_force(world, pushed_[b], on[b]);
    if (!bodies_.empty()) bodies_.hand_over(world, domain_.solids());
    watch(world, step.dt);
    find_vorticity(world);
  }

  // Before the first step the fields are those of the start.
  void refresh(World& world, double) override {
    lattice_steps_ = state(world).template download<std::int64_t>("lattice_steps")[0];
    domain_.mark(world);
    if (lattice_steps_ > 0) {
      prepare(world, state(world).template download<double>("lattice_dt")[0]);
      outflow_ = world.table(ends_).template download<double>("outflow");
      find_outflow(world);
      lbm::show<D, Stored>(world.exec, domain_.layout(), law_, populations(world).next(),
                           domain_.solid(), output(world, true));
    }
    speed_ = 0;
    for (const Vec<D>& u : grid_table(world).template download<Vec<D>>("velocity"))
      speed_ = std::max(speed_, double(norm(u)));
    find_vorticity(world);
  }

  double stable_dt(World&) const override {
    const double speed = std::max(domain_.greatest_wall_speed(), speed_);
    if (!(speed > 0)) return std::numeric_limits<double>::infinity();
    return p_.substeps * lbm_greatest_speed * units_.spacing / speed;
  }

  std::string warning(World&) const override {
    const double speed = units_.to_speed(std::max(domain_.greatest_wall_speed(), speed_));
    if (speed > lbm_good_speed)
      return fmt::format(
          "{:.3g} m/s are {:.2g} cells a step; above {} compression shows: try "
          "\"substeps\": {:.0f}",
          speed * units_.of_speed(), speed, lbm_good_speed,
          std::ceil(p_.substeps * speed / lbm_good_speed));
    if (!domain_.unfelt().empty())
      return fmt::format(
          "no cell of '{}' has its centre inside '{}', so the fluid does not feel "
          "it; use a smaller spacing",
          p_.grid.name, domain_.unfelt().front());
    return domain_.mended();
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const std::string& name = p_.grid.name;
    const auto t = lbm::totals<D>(world.exec, flow(world), pressure(world));
    const double volume = std::pow(world.object(name).grid->spacing, D), cell = p_.density * volume;
    const double excess = units_.dt > 0 ? t.pressure / units_.of_density() : 0;
    out.push_back({name + ".mass", cell * (t.cells + excess), "kg"});
    for (int a = 0; a < D; ++a)
      out.push_back({name + ".momentum" + axes[a], cell * t.velocity[a], "kg m/s"});
    Vec3d sum;
    for (int a = 0; a < D; ++a) sum[a] = t.velocity[a];
    const GridShape& grid = *world.object(name).grid;
    const Vec3d angular_momentum =
        cross(grid.low, sum) +
        grid.spacing * Vec3d{{t.angular_momentum[0], t.angular_momentum[1], t.angular_momentum[2]}};
    for (int a = D == 2 ? 2 : 0; a < 3; ++a)
      out.push_back({name + ".angular_momentum" + axes[a], cell * angular_momentum[a], "kg m^2/s"});
    out.push_back({name + ".kinetic_energy", 0.5 * cell * t.speed2, "J"});
    out.push_back({name + ".enstrophy", 0.5 * volume * t.curl2, D == 2 ? "m^2/s^2" : "m^3/s^2"});
    out.push_back({name + ".max_speed", speed_, "m/s"});
    out.push_back({name + ".lattice_speed", units_.to_speed(speed_), ""});
    measure_walls(world, out);
    std::vector<Measurement> places;
    probes_.measure(world.exec, domain_.layout(), domain_.solid(), pressure(world), velocity(world),
                    places);
    for (Measurement& m : places) out.push_back({name + "." + m.name, m.value, m.unit});
  }

  // A pressure face drives what lies between it and the one opposite.
  Feed feed(World& world) const override {
    const GridShape& g = *world.object(p_.grid.name).grid;
    Feed feed;
    feed.speed = domain_.greatest_wall_speed();
    feed.acceleration = norm(p_.acceleration) + (bodies_.empty() ? 0 : norm(left_out_));
    for (int f = 0; f < 6; ++f)
      if (p_.faces[f].kind == lbm::Faces::pressure)
        feed.acceleration +=
            std::abs(p_.faces[f].pressure) / (p_.density * g.cells[f / 2] * g.spacing);
    return feed;
  }

  std::vector<ColumnUse> uses() const override {
    std::vector<ColumnUse> all{{p_.grid.name, "pressure", Access::write},
                               {p_.grid.name, "velocity", Access::write}};
    if (p_.vorticity) all.push_back({p_.grid.name, "vorticity", Access::write});
    return all;
  }

 private:
  static constexpr const char* axes[3] = {".x", ".y", ".z"};
  using Cell = std::conditional_t<std::is_same_v<Stored, Real>, Real, TwoBytes>;

  void measure_walls(World& world, std::vector<Measurement>& out) const {
    for (const auto& taker : domain_.takers()) {
      const lbm::Wrench on = wrench_on(world, taker.wall);
      for (int a = 0; a < D; ++a)
        out.push_back({taker.name + ".force" + axes[a], on.force[a], "N"});
      for (int a = D == 2 ? 2 : 0; a < 3; ++a)
        out.push_back({taker.name + ".torque" + axes[a], on.torque[a], "N m"});
    }
  }

  static std::string column(int q) { return "f" + std::to_string(q); }
  Table& grid_table(World& w) const { return w.table(p_.grid.name); }
  Table& state(World& w) const { return w.table(state_); }
  Span<Real> pressure(World& w) const { return grid_table(w).template column<Real>("pressure"); }
  Span<Vec<D>> velocity(World& w) const {
    return grid_table(w).template column<Vec<D>>("velocity");
  }

  lbm::Flow<D> flow(World& w) const {
    lbm::Flow<D> f{domain_.layout(), domain_.solid(), {}, Real(units_.spacing), velocity(w)};
    for (int a = 0; a < D; ++a) f.periodic[a] = p_.faces[2 * a].kind == lbm::Faces::periodic;
    return f;
  }

  // [N], [N m] about the origin; of the last lattice step.
  lbm::Wrench wrench_on(World& w, int wall) const {
    if (lattice_steps_ == 0) return {};
    const lbm::Wrench on =
        domain_.template wrench<Stored>(w.exec, law_, populations(w).next(), wall);
    const double unit = units_.of_force(D) / double(lbm::scale<Stored>);
    return {unit * on.force, unit * on.torque};
  }

  lbm::Wrench wrench_on(World& w, const std::string& boundary) const {
    const auto& solids = domain_.solids().members();
    std::size_t k = 0;
    while (solids[k].object != boundary) ++k;
    return wrench_on(w, domain_.wall_of(k));
  }

  // Into the hand-over of a boundary; `sum` is over the substeps.
  void write_force(World& w, const std::string& boundary, const lbm::Wrench& sum) const {
    sph::ForceAndTorque mean;
    for (int a = 0; a < 3; ++a) mean.force[a] = sum.force[a], mean.torque[a] = sum.torque[a];
    write_forces<D>(w, boundary, p_.grid.name, {mean}, 1.0 / p_.substeps);
  }

  // Before a lattice step: they fall, and are lifted by the part of gravity that the lattice's
  // pressure leaves out, all but what "acceleration" has of it.
  void predict_bodies() {
    if (bodies_.empty()) return;
    bodies_.go(units_.dt);
    bodies_.fall(units_.dt);
    bodies_.lift(domain_.solids(), domain_.grid(), units_.dt, p_.density, left_out_);
    domain_.predict(bodies_.motions());
  }

  // After it, each body yields: with what it does to the links, K dV of the force goes,
  //   dV = h W (F - K dV),  W its inverse mass and inertia.
  // Without that the answer of light bodies comes a step late, and grows.
  void push_bodies(World& w, const lbm::Populations<D, Stored>& f) {
    if (bodies_.empty()) return;
    const double unit = units_.of_force(D) / double(lbm::scale<Stored>);
    for (std::size_t b = 0; b < bodies_.bodies().size(); ++b) {
      const BodyMotions::Body& body = bodies_.bodies()[b];
      const lbm::Wrench on = wrench_on(w, domain_.wall_of(body.member));
      const Vec3d moment = on.torque - cross(domain_.solids().centre(body.member), on.force);
      Vector6 force;
      for (int a = 0; a < 3; ++a) force[a] = on.force[a], force[3 + a] = moment[a];
      if (body.yields) {
        const lbm::Response r = domain_.response(w.exec, domain_.wall_of(body.member));
        Matrix6 k, mobility = mobility_of(body);
        for (int i = 0, e = 0; i < 6; ++i)
          for (int j = i; j < 6; ++j, ++e) k(i, j) = k(j, i) = unit * r.k[e];
        const Matrix6 a = Matrix6::Identity() + units_.dt * k * mobility;
        force = solve(a, force);
      }
      bodies_.push(b, units_.dt * Vec3d{{force[0], force[1], force[2]}},
                   units_.dt * Vec3d{{force[3], force[4], force[5]}});
    }
    domain_.template set_motion<Stored>(w, bodies_.motions(), law_, f);
  }
  static Matrix6 mobility_of(const BodyMotions::Body& b) {
    const double* i = b.inverse_inertia;
    Matrix6 w = Matrix6::Zero();
    w.diagonal() << b.inverse_mass, b.inverse_mass, b.inverse_mass, i[0], i[1], i[2];
    w(3, 4) = w(4, 3) = i[3], w(3, 5) = w(5, 3) = i[4], w(4, 5) = w(5, 4) = i[5];
    return w;
  }

  void find_vorticity(World& w) const {
    if (!p_.vorticity) return;
    lbm::vorticity<D>(w.exec, flow(w), grid_table(w).template column<lbm::Curl<D>>("vorticity"));
  }

  void add_populations(World& world) {
    Table& t = world.add_table(populations_, Index(domain_.layout().slots()));
    for (int q = 0; q < lbm::Lattice<D>::directions; ++q) t.add<Cell>({column(q), ""});
  }

  // As the next step sees them.
  lbm::Populations<D, Stored> populations(World& world) const {
    Table& t = world.table(populations_);
    const auto array = [&](int q) {
      return reinterpret_cast<Stored*>(t.template column<Cell>(column(q)).data);
    };
    lbm::Populations<D, Stored> f{array(0), {}};
    for (int k = 0; k < 2 * lbm::Lattice<D>::pairs; ++k) f.array[k] = array(1 + k);
    return lattice_steps_ % 2 ? f.next() : f;
  }

  lbm::Output<D> output(World& w, bool wanted) const {
    const double s = double(lbm::scale<Stored>);
    return {wanted,
            pressure(w),
            velocity(w),
            Real(units_.of_density() / s),
            Real(units_.of_speed() / s),
            Real(std::pow(s * lbm_greatest_speed, 2))};
  }

  void begin(World& world, double dt) {
    if (units_.dt == dt && prepared_) return;
    prepare(world, dt);
    if (lattice_steps_ > 0) return;
    world.exec.upload(state(world).template column<double>("lattice_dt").data, &dt, sizeof dt);
    // As if step -1 had left it.
    const lbm::Populations<D, Stored> last = populations(world).next();
    lbm::start<D, Stored>(world.exec, domain_.layout(), law_, last, domain_.solid(),
                          output(world, false));
    lbm::Drive drive;
    drive.ramp = ramp(0);
    lbm::link_all<D, Stored>(world.exec, domain_.layout(), law_, last, domain_.walk(), drive);
    if (!bodies_.empty()) domain_.template set_motion<Stored>(world, carried(), law_, last);
    outflow_.assign(6, 0);
    find_outflow(world);
    for (int face = 0; face < 2 * D; ++face)
      if (absorbs(face) && pace(face) > 0)
        outflow_[std::size_t(face)] = flow_[face] - pressed_out(ramp(0));
  }

  // Bodies as if the fluid had carried them to where they start: what they had pushed it by before,
  // they would not have lost.
  std::vector<SolidMotion> carried() const {
    std::vector<SolidMotion> all;
    for (std::size_t k = 0; k < domain_.solids().members().size(); ++k)
      all.push_back(domain_.solids().members()[k].body < 0 ? domain_.solids().motion(k)
                                                           : SolidMotion{p_.velocity, {}, {}, {}});
    return all;
  }

  // Sound leaves by a face whose pressure follows that of a wave on its way out, p = rho c (u - U).
  // U is what incompressible fluid would do: the mean over the faces that inlets and obstacles
  // press out. How it divides between several faces, their pressures decide: U' = K (u - U) then
  // finds it, as in the non-reflecting outlets of Rudy & Strikwerda, J. Comput. Phys. 36, 1980, and
  // Poinsot & Lele, J. Comput. Phys. 101, 1992. With K = 2 sigma c / L the longest wave between two
  // such faces L apart has the exponents 1 + z / sigma = - e^(-z), z L / c; the two that are
  // largest meet, and decay fastest, where k ln k = 1 + k, k = 1 / sigma: sigma = 0.2785. A face
  // that closes the other end mirrors the first, at 2 L.
  //   Waves are plane: vortices carry no mean flow through a face. Oblique sound is thrown back.
  static constexpr double sigma = 0.2785, sound = 0.57735026918962576;
  int pressure_faces() const {
    int count = 0;
    for (int face = 0; face < 2 * D; ++face) count += p_.faces[face].kind == lbm::Faces::pressure;
    return count;
  }
  // Of U in a step.
  double pace(int face) const {
    if (pressure_faces() == 1) return 0;
    const bool open = p_.faces[face ^ 1].kind == lbm::Faces::pressure;
    return 2 * sigma * sound / ((open ? 1 : 2) * domain_.layout().n[face / 2]);
  }
  bool absorbs(int face) const {
    return p_.faces[face].kind == lbm::Faces::pressure && p_.faces[face].absorbing;
  }
  double pressed_out(Real ramp) const {
    return domain_.open() ? units_.of_speed() / double(lbm::scale<Stored>) * domain_.outflow(ramp)
                          : 0;
  }
  // [m/s], of the last step.
  void find_outflow(World& w) {
    for (int face = 0; face < 2 * D; ++face) {
      if (!absorbs(face)) continue;
      const lbm::FaceFlow flow =
          domain_.template face_flow<Stored>(w.exec, law_, populations(w).next(), face);
      const double unit = units_.of_speed() / double(lbm::scale<Stored>);
      flow_[face] = flow.cells > 0 ? unit * flow.out / flow.cells : 0;
    }
  }
  void raise_ends(lbm::Drive& drive) const {
    const double s = double(lbm::scale<Stored>);
    for (int face = 0; face < 2 * D; ++face)
      if (absorbs(face))
        drive.rise[face] = Real(
            s / sound *
            units_.to_speed(flow_[face] - outflow_[std::size_t(face)] - pressed_out(drive.ramp)));
  }
  void watch_ends(World& w) {
    find_outflow(w);
    for (int face = 0; face < 2 * D; ++face) {
      if (!absorbs(face)) continue;
      double& mean = outflow_[std::size_t(face)];
      mean += pace(face) * (flow_[face] - mean - pressed_out(ramp(lattice_steps_)));
    }
  }

  void prepare(World& world, double dt) {
    units_.dt = dt;
    domain_.prepare(world, units_, lbm::scale<Stored>);
    if (lattice_steps_ == 0) check_speed();
    law_ = lbm_law<D>(p_, units_, double(lbm::scale<Stored>));
    prepared_ = true;
  }

  void check_speed() const {
    const double speed = std::max(domain_.greatest_wall_speed(), lbm_start_speed(p_));
    if (units_.to_speed(speed) < lbm_greatest_speed) return;
    throw Error(ExitCode::bad_input,
                fmt::format("walls, inlets or the fluid at the start move at {:.3g} m/s, which is "
                            "{:.2g} cells a step; the lattice carries {:.2g}: try \"substeps\": "
                            "{:.0f}",
                            speed, units_.to_speed(speed), lbm_greatest_speed,
                            std::ceil(p_.substeps * units_.to_speed(speed) / lbm_good_speed)));
  }

  // Of the velocity of faces, at the end of a lattice step.
  Real ramp(std::int64_t steps) const {
    const double time = double(steps) * units_.dt;
    if (time >= p_.ramp) return 1;
    return Real(0.5 * (1 - std::cos(std::numbers::pi * time / p_.ramp)));
  }

  void save(World& world) {
    world.exec.upload(state(world).template column<std::int64_t>("lattice_steps").data,
                      &lattice_steps_, sizeof lattice_steps_);
    world.exec.upload(world.table(ends_).template column<double>("outflow").data, outflow_.data(),
                      outflow_.size() * sizeof(double));
  }

  void watch(World& world, double dt) {
    const double most = double(lbm::greatest(world.exec, row_speed2_.span()));
    if (std::isfinite(most)) {
      speed_ = units_.of_speed() * std::sqrt(most) / double(lbm::scale<Stored>);
      return;
    }
    const auto u = grid_table(world).template download<Vec<D>>("velocity");
    const double limit = lbm_greatest_speed * units_.of_speed();
    Index row = 0;
    while (row + 1 < Index(u.size()) && norm(u[std::size_t(row)]) < Real(limit)) ++row;
    const double seen = double(norm(u[std::size_t(row)]));
    throw Diverged(fmt::format(
        "velocity of row {} of '{}' is {}; dt {:.3g} s in {} substeps carries {:.3g} m/s: try "
        "\"substeps\": {}, \"smagorinsky\": 0.03, or more viscosity",
        row, p_.grid.name, std::isfinite(seen) ? fmt::format("{:.3g} m/s", seen) : "not finite", dt,
        p_.substeps, limit, 3 * p_.substeps));
  }

  LbmParams p_;
  std::string populations_, state_, ends_;
  std::vector<std::string> pushed_;  // boundaries with a hand-over
  mutable LbmDomain<D> domain_;
  BodyMotions bodies_;
  Vec3d left_out_;  // [m/s^2] of gravity
  LbmProbes<D> probes_;
  Buffer<Real> row_speed2_;
  LbmUnits units_;
  lbm::Law<D> law_;
  bool prepared_ = false;
  std::int64_t lattice_steps_ = 0;
  double flow_[6] = {};  // [m/s] out of each absorbing face, of the last step
  std::vector<double> outflow_ = std::vector<double>(6, 0);  // [m/s] beyond what is pressed out
  double speed_ = 0;                                         // [m/s] the greatest
};

std::unique_ptr<Stage> make_lbm(const LbmParams& p, World& world, const std::string& name) {
  const bool half = p.storage == LbmParams::Storage::half;
  if (world.dim == 2) {
    if (half) return std::make_unique<Lbm<2, lbm::Half>>(p, world, name);
    return std::make_unique<Lbm<2, Real>>(p, world, name);
  }
  if (half) return std::make_unique<Lbm<3, lbm::Half>>(p, world, name);
  return std::make_unique<Lbm<3, Real>>(p, world, name);
}

}  // namespace

StageType lbm_type() {
  return stage_type(
      "lbm", "Incompressible flow round obstacles by lattice Boltzmann: D2Q9, D3Q19, in place.",
      "He & Luo, \"Lattice Boltzmann Model for the Incompressible Navier-Stokes Equation\", J. "
      "Stat. Phys. 88, 1997; Ginzburg, Verhaeghe & d'Humieres, \"Two-relaxation-time Lattice "
      "Boltzmann scheme\", Commun. Comput. Phys. 3, 2008; Thuerey, \"Real Time Physics\" class "
      "notes, SIGGRAPH 2008, ch. 10",
      {"No free surface, no heat; speeds below a third of a cell a step, better a tenth.",
       "Sound reflects from inlets and pressure faces, and leaves moving obstacles.",
       "Obstacles that are thinner than a cell are not felt."},
      "docs/grids.md", make_lbm);
}

}  // namespace rtsim
