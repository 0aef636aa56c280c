#include "solvers/foam/foam.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/hash.h"
#include "exec/sort.h"
#include "foam/foam.h"
#include "particles/walls/wall_shapes.h"
#include "shapes/shape.h"
#include "solvers/foam/liquid_frames.h"

namespace rtsim {

void describe(Describe& d, TrappedAirParams& p) {
  d("rate", p.rate, "1/s", at_least(0),
    "Particles that one of the liquid bears a second where this and the kinetic energy are as "
    "great "
    "as they count. Default: 20 sqrt(g / s), of gravity g and the liquid's spacing s.");
  d("from", p.from, "m/s", at_least(0),
    "Below this speed of approach there is none. Default: sqrt(g s).");
  d("to", p.to, "m/s", above(0), "From this one on it counts in full. Default: 3 sqrt(g s).");
  if (p.from && p.to && *p.to <= *p.from) d.fault("to", "must lie above \"from\"");
}

void describe(Describe& d, WaveCrestParams& p) {
  d("rate", p.rate, "1/s", at_least(0), "Likewise. Default: 5 sqrt(g / s).");
  d("from", p.from, "", at_least(0),
    "Below this curvature there is none: the mean of 1 - cos of the angles between the surface's "
    "normal and those of neighbours below it. An edge of a box has less than 0.1.");
  d("to", p.to, "", above(0), "From this one on it counts in full.");
  if (p.to <= p.from) d.fault("to", "must lie above \"from\"");
}

void describe(Describe& d, KineticEnergyParams& p) {
  d("from", p.from, "m^2/s^2", at_least(0),
    "Liquid whose v^2 / 2 is below bears nothing. Default: g times 5 spacings, as after a fall so "
    "high.");
  d("to", p.to, "m^2/s^2", above(0),
    "From this one on it counts in full. Default: g times 50 spacings.");
  if (p.from && p.to && *p.to <= *p.from) d.fault("to", "must lie above \"from\"");
}

void describe(Describe& d, FoamDomain& p) {
  d.required("min", p.min, "m", any(), "Lower corner.");
  d.required("max", p.max, "m", any(), "Upper corner.");
}

void describe(Describe& d, FoamParams& p) {
  static constexpr const char *particles[] = {"particles"}, *boundaries[] = {"boundary"};
  d.role("fluid", p.fluid, particles, "The liquid behind which it comes to be.");
  d.role("foam", p.foam, particles,
         "What it adds to and moves: particles without a fill, of any spacing, which is how large "
         "pictures draw them.");
  d.roles("boundary", p.boundary, boundaries,
          "Walls that it slides along: closed shapes, standing or moving.");
  d("frames", p.frames,
    "frames.jsonl of a finished run, whose particles of the fluid's name pass by in place of those "
    "of its fill. `rtsim foam` makes such scenes.");
  d("support", p.support, "", between(1.5, 4),
    "How far it looks for the liquid, in spacings of the liquid.");
  d.nested("trapped_air", p.trapped_air,
           "Where the liquid's particles meet: the mean speed at which they approach.");
  d.nested("wave_crests", p.wave_crests,
           "Where a surface that is convex moves outwards: its curvature.");
  d.nested("kinetic_energy", p.kinetic_energy,
           "How much of both counts: that of a unit of mass, v^2 / 2.");
  d("spray_below", p.spray_below, "", between(0, 1),
    "With fewer neighbours of the liquid it is spray, which flies. In parts of those in the midst "
    "of the liquid; at its surface there are half of them.");
  d("bubbles_from", p.bubbles_from, "", between(0, 2),
    "With more it is bubbles, which rise; between the two it is foam, which goes with the liquid.");
  d("spread", p.spread, "", at_least(0),
    "Speed at which what is born half a spacing off the path of a particle goes away from it, in "
    "parts of the particle's own.");
  d("buoyancy", p.buoyancy, "", at_least(0),
    "Of bubbles, in g. 2 is that of air that moves half of its volume of liquid along.");
  d("drag", p.drag, "1/s", above(0),
    "Rate at which bubbles take on the liquid's velocity. They rise at buoyancy g / drag. Default: "
    "4 "
    "sqrt(g / s), with which that is 0.5 sqrt(g s).");
  d("lifetime", p.lifetime, "s", above(0),
    "How long foam lasts, in the mean; each particle has 0.5 to 1.5 of it. Spray and bubbles do "
    "not age. Default: 50 sqrt(s / g).");
  d.nested("domain", p.domain,
           "A box; what leaves it is taken out. Default: the box around the liquid, larger on each "
           "side by its greatest extent.");
  d.nested("periodic", p.periodic, "The box that repeats, as the liquid has it.");
  d("max_particles", p.max_particles, "", between(1, 2e9),
    "Most particles that the foam may have; memory for them is taken at the start. At that number "
    "none are born, until others are gone.");
  if (!p.foam.name.empty() && p.foam.name == p.fluid.name)
    d.fault("foam",
            "is the liquid itself; give the foam an object of its own, of kind \"particles\" and "
            "without a fill");
  if (p.bubbles_from <= p.spray_below)
    d.fault("bubbles_from", "must lie above \"spray_below\", or nothing is foam");
  if (p.domain)
    for (int a = 0; a < (d.dim() == 2 ? 2 : 3); ++a)
      if (d.dim() > 0 && !(p.domain->min[a] < p.domain->max[a]))
        d.fault("domain", "its max must lie above its min along all axes");
}

RowBudget row_budget(const FoamParams& p) { return {p.foam.name, double(p.max_particles)}; }

// Walls are felt as the shapes that they are: samples of them are for no fluid of this stage.
BoundaryMemory boundary_memory(const FoamParams&, int) { return {}; }

namespace {

constexpr double most_births = 1000;  // of a particle in a step
// Of a step, within which what is born comes to its place: walls stand meanwhile.
constexpr double at_once = 1e-3;
constexpr double pi = 3.14159265358979323846;

// What follows from the scene where it is not given, with c = sqrt(g s) and t = sqrt(s / g).
struct FoamScales {
  double air_rate, air_from, air_to, crest_rate, energy_from, energy_to, drag, lifetime;

  FoamScales(const FoamParams& p, double spacing, double gravity) {
    const double c = std::sqrt(gravity * spacing), t = std::sqrt(spacing / gravity);
    std::vector<std::string> missing;
    const auto take = [&](const std::optional<double>& given, double otherwise, const char* key) {
      if (!given && !(gravity > 0)) missing.emplace_back(key);
      return given.value_or(otherwise);
    };
    air_rate = take(p.trapped_air.rate, 20 / t, "trapped_air/rate");
    air_from = take(p.trapped_air.from, c, "trapped_air/from");
    air_to = take(p.trapped_air.to, 3 * c, "trapped_air/to");
    crest_rate = take(p.wave_crests.rate, 5 / t, "wave_crests/rate");
    energy_from = take(p.kinetic_energy.from, 5 * c * c, "kinetic_energy/from");
    energy_to = take(p.kinetic_energy.to, 50 * c * c, "kinetic_energy/to");
    drag = take(p.drag, 4 / t, "drag");
    lifetime = take(p.lifetime, 50 * t, "lifetime");
    if (!missing.empty())
      throw Error(ExitCode::bad_input,
                  fmt::format("there is no gravity that defaults could follow from; give \"{}\"",
                              fmt::join(missing, "\", \"")));
    check(air_from, air_to, "trapped_air", "m/s");
    check(energy_from, energy_to, "kinetic_energy", "m^2/s^2");
  }
  static void check(double from, double to, const char* key, const char* unit) {
    if (!(to > from))
      throw Error(
          ExitCode::bad_input,
          fmt::format("\"{0}\" counts from {1:.4g} {3} on and in full from {2:.4g} {3}; give "
                      "both \"from\" and \"to\", the second above the first",
                      key, from, to, unit));
  }
};

foam::Ramp ramp(double from, double to) { return {Real(from), Real(1 / (to - from))}; }

template <int D>
class Foam final : public Stage {
 public:
  Foam(const FoamParams& p, World& world, const std::string& name)
      : p_(p),
        spacing_(world.object(p.fluid.name).spacing),
        scales_(p, spacing_, double(norm(world.gravity_vector<D>()))),
        stage_key_(std::uint32_t(hash_bytes(name.data(), name.size()))),
        state_(name + ".state"),
        ex_(world.exec),
        walls_(world, closed(world, p.boundary.names), spacing_),
        keys_(ex_),
        doomed_(ex_),
        ids_(ex_),
        order_(ex_),
        first_(ex_),
        neighbours_(ex_),
        births_(ex_),
        offsets_(ex_),
        rows_(ex_),
        velocity_(ex_),
        normal_(ex_),
        at_(ex_),
        way_(ex_),
        bent_(ex_) {
    if (p.periodic) periodic_ = periodic_box(*p.periodic, D, support());
    if (!p.frames.path.empty()) {
      frames_.emplace(p.frames.path, world, p.fluid.name);
      frames_->show(world, 0);
    }
    check_liquid(world);
    add_columns(world);
  }

  void advance(World& world, const Step& step) override {
    check_rates(step.dt);
    if (frames_) frames_->show(world, step.end());
    now_ = step.end();
    const foam::Liquid liquid = find_liquid(world);
    move(world, liquid, step);
    bear(world, liquid, step);
  }

  std::string warning(World& world) const override {
    if (frames_ && now_ > frames_->end() * (1 + 1e-9))
      return fmt::format("the frames of '{}' end at {} s: from there on it stands", p_.fluid.name,
                         frames_->end());
    if (counted(world, "refused") == 0) return {};
    return fmt::format(
        "'{}' has the {} particles of \"max_particles\", so no more are born, and what lies first "
        "in the liquid comes first; raise it, or lower the rates or the lifetime",
        p_.foam.name, p_.max_particles);
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const foam::Counts now =
        foam::count(ex_, world.table(p_.foam.name).template column<const std::int32_t>("phase"));
    const char* names[] = {"spray", "foam", "bubbles"};
    for (int k = 0; k < 3; ++k)
      out.push_back({p_.foam.name + "." + names[k], double(now.of[k]), ""});
    for (const char* what : {"born", "died", "refused"})
      out.push_back({p_.foam.name + "." + what, double(counted(world, what)), ""});
  }

  // The foam's velocity stands for its position too: a stage that moves one moves both, and one
  // that said it writes positions would be held apart from the liquid, as fluids of two stages are.
  std::vector<ColumnUse> uses() const override {
    const Access liquid = frames_ ? Access::write : Access::read;
    return {{p_.fluid.name, "position", liquid},
            {p_.fluid.name, "velocity", liquid},
            {p_.foam.name, "velocity", Access::write}};
  }

 private:
  double support() const { return p_.support * spacing_; }

  static const std::vector<std::string>& closed(World& world,
                                                const std::vector<std::string>& boundaries) {
    for (const std::string& b : boundaries) {
      refuse_deforming(world.object(b), "\"foam\"");
      if (!world.object(b).shape->closed())
        throw Error(ExitCode::bad_input,
                    fmt::format("'{}' is an open mesh, which has no inside to keep foam out of; "
                                "close its holes, or leave it out of \"boundary\"",
                                b));
    }
    return boundaries;
  }

  void check_liquid(World& world) const {
    Table& t = world.table(p_.fluid.name);
    for (const char* needed : {"position", "velocity"}) t.column<const Vec<D>>(needed);
    t.column<const std::uint32_t>("id");
  }

  void add_columns(World& world) {
    Table& t = world.table(p_.foam.name);
    if (t.rows() > 0)
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' starts with {} particles, and foam starts with none; leave out "
                              "its \"fill\"",
                              p_.foam.name, t.rows()));
    if (t.has("phase"))
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' is the foam of another stage as well; give each its own",
                              p_.foam.name));
    t.add<std::int32_t>({"phase", ""});  // 0 spray, 1 foam, 2 bubbles
    t.add<Real>({"age", "s"});
    t.add<Real>({"lifetime", "s"});
    t.reserve(p_.max_particles);
    Table& state = world.add_table(state_, 1);
    for (const char* what : {"born", "died", "refused"}) state.add<std::int64_t>({what, ""});
  }

  void check_rates(double dt) const {
    const double births = (scales_.air_rate + scales_.crest_rate) * dt;
    if (births > most_births)
      throw Error(ExitCode::bad_input,
                  fmt::format("the rates let a particle of '{}' bear {:.3g} in a step of {:.3g} s, "
                              "and {} are the most; lower them to {:.3g} 1/s together, or the step",
                              p_.fluid.name, births, dt, most_births, most_births / dt));
  }

  // The liquid in cells of half the support, in which half as many rows stand too far off as in
  // whole ones. Its own rows keep their order, on which its derived columns depend.
  foam::Liquid find_liquid(World& world) {
    Table& t = world.table(p_.fluid.name);
    const auto position = t.column<const Vec<D>>("position");
    const std::size_t n = std::size_t(position.size);
    box_ = neighbours::bounding_box<D>(ex_, position);
    const CellGrid grid =
        neighbours::make_grid(box_, box_, support() / 2, 4.0 * double(n) + 65536, periodic_);
    keys_.resize(n), order_.resize(n), first_.resize(std::size_t(grid.cells()) + 1);
    rows_.resize(n), velocity_.resize(n), ids_.resize(n);
    neighbours::cell_keys<D>(ex_, grid, position, keys_.span());
    bin_by_key(ex_, "foam.sort", keys_.span(), std::uint32_t(grid.cells()), order_.span(),
               first_.span());
    foam::pack_liquid<D>(ex_, order_.span(), position, t.column<const Vec<D>>("velocity"),
                         t.column<const std::uint32_t>("id"), rows_.span(), velocity_.span(),
                         ids_.span());
    // Of W over a ball of m spacings: pi m^D / 3, in the plane and in space.
    const double weight = pi / 3 * std::pow(p_.support, D);
    const foam::Reach reach{Real(support()), Real(1 / support()), Real(1 / weight)};
    return {{grid, first_.span(), rows_.span()}, velocity_.span(), ids_.span(), reach};
  }

  foam::Rows<D> rows(World& world) const {
    Table& t = world.table(p_.foam.name);
    return {t.column<Vec<D>>("position"),  t.column<Vec<D>>("velocity"),
            t.column<std::uint32_t>("id"), t.column<std::int32_t>("phase"),
            t.column<Real>("age"),         t.column<Real>("lifetime")};
  }

  foam::Classes classes() const {
    const double full = (D == 2 ? pi : 4 * pi / 3) * std::pow(p_.support, D);
    return {Real(p_.spray_below * full), Real(p_.bubbles_from * full)};
  }

  void move(World& world, const foam::Liquid& liquid, const Step& step) {
    Table& t = world.table(p_.foam.name);
    const std::size_t n = std::size_t(t.rows());
    at_.resize(n), way_.resize(n), doomed_.resize(n);
    foam::advance<D>(ex_, liquid, classes(), motion(world, step.dt), rows(world), at_.span(),
                     way_.span());
    Span<const Row4> bent = way_.span();
    if (!p_.boundary.names.empty()) bent = along_walls(world, step.dt, step.dt);
    foam::go<D>(ex_, Real(step.dt), domain(), way_.span(), bent, rows(world), doomed_.span());
    neighbours::wrap<D>(ex_, periodic_, rows(world).position);
    count(world, "died", t.remove(doomed_.span()));
  }

  foam::Motion motion(World& world, double dt) const {
    const double kept = std::exp(-scales_.drag * dt);
    const auto& g = world.gravity;
    const Vec3d gravity{{g[0], g[1], D == 3 ? g[2] : 0}};
    return {narrow<3>(gravity), narrow<3>(-p_.buoyancy / scales_.drag * gravity), Real(kept),
            Real(-std::expm1(-scales_.drag * dt) / scales_.drag), Real(dt)};
  }

  // All walls are looked at, and nobody is told what rows lose there. `ahead`: how long before the
  // end of the step the ways begin.
  Span<const Row4> along_walls(World& world, double dt, double ahead) {
    bent_.resize(way_.size());
    ex_.copy(bent_.data(), way_.data(), way_.size() * sizeof(Row4));
    walls_.place(world, ahead);
    walls_.keep_out(ex_, dt, sph::NearWalls{}, at_.span(), bent_.span());
    return bent_.span();
  }

  // Endless along axes that repeat, and where there is no liquid that could say it.
  neighbours::Box domain() const {
    neighbours::Box d = box_;
    Real longest = 0;
    for (int a = 0; a < D; ++a) longest = std::max(longest, d.high[a] - d.low[a]);
    for (int a = 0; a < D; ++a) {
      if (p_.domain) {
        d.low[a] = Real(p_.domain->min[a]), d.high[a] = Real(p_.domain->max[a]);
      } else {
        d.low[a] -= longest, d.high[a] += longest;
      }
      if (periodic_.length[a] > 0 || d.low[a] > d.high[a])
        d.low[a] = -Real(infinity), d.high[a] = Real(infinity);
    }
    return d;
  }

  void bear(World& world, const foam::Liquid& liquid, const Step& step) {
    const std::size_t n = rows_.size();
    neighbours_.resize(n), births_.resize(n), offsets_.resize(n), normal_.resize(n);
    const foam::Sight sight{normal_.span(), neighbours_.span()};
    const foam::Draws draws{world.seed, std::uint64_t(step.index), stage_key_};
    const foam::Potentials potentials = this->potentials();
    foam::look(ex_, liquid, potentials.energy, sight);
    foam::count_births(ex_, liquid, sight, potentials, draws, Real(step.dt), births_.span());
    const Index wanted = exclusive_scan(ex_, "foam.offsets", births_.span(), offsets_.span());

    Table& t = world.table(p_.foam.name);
    const Index born = std::min(wanted, std::max(0, p_.max_particles - t.rows()));
    count(world, "born", born), count(world, "refused", wanted - born);
    if (born == 0) return;
    const Index base = t.append(born);
    const foam::Newborn newborn{offsets_.span(),      births_.span(),         base,
                                world.take_ids(born), Real(step.dt),          Real(0.5 * spacing_),
                                Real(p_.spread),      Real(scales_.lifetime), classes()};
    const auto walled = std::size_t(p_.boundary.names.empty() ? 0 : born);
    at_.resize(walled), way_.resize(walled);
    const foam::Ways ways{at_.span(), way_.span(), Real(at_once * step.dt)};
    foam::bear<D>(ex_, liquid, sight, draws, newborn, ways, rows(world));
    // The liquid is in front of walls; half a spacing beside it, and where it came from if it has
    // rebounded within the step, may be behind them.
    if (walled > 0)
      foam::keep_born<D>(ex_, base, ways, along_walls(world, at_once * step.dt, 0), rows(world));
    neighbours::wrap<D>(ex_, periodic_, rows(world).position);
  }

  foam::Potentials potentials() const {
    return {ramp(scales_.air_from, scales_.air_to), ramp(p_.wave_crests.from, p_.wave_crests.to),
            ramp(scales_.energy_from, scales_.energy_to), Real(scales_.air_rate),
            Real(scales_.crest_rate)};
  }

  std::int64_t counted(World& world, const char* what) const {
    return world.table(state_).template download<std::int64_t>(what)[0];
  }
  void count(World& world, const char* what, Index more) const {
    if (more == 0) return;
    const std::int64_t all = counted(world, what) + more;
    ex_.upload(world.table(state_).template column<std::int64_t>(what).data, &all, sizeof all);
  }

  FoamParams p_;
  double spacing_;  // of the liquid [m]
  FoamScales scales_;
  std::uint32_t stage_key_;  // of its random numbers
  std::string state_;
  Exec ex_;
  PeriodicBox periodic_;
  std::optional<LiquidFrames> frames_;
  double now_ = 0;  // [s] end of the last step
  WallShapes<D> walls_;
  neighbours::Box box_{};  // around the liquid
  Buffer<std::uint32_t> keys_, doomed_, ids_;
  Buffer<Index> order_, first_, neighbours_, births_, offsets_;
  Buffer<Row4> rows_, velocity_, normal_;  // of the liquid, in the order of its cells
  Buffer<Row4> at_, way_, bent_;           // of the foam
};

std::unique_ptr<Stage> make_foam(const FoamParams& p, World& world, const std::string& name) {
  if (world.dim == 2) return std::make_unique<Foam<2>>(p, world, name);
  return std::make_unique<Foam<3>>(p, world, name);
}

}  // namespace

StageType foam_type() {
  return stage_type(
      "foam", "Spray, foam and bubbles behind a liquid of particles, for pictures.",
      "Ihmsen, Akinci, Akinci & Teschner, \"Unified spray, foam and air bubbles for particle-based "
      "fluids\", The Visual Computer 28, 2012",
      {"Has no mass, and does not act back on the liquid; its particles do not meet one another.",
       "Where it comes to be follows from thresholds, not from surface tension and turbulence.",
       "Spray feels gravity alone: no drag of the air, and no force_field."},
      "docs/liquids.md", make_foam);
}

}  // namespace rtsim
