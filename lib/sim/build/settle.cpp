#include "sim/build/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace rtsim {

namespace {

constexpr int most_steps = 50;
constexpr double still = 1e-4;  // of a spacing, within a step

// The particles that a stage moves.
std::vector<std::string> moved_particles(const World& world, const Stage& stage) {
  std::vector<std::string> names;
  for (const ColumnUse& u : stage.uses())
    for (const Object& o : world.objects)
      if (o.name == u.table && o.kind == Kind::particles && u.column == "velocity" &&
          u.access == Access::write)
        names.push_back(o.name);
  return names;
}

using Bytes = std::vector<std::byte>;

Bytes download(const Exec& ex, const Column& c) {
  Bytes host(c.bytes.size());
  ex.download(host.data(), c.bytes.data(), host.size());
  return host;
}

// A table of walls' samples for these particles, or of what was done to bodies.
bool is_of_walls(const Table& table, const std::vector<std::string>& fluids) {
  return std::ranges::any_of(fluids,
                             [&](const std::string& f) { return table.name().ends_with("@" + f); });
}
bool is_samples(const Table& table, const std::vector<std::string>& fluids) {
  return is_of_walls(table, fluids) && table.has("layer");
}

// The state of all tables.
class Aside {
 public:
  explicit Aside(World& world) : world_(&world) {
    for (const auto& t : world.tables())
      for (const Column& c : t->columns())
        if (c.info.role == Role::state)
          kept_.push_back({t->name(), t->rows(), c.info.name, download(world.exec, c)});
  }
  // That of other objects, and what was done to bodies; what the stage keeps of its particles, and
  // the pressures of samples, stay as they are.
  void put_back_others(const std::vector<std::string>& fluids) {
    for (const Kept& k : kept_) {
      const auto named = [&](const Object& o) { return o.name == k.table; };
      const bool other =
          std::ranges::any_of(world_->objects, named) && std::ranges::count(fluids, k.table) == 0;
      const Table& t = world_->table(k.table);
      const bool forces = is_of_walls(t, fluids) && !is_samples(t, fluids);
      if (other || forces) put_back(k);
    }
  }
  void put_back_all() {
    for (const Kept& k : kept_) put_back(k);
  }

 private:
  struct Kept {
    std::string table;
    Index rows;
    std::string column;
    Bytes bytes;
  };
  // Springs of a stage may have come or gone.
  void put_back(const Kept& k) {
    Table& t = world_->table(k.table);
    if (t.rows() != k.rows) t.resize(k.rows);
    world_->exec.upload(t.column_bytes(k.column).bytes.data(), k.bytes.data(), k.bytes.size());
  }

  World* world_;
  std::vector<Kept> kept_;
};

struct Motion {
  double sum2 = 0, fastest = 0;  // of |v|^2 [m^2/s^2], [m/s]
};

// Velocities of rows, found again by their ids when rows have changed places.
template <int D>
class Velocities {
 public:
  Velocities(World& world, const std::string& name) : table_(world.table(name)), ex_(world.exec) {
    const auto id = table_.download<std::uint32_t>("id");
    const auto v = table_.template download<Vec<D>>("velocity");
    for (std::size_t i = 0; i < id.size(); ++i) of_id_[id[i]] = v[i];
  }
  Motion motion() const {
    Motion m;
    for (const Vec<D>& v : table_.template download<Vec<D>>("velocity")) {
      const double v2 = double(dot(v, v));
      m.sum2 += v2, m.fastest = std::max(m.fastest, std::sqrt(v2));
    }
    return m;
  }
  void stop() {
    const Span<Vec<D>> v = table_.template column<Vec<D>>("velocity");
    ex_.zero(v.data, std::size_t(v.size) * sizeof(Vec<D>));
  }
  void put_back() {
    std::vector<Vec<D>> v;
    for (const std::uint32_t id : table_.download<std::uint32_t>("id")) v.push_back(of_id_.at(id));
    ex_.upload(table_.template column<Vec<D>>("velocity").data, v.data(), v.size() * sizeof v[0]);
  }

 private:
  Table& table_;
  const Exec& ex_;
  std::map<std::uint32_t, Vec<D>> of_id_;
};

// Walls stand still meanwhile. Their poses, of which the rows 4 and 5 are velocities, are found
// anew before the first step.
void stop_poses(World& world) {
  for (const Object& o : world.objects) {
    if (!world.has_table(pose_table(o.name))) continue;
    const Span<Vec3d> rows = world.table(pose_table(o.name)).column<Vec3d>("pose");
    world.exec.zero(rows.data + 4, 2 * sizeof(Vec3d));
  }
}

// Samples of bodies, too, which solvers move as they predict the bodies.
template <int D>
class HeldSamples {
 public:
  HeldSamples(World& world, const std::vector<std::string>& fluids) : ex_(world.exec) {
    for (const auto& t : world.tables()) {
      if (!is_samples(*t, fluids)) continue;
      const Span<const Vec<D>> x = t->template column<const Vec<D>>("position");
      Buffer<Vec<D>> kept(ex_, std::size_t(x.size));
      ex_.copy(kept.data(), x.data, kept.size() * sizeof(Vec<D>));
      samples_.push_back({t.get(), std::move(kept)});
    }
  }
  void put_back() {
    for (Samples& s : samples_) {
      const std::size_t bytes = s.position.size() * sizeof(Vec<D>);
      ex_.copy(s.table->template column<Vec<D>>("position").data, s.position.data(), bytes);
      ex_.zero(s.table->template column<Vec<D>>("velocity").data, bytes);
    }
  }

 private:
  struct Samples {
    Table* table;
    Buffer<Vec<D>> position;
  };
  const Exec& ex_;
  std::vector<Samples> samples_;
};

using Stopped = std::function<bool()>;

// Particles of one stage that settle. Each way ends early when it is stopped.
template <int D>
class Settling {
 public:
  Settling(World& world, Stage& stage, const std::vector<std::string>& fluids, double dt,
           const Stopped& stopped)
      : world_(world), stage_(stage), dt_(dt), stopped_(stopped), samples_(world, fluids) {
    for (const std::string& f : fluids) {
      velocities_.emplace_back(world, f);
      spacing_ = std::min(spacing_, world.object(f).spacing);
    }
    stop_poses(world);
    stop();
  }

  // Without gravity and from rest each step, until none moves anything.
  int into_places() {
    const auto gravity = world_.gravity;
    world_.gravity = {0, 0, 0};
    int steps = 0;
    for (double way = spacing_; way > still * spacing_ && steps < most_steps && !stopped();
         ++steps) {
      way = advance().fastest * dt_;
      stop();
    }
    world_.gravity = gravity;
    return steps;
  }

  // Under gravity, with all motion taken away whenever there is less of it than a step before
  // (kinetic damping: Cundall, "Explicit finite-difference methods in geomechanics", 1976).
  int under_gravity(double time) {
    const int steps = int(std::ceil(time / dt_ - 1e-9));
    double before = 0;
    for (int k = 0; k < steps && !stopped(); ++k) {
      const double now = advance().sum2;
      before = now < before ? 0 : now;
      if (before == 0) stop();
    }
    stop();
    return steps;
  }

  void put_back_velocities() {
    for (Velocities<D>& v : velocities_) v.put_back();
    samples_.put_back();
  }
  bool stopped() const { return stopped_ && stopped_(); }

 private:
  Motion advance() {
    samples_.put_back();
    stage_.advance(world_, {0, 0, dt_});
    Motion all;
    for (const Velocities<D>& v : velocities_) {
      const Motion m = v.motion();
      all.sum2 += m.sum2, all.fastest = std::max(all.fastest, m.fastest);
    }
    if (all.fastest * dt_ > spacing_) throw Diverged("particles fly apart while they settle");
    return all;
  }
  void stop() {
    for (Velocities<D>& v : velocities_) v.stop();
  }

  World& world_;
  Stage& stage_;
  double dt_, spacing_ = 1e300;
  const Stopped& stopped_;
  HeldSamples<D> samples_;
  std::vector<Velocities<D>> velocities_;
};

template <int D>
std::optional<int> settle(World& world, Stage& stage, const std::vector<std::string>& fluids,
                          double dt, double time, const Stopped& stopped) {
  Settling<D> settling(world, stage, fluids, dt, stopped);
  const int steps = settling.into_places() + settling.under_gravity(time);
  if (settling.stopped()) return {};
  settling.put_back_velocities();
  return steps;
}

double longest_time(const Simulation& sim, const std::vector<std::string>& fluids) {
  double time = 0;
  for (const std::string& f : fluids)
    if (const auto found = sim.settling_time.find(f); found != sim.settling_time.end())
      time = std::max(time, found->second);
  return time;
}

}  // namespace

std::optional<int> settle(Simulation& sim, double dt, const Stopped& stopped) {
  World& world = *sim.world;
  std::optional<Aside> all;  // before the first that settles
  const auto gravity = world.gravity;
  int most = 0;
  for (PipelineStage& p : sim.pipeline) {
    const std::vector<std::string> fluids = moved_particles(world, *p.stage);
    const auto has_walls = [&](const auto& t) { return is_samples(*t, fluids); };
    if (std::ranges::none_of(world.tables(), has_walls)) continue;  // in the open there is room
    const double time = longest_time(sim, fluids);
    Aside start(world);
    if (!all) all = start;
    try {
      const auto steps = world.dim == 2 ? settle<2>(world, *p.stage, fluids, dt, time, stopped)
                                        : settle<3>(world, *p.stage, fluids, dt, time, stopped);
      if (!steps) {
        world.gravity = gravity;
        all->put_back_all();
        return {};
      }
      most = std::max(most, *steps);
      start.put_back_others(fluids);
    } catch (const Diverged& e) {
      world.gravity = gravity;
      start.put_back_all();
      sim.warnings.push_back(
          fmt::format("stage '{}': {}, and start as they were filled in", p.name, e.what()));
    }
  }
  return most;
}

}  // namespace rtsim
