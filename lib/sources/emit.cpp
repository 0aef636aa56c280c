#include "sources/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/hash.h"
#include "base/random.h"
#include "emit/emit.h"
#include "shapes/motion.h"
#include "sources/half_space.h"
#include "sources/outlet.h"
#include "sources/room.h"
#include "stage/fed.h"

namespace rtsim {

using Pattern = EmitParams::Pattern;

void describe(Describe& d, EmitWindow& w) {
  d("start", w.start, "s", at_least(0), "When it begins.");
  d("stop", w.stop, "s", above(0), "When it ends; never unless given.");
  if (w.stop && *w.stop <= w.start)
    d.fault("stop", fmt::format("must come after its start at {} s", w.start));
}

void describe(Describe& d, EmitParams& p) {
  static constexpr const char* fluids[] = {"particles"};
  static constexpr Option patterns[] = {
      {"layers", int(Pattern::layers),
       "a jet: lattice layers of the shape's cut through its middle and across the velocity, one "
       "spacing apart."},
      {"fill", int(Pattern::fill), "the whole shape at once, at each start of the schedule."},
      {"random", int(Pattern::random), "`per_second` particles, each at a random place inside."}};
  d.role("fluid", p.fluid, fluids, "The particles that it adds to.");
  d.nested("shape", p.shape, "Where they appear: finite, and closed.", "shape", Need::required);
  d.required("velocity", p.velocity, "m/s", any(),
             "Of the particles as they leave the shape; it turns with the shape, and what the "
             "shape moves by is added.");
  d.choice("pattern", p.pattern, patterns, "How they leave:");
  d("guide", p.guide, "m", at_least(0),
    "Particles this near in front of the cut keep the velocity they left with, as in a pipe, so "
    "that pressure does not push a jet back while it forms. Default: four spacings, of pattern "
    "`layers`.");
  d("per_second", p.per_second, "1/s", between(0, 1e9), "Particles a second, of pattern `random`.");
  d.list("schedule", p.schedule,
         "When they leave, one after the other; none: always. Layers keep the beat of the first "
         "start.");
  d.nested("motion", p.motion, "How the shape moves.", "motion");
  describe_deformation(d, p.deformation, p.shape ? &*p.shape : nullptr,
                       "How the corners of its mesh move, as the frames of an animation or of "
                       "another run have them, on top of its motion. Particles leave what the "
                       "shape is then, as many as it has room for, with the velocity of its "
                       "inside besides; frames do not turn `velocity`, and nothing leaves while "
                       "no lattice point is inside.");
  d.required("max_particles", p.max_particles, "", between(1, 2e9),
             "Most particles that the fluid may have; memory for them is taken at the start. At "
             "that number emission stops, and goes on where others are removed.");
  if (p.pattern == Pattern::layers && d.given("velocity") && norm(p.velocity) == 0)
    d.fault("velocity",
            "must not be zero, as it leads the layers away; \"fill\" and \"random\" "
            "can place particles at rest");
  if (p.pattern == Pattern::random && p.per_second == 0)
    d.fault("per_second", "pattern \"random\" needs it above 0");
  for (std::size_t i = 1; i < p.schedule.size(); ++i)
    if (p.schedule[i].start < p.schedule[i - 1].stop.value_or(any().high))
      d.fault("schedule", fmt::format("window {} starts before window {} stops", i, i - 1));
}

RowBudget row_budget(const EmitParams& p) { return {p.fluid.name, double(p.max_particles)}; }

namespace {

// Counted from a start, equal times apart: 0, 1, 2, ...
struct Beat {
  double start = 0;     // [s]
  double interval = 1;  // [s]

  double time(std::int64_t k) const { return start + double(k) * interval; }
  // How many beats come before a time. A step takes those from its start to its end, and the next
  // step starts with the same number: none is lost or doubled, whatever the rounding. One at the
  // time itself, to 1e-9 of an interval, comes after.
  std::int64_t before(double t) const {
    return std::max<std::int64_t>(0, std::int64_t(std::ceil((t - start) / interval - 1e-9)));
  }
};

struct Newborn {
  Vec3d position, velocity;  // [m], [m/s]
};

// What leaves together: a layer, a fill, a particle.
using Release = std::vector<Newborn>;

// Rows since the run began, and whether the guide rests [0, 1].
using Counts = VecT<std::int64_t, 4>;
enum Count { emitted, refused, held_back, shut };

// It starts rows, and leads them along while they leave; the columns stay the solver's, so `uses`
// names none.
class Emit final : public Stage {
 public:
  Emit(const EmitParams& p, World& world, const std::string& name)
      : p_(p),
        spacing_(world.object(p.fluid.name).spacing),
        stage_key_(std::uint32_t(hash_bytes(name.data(), name.size()))),
        state_(name + ".state"),
        fed_(world, name),
        outlet_(p, spacing_, world.dim),
        room_(world, p.fluid.name),
        guide_(p.pattern == Pattern::layers ? p.guide.value_or(4 * spacing_) : 0),
        beat_(make_beat()) {
    if (p_.schedule.empty()) p_.schedule.push_back({});
    Table& t = world.table(p.fluid.name);
    if (t.rows() > p.max_particles)
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' starts with {} particles, more than the {} of "
                              "\"max_particles\"",
                              p.fluid.name, t.rows(), p.max_particles));
    t.reserve(p.max_particles);
    Table& state = world.add_table(state_, 1);
    state.add<Counts>({"counts", ""});
    state.add<double>({"fastest", "m/s"});  // that ever left
    Inflow::tell(world, p.fluid.name, outlet_.inflow());
  }

  void advance(World& world, const Step& step) override {
    outlet_.follow(step);
    const Counts before = counts(world);
    if (guide_ > 0 && open(step.time) && !before[shut]) {
      if (world.dim == 2)
        guide<2>(world, step.time);
      else
        guide<3>(world, step.time);
    }
    Counts after = before;
    const std::vector<Newborn> rows = admitted(world, step.time, due(world, step), after);
    if (world.dim == 2)
      put<2>(world, rows);
    else
      put<3>(world, rows);
    book(world, rows);
    if (!(after == before)) write<Counts>(world, world.table(state_), "counts", 0, {after});
  }

  std::string warning(World& world) const override {
    const Counts n = counts(world);
    if (n[refused] > 0)
      return fmt::format(
          "'{}' has the {} particles of \"max_particles\", so emission stops; raise it, or remove "
          "particles",
          p_.fluid.name, p_.max_particles);
    if (n[held_back] > 0)
      return fmt::format(
          "'{}' finds no room: the fluid in front of the nozzle fills all there is up to the "
          "walls, "
          "so emission holds back until there is room; let its \"schedule\" end, or remove "
          "particles",
          p_.fluid.name);
    return outlet_.warning();
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const Counts n = counts(world);
    constexpr const char* names[] = {"emitted", "refused", "held_back"};
    for (int k = emitted; k <= held_back; ++k)
      out.push_back({p_.fluid.name + "." + names[k], double(n[k]), ""});
    fed_.measure(world, p_.fluid.name, out);
  }

  // What leaves also pushes what is there already, and the guide holds it to its speed.
  Feed feed(World& world) const override {
    Feed feed;
    feed.potential = fed_.potential(world);
    feed.speed = fastest(world);
    return feed;
  }

 private:
  Beat make_beat() const {
    const double start = p_.schedule.empty() ? 0 : p_.schedule[0].start;
    if (p_.pattern == Pattern::layers) return {start, spacing_ / norm(p_.velocity)};
    if (p_.pattern == Pattern::random) return {start, 1 / p_.per_second};
    return {start, 1};
  }

  bool open(double time) const {
    return std::ranges::any_of(p_.schedule, [&](const EmitWindow& w) {
      return time >= w.start && time < w.stop.value_or(any().high);
    });
  }

  // A function of the step and the seed alone.
  std::vector<Release> due(World& world, const Step& step) {
    std::vector<Release> all;
    if (p_.pattern == Pattern::fill) {
      for (const EmitWindow& w : p_.schedule)
        if (w.start >= step.time && w.start < step.end())
          all.push_back(release(w.start, step, outlet_.places()));
      return all;
    }
    for (std::int64_t k = beat_.before(step.time); k < beat_.before(step.end()); ++k) {
      if (!open(beat_.time(k))) continue;
      if (p_.pattern == Pattern::layers)
        all.push_back(release(beat_.time(k), step, outlet_.places()));
      else if (!outlet_.places().empty())
        all.push_back(release(beat_.time(k), step, {random_place(world.seed, std::uint64_t(k))}));
    }
    return all;
  }

  // Of those, what there is room and memory for: a function of the rows there are.
  std::vector<Newborn> admitted(World& world, double time, const std::vector<Release>& due,
                                Counts& n) {
    std::vector<Newborn> rows;
    std::size_t all = 0;
    for (const Release& r : due) all += r.size();
    if (all == 0) return rows;
    room_.look(world);
    // What is guided has to find room in front of it, besides what leaves.
    const std::size_t plenty = all * (1 + std::size_t(std::ceil(guide_ / spacing_))),
                      fit = all_that_fit(world, time, due, plenty);
    const bool at_their_places = p_.pattern == Pattern::fill || n[held_back] > 0 || fit < plenty;
    const auto memory =
        std::size_t(std::max(0, p_.max_particles - world.table(p_.fluid.name).rows()));
    for (const Release& r : due)
      for (const Newborn& row : r)
        if (fit < all || (at_their_places && !room_.fits(row.position)))
          ++n[held_back];
        else if (rows.size() < memory)
          rows.push_back(row);
        else
          ++n[refused];
    n[emitted] += std::int64_t(rows.size());
    n[shut] = fit < plenty && n[held_back] > 0;
    return rows;
  }

  // Looked for from where the rows start, and from the mouth of the guide.
  std::size_t all_that_fit(const World& world, double time, const std::vector<Release>& due,
                           std::size_t enough) const {
    const Pose pose = pose_at(p_.motion, time);
    Vec3d to_mouth;
    if (guide_ > 0) to_mouth = (guide_ / norm(p_.velocity)) * turned(pose, p_.velocity);
    std::vector<Vec3d> from;
    for (const Release& r : due)
      for (const Newborn& n : r) from.insert(from.end(), {n.position, n.position + to_mouth});
    if (!(guide_ > 0)) return room_.nodes(world, from, nullptr, enough);
    const region::HalfSpaces guided = guided_region(pose, world.dim);
    return room_.nodes(world, from, &guided, enough);
  }

  // Solvers move all particles through the whole step, so one that leaves at `time` starts as far
  // behind the shape as it would have come by then: layers of one step are as far apart as others.
  Release release(double time, const Step& step, const std::vector<Vec3d>& points) const {
    Release rows;
    const Pose pose = pose_at(p_.motion, time);
    const Vec3d jet = turned(pose, p_.velocity);
    const double since = time - step.time;
    for (const Vec3d& local : points) {
      if (const VelocityWithin* within = outlet_.within()) {
        const Vec3d own = within->at(local), x = pose.apply(local + since * own);
        const Vec3d v = jet + pose.velocity_at(x) + turned(pose, own);
        rows.push_back({x - since * v, v});
      } else {
        const Vec3d x = pose.apply(local), v = jet + pose.velocity_at(x);
        rows.push_back({x - since * v, v});
      }
    }
    return rows;
  }

  // From a spacing behind the cut to `guide` in front of it, half a spacing wider than the cut.
  region::HalfSpaces guided_region(const Pose& pose, int dim) const {
    region::HalfSpaces region;
    const Cut& cut = outlet_.cut();
    const Vec3d n = (1 / norm(p_.velocity)) * p_.velocity;
    add_half_space(region, pose, n, dot(n, cut.middle) + guide_);
    add_half_space(region, pose, -n, spacing_ - dot(n, cut.middle));
    for (int k = 0; k < dim - 1; ++k) {
      const Vec3d& e = cut.across[k];
      const double reach = cut.half[k] + 0.5 * spacing_, at = dot(e, cut.middle);
      add_half_space(region, pose, e, reach + at);
      add_half_space(region, pose, -e, reach - at);
    }
    return region;
  }

  template <int D>
  void guide(World& world, double time) const {
    const Pose pose = pose_at(p_.motion, time);
    const VelocityWithin* within = outlet_.within();
    double given;
    if constexpr (D == 3)
      given = within ? guide<D>(world, pose, linear_stream(pose, within->linear()))
                     : guide<D>(world, pose, rigid_stream(pose));
    else
      given = guide<D>(world, pose, rigid_stream(pose));
    fed_.add(world, world.object(p_.fluid.name).row_mass * given);
  }

  template <int D, class S>
  double guide(World& world, const Pose& pose, const S& stream) const {
    Table& t = world.table(p_.fluid.name);
    return emit::guide<D>(world.exec, guided_region(pose, D), stream,
                          t.column<const Vec<D>>("position"), t.column<Vec<D>>("velocity"));
  }

  emit::Stream rigid_stream(const Pose& pose) const {
    return {narrow<3>(turned(pose, p_.velocity) + pose.velocity), narrow<3>(pose.angular_velocity),
            narrow<3>(pose.centre)};
  }

  // The nozzle's inside as far as it is linear in the place, turned by its pose: R A R^T, and the
  // turning itself.
  emit::LinearStream linear_stream(const Pose& pose, const LinearVelocity& own) const {
    const Vec3d centre = pose.apply(own.centre);
    emit::LinearStream s;
    s.centre = narrow<3>(centre);
    s.velocity = narrow<3>(turned(pose, p_.velocity + own.velocity) + pose.velocity_at(centre));
    for (int j = 0; j < 3; ++j) {
      Vec3d unit;
      unit[j] = 1;
      const Vec3d& local = pose.row[j];  // R^T unit
      const Vec3d rate = turned(pose, {{dot(own.gradient[0], local), dot(own.gradient[1], local),
                                        dot(own.gradient[2], local)}}) +
                         cross(pose.angular_velocity, unit);
      for (int i = 0; i < 3; ++i) s.gradient[i][j] = Real(rate[i]);
    }
    return s;
  }

  // Anywhere in one of the lattice cells that fill the shape.
  Vec3d random_place(std::uint64_t seed, std::uint64_t k) {
    const Random4 r = philox(seed, stage_key_, k, 0);
    const std::vector<Vec3d>& cells = outlet_.places();
    Vec3d x = cells[std::size_t(std::uint64_t(r.c[0]) * cells.size() >> 32)];
    for (int a = 0; a < 3; ++a) x[a] += (uniform(r.c[a + 1]) - 0.5) * spacing_;
    return x;
  }

  // Kinetic and potential energy that new rows bring, and their speed.
  void book(World& world, const std::vector<Newborn>& rows) const {
    if (rows.empty()) return;
    const auto& g = world.gravity;
    double kinetic = 0, potential = 0, speed = fastest(world);
    for (const Newborn& n : rows) {
      kinetic += 0.5 * dot(n.velocity, n.velocity);
      potential -= dot(Vec3d{{g[0], g[1], g[2]}}, n.position);
      speed = std::max(speed, norm(n.velocity));
    }
    world.exec.upload(world.table(state_).column<double>("fastest").data, &speed, sizeof speed);
    const double m = world.object(p_.fluid.name).row_mass;
    fed_.add(world, m * kinetic, m * potential);
  }

  template <int D>
  void put(World& world, const std::vector<Newborn>& rows) const {
    if (rows.empty()) return;
    Table& t = world.table(p_.fluid.name);
    const Index first = t.append(Index(rows.size()));
    std::vector<Vec<D>> position, velocity;
    for (const Newborn& n : rows)
      position.push_back(narrow<D>(n.position)), velocity.push_back(narrow<D>(n.velocity));
    std::vector<std::uint32_t> id(rows.size());
    std::iota(id.begin(), id.end(), world.take_ids(Index(rows.size())));
    write(world, t, "position", first, position);
    write(world, t, "velocity", first, velocity);
    write(world, t, "id", first, id);
  }

  template <class T>
  static void write(World& world, Table& t, const char* column, Index first,
                    const std::vector<T>& values) {
    world.exec.upload(t.column<T>(column).data + first, values.data(), values.size() * sizeof(T));
  }

  double fastest(World& world) const { return world.table(state_).download<double>("fastest")[0]; }
  Counts counts(World& world) const { return world.table(state_).download<Counts>("counts")[0]; }

  EmitParams p_;
  double spacing_;
  std::uint32_t stage_key_;  // of its random numbers
  std::string state_;
  Fed fed_;
  Outlet outlet_;
  Room room_;
  double guide_;  // [m]; 0: none
  Beat beat_;
};

std::unique_ptr<Stage> make_emit(const EmitParams& p, World& world, const std::string& name) {
  return std::make_unique<Emit>(p, world, name);
}

}  // namespace

StageType emit_type() {
  return stage_type(
      "emit", "Lets particles into a fluid: jets, drops, sprays.",
      "Own: lattice layers at the moments when the last one is a spacing away",
      {"Liquid in the way is pressed into; where none of it can give way, emission holds back.",
       "Forces act on a particle for the whole step in which it leaves the nozzle.",
       "The last layer below the limit of particles may be incomplete."},
      "docs/particle_fluids.md", make_emit);
}

}  // namespace rtsim
