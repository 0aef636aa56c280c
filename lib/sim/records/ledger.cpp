#include "sim/records/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "shapes/animated_shape.h"

namespace rtsim {

namespace {

constexpr const char *table = "run.ledger", *column = "page";

// The rows of its one column: all in one, since a device answers each question late.
struct Page {
  double opened = 0, time = 0, stored = 0;         // 1 or 0; [s], [J] of the last entry
  double first_stored = 0, first_potential = 0;    // [J]
  double most_potential = 0, released = 0;         // [J]
  double most_work = 0, driven = 0;                // [J]
  double power = 0, acceleration = 0, speed = 0;   // of the last entry [W], [m/s^2], [m/s]
  double fastest = 0;                              // [m/s] of all entries
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};  // [m]
};
constexpr auto page_rows = Index(sizeof(Page) / sizeof(double));

Page read(World& world) {
  Page page;
  world.exec.download(&page, world.table(table).column<double>(column).data, sizeof page);
  return page;
}

void write(World& world, const Page& page) {
  world.exec.upload(world.table(table).column<double>(column).data, &page, sizeof page);
}

struct Bounding {
  Page& page;
  bool any = false;

  void add(const Vec3d& x, double reach) {
    for (int k = 0; k < 3; ++k) {
      page.low[k] = any ? std::min(page.low[k], x[k] - reach) : x[k] - reach;
      page.high[k] = any ? std::max(page.high[k], x[k] + reach) : x[k] + reach;
    }
    any = true;
  }
};

// Radii of gyration stand for the size of bodies.
template <int D>
void bound_rows(Table& t, Bounding& box) {
  using Inertia = Vec<D == 2 ? 1 : 3>;
  const auto position = t.download<Vec<D>>("position");
  const bool bodies = t.has("inertia");
  const auto inertia = bodies ? t.download<Inertia>("inertia") : std::vector<Inertia>{};
  const auto mass = bodies ? t.download<Real>("mass") : std::vector<Real>{};
  for (std::size_t i = 0; i < position.size(); ++i) {
    double gyration2 = 0;
    for (std::size_t k = 0; bodies && k < (D == 2 ? 1 : 3); ++k)
      gyration2 = std::max(gyration2, double(inertia[i][int(k)]) / double(mass[i]));
    box.add(widen(position[i]), std::sqrt(gyration2));
  }
}

void bound(World& world, Page& page) {
  Bounding box{page};
  for (const Object& o : world.objects) {
    if (o.grid) {
      Vec3d high = o.grid->low;
      for (int a = 0; a < 3; ++a)
        if (o.grid->spans[a]) high[a] += o.grid->cells[a] * o.grid->spacing;
      box.add(o.grid->low, 0), box.add(high, 0);
    } else if (o.kind != Kind::boundary && world.has_table(o.name)) {
      world.dim == 2 ? bound_rows<2>(world.table(o.name), box)
                     : bound_rows<3>(world.table(o.name), box);
    }
  }
}

double length(const Page& p) {
  double longest = 0;
  for (int k = 0; k < 3; ++k) longest = std::max(longest, p.high[k] - p.low[k]);
  return longest;
}

double farthest(const Page& p) {
  double r = 0;
  for (int k = 0; k < 3; ++k) r = std::max({r, std::abs(p.low[k]), std::abs(p.high[k])});
  return r;
}

// dB of a step; what presses is as strong as at its begin, who drives as fast as at either end.
double driven(const Page& last, const Energies& now, double dt) {
  const double speed = std::max(last.speed, now.feed.speed);
  const double power = std::max(last.power, now.feed.power);
  const double a = std::max(last.acceleration, now.feed.acceleration);
  const double T = std::max(last.stored, 0.0), L = length(last);
  const double press = now.weight + (L > 0 ? 2 * T / L : 0);
  const double root = std::sqrt(T) + a * dt * std::sqrt(0.5 * (now.mass + now.feed.mass));
  return dt * (speed * press + power) + root * root - T;
}

double rounding(const Page& p, const Energies& now, double dt) {
  constexpr double epsilon = std::numeric_limits<Real>::epsilon();
  const double R = farthest(p), v = epsilon * R / dt;
  return epsilon * (std::abs(now.potential) + now.weight * R) + 0.5 * now.mass * v * v;
}

std::string_view object_of(std::string_view name) { return name.substr(0, name.rfind('.')); }

bool is(const Measurement& m, const char* quantity) {
  return !m.name.starts_with("total.") && m.name.ends_with(quantity);
}

constexpr const char* stored[] = {".kinetic_energy", ".elastic_energy", ".internal_energy",
                                  ".joint_energy"};
bool is_stored(const Measurement& m) {
  return std::ranges::any_of(stored, [&](const char* s) { return is(m, s); });
}

Vec3d place_of(World& world, const Object& o, Index row) {
  if (o.grid) return o.grid->centre(row);
  Table& t = world.table(o.name);
  if (world.dim == 2) return widen(t.download<Vec<2>>("position")[std::size_t(row)]);
  return widen(t.download<Vec<3>>("position")[std::size_t(row)]);
}

template <int D>
std::string fastest_row(World& world, const Object& o) {
  const auto velocity = world.table(o.name).download<Vec<D>>("velocity");
  if (velocity.empty()) return {};
  const auto fastest =
      std::ranges::max_element(velocity, {}, [](const Vec<D>& v) { return dot(v, v); });
  const auto row = Index(fastest - velocity.begin());
  const Vec3d x = place_of(world, o, row);
  std::string at = fmt::format("{:.4g}, {:.4g}", x[0], x[1]);
  if (world.dim == 3) at += fmt::format(", {:.4g}", x[2]);
  return fmt::format("row {} of '{}' at ({}) m with {:.3g} m/s", row, o.name, at,
                     norm(widen(*fastest)));
}

}  // namespace

void Ledger::add_table(World& world) {
  world.add_table(table, page_rows).add<double>({column, ""});
}

void Ledger::close(World& world) { write(world, Page{}); }

Growth Ledger::enter(double time, const Energies& now) {
  Page page = read(world_);
  if (length(page) == 0) bound(world_, page);
  if (page.opened == 0) {
    page.opened = 1, page.time = time, page.stored = now.stored;
    page.first_stored = now.stored;
    page.first_potential = now.potential - now.work;  // what was fed before is not its own
    page.most_potential = now.potential;
  }
  page.driven += driven(page, now, time - page.time);
  page.most_potential = std::max(page.most_potential, now.potential);
  page.released = std::max(page.released, page.most_potential - now.potential);
  page.most_work = std::max(page.most_work, std::abs(now.work));
  page.fastest = std::max(page.fastest, now.feed.speed);
  page.time = time, page.stored = now.stored;
  page.power = now.feed.power, page.speed = now.feed.speed;
  page.acceleration = now.feed.acceleration;
  write(world_, page);

  Growth g;
  const double unseen = page.driven + 2 * (now.mass + now.feed.mass) * page.fastest * page.fastest +
                        now.feed.hidden + rounding(page, now, dt_);
  g.gain = now.total() - page.first_stored - page.first_potential - now.work - unseen;
  g.available = page.first_stored + page.released + page.most_work + unseen;
  if (g.gain > 0) g.times = 1 + g.gain / g.available;
  return g;
}

Ledger::Box Ledger::box() const {
  const Page p = read(world_);
  return {{{p.low[0], p.low[1], p.low[2]}}, {{p.high[0], p.high[1], p.high[2]}}};
}

double Ledger::lost(World& world, double energy, double fed) {
  const Page page = read(world);
  return page.opened == 0 ? 0 : page.first_stored + page.first_potential + fed - energy;
}

Energies energies_of(const World& world, const std::vector<Measurement>& measured) {
  Energies e;
  std::set<std::string_view> weighing;
  for (const Measurement& m : measured) {
    if (is_stored(m)) e.stored += m.value, e.known = true;
    if (is(m, ".fed_energy")) e.work += m.value;
    if (!is(m, ".potential_energy")) continue;
    e.potential += m.value, e.known = true;
    weighing.insert(object_of(m.name));
  }
  const auto& g = world.gravity;
  const double pull = norm(Vec3d{{g[0], g[1], g[2]}});
  for (const Measurement& m : measured) {
    if (!is(m, ".mass")) continue;
    e.mass += m.value;
    if (weighing.contains(object_of(m.name))) e.weight += pull * m.value;
  }
  return e;
}

Energies with_feeds(Simulation& sim, Energies e) {
  for (const PipelineStage& p : sim.pipeline) {
    const Feed f = p.stage->feed(*sim.world);
    e.feed.potential += f.potential, e.feed.hidden += f.hidden, e.feed.power += f.power;
    e.feed.mass += f.mass, e.feed.acceleration += f.acceleration;
    e.feed.speed = std::max(e.feed.speed, f.speed);
    if (e.feed.unknown.empty() && !f.unknown.empty())
      e.feed.unknown = fmt::format("stage '{}': {}", p.name, f.unknown);
  }
  e.potential -= e.feed.potential, e.work -= e.feed.potential;
  return e;
}

double greatest_wall_speed(const World& world, const Ledger::Box& box, double time) {
  double fastest = 0;
  for (const Object& o : world.objects) {
    if (!o.motion) continue;
    if (o.deformation) {
      for (const Vec3d& v : o.deformation->at(time, *o.motion).velocity)
        fastest = std::max(fastest, norm(v));
      continue;
    }
    const Pose pose = pose_at(*o.motion, time);
    const Bounds b = o.shape->surface_bounds();
    const Vec3d own[2] = {b.min, b.max};
    const bool finite = std::isfinite(norm(own[0]) + norm(own[1]));
    for (int corner = 0; corner < 8; ++corner) {
      Vec3d x;
      for (int k = 0; k < 3; ++k) {
        const bool high = (corner >> k & 1) != 0;
        x[k] = finite ? own[high][k] : high ? box.high[k] : box.low[k];
      }
      fastest = std::max(fastest, norm(pose.velocity_at(finite ? pose.apply(x) : x)));
    }
  }
  return fastest;
}

Culprit find_culprit(Simulation& sim, const std::vector<Measurement>& measured) {
  const Measurement* most = nullptr;
  for (const Measurement& m : measured)
    if (is_stored(m) && (!most || most->value < m.value)) most = &m;
  if (!most) return {};
  const std::string_view name = object_of(most->name);
  const std::size_t dot = name.find('.');
  Culprit c{std::string(name.substr(0, dot)), ""};
  World& world = *sim.world;
  for (const Object& o : world.objects)
    if (o.name == name.substr(dot + 1) && world.has_table(o.name) &&
        world.table(o.name).has("velocity") && o.kind != Kind::height_field)
      c.place = world.dim == 2 ? fastest_row<2>(world, o) : fastest_row<3>(world, o);
  return c;
}

}  // namespace rtsim
