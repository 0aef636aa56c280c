#include "forces/attach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attach/attach.h"
#include "attach/reactions.h"
#include "param/curve_file.h"
#include "stage/fed.h"
#include "stage/kernel_pose.h"

namespace rtsim {

static void describe(Describe& d, PointLoad& p) {
  d.vector("force", p.force, "N", "On all points together; each bears an equal part.");
  d("times", p.times, "s", any(), "Growing: where the force is given. Default: it is constant.");
  d("factors", p.factors, "", any(), "Of the force at each of them, linear between.");
  d("file", p.file, "Instead: a line for each, time and factor; the first may name them.");
  if (!p.file.path.empty() && !p.times.empty())
    d.fault("file", "give \"times\" and \"factors\", or a \"file\"");
  if (p.times.size() != p.factors.size())
    d.fault("factors",
            fmt::format("has {} entries for {} \"times\"", p.factors.size(), p.times.size()));
}

static void check_ways(Describe& d, const AttachParams& p) {
  const int ways = int(p.stiffness.has_value()) + int(p.load.has_value()) + int(p.tie.has_value());
  if (ways > 1) d.fault(p.tie ? "tie" : "load", "give one of \"stiffness\", \"load\" and \"tie\"");
  if ((p.load || p.tie) && moves(p.motion))
    d.fault("motion",
            p.load ? "is of a handle; a load has none" : "is of a handle; a body moves itself");
}

void describe(Describe& d, AttachParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  d.role("mesh", p.mesh, kinds, "The mesh of which it holds points, or loads them.");
  d("points", p.points, "", at_least(0), "Points by their number, from 0.");
  d("nearest", p.nearest, "m", any(), "The point of the mesh that is nearest to each of these.");
  d.one_or_many("inside", p.inside, "All points that start inside or on these.", "shape");
  d.nested("motion", p.motion, "How the handle moves, and the points with it.", "motion");
  d("start", p.start, "s", any(), "It takes hold at the first step that begins then or later.");
  d("end", p.end, "s", any(),
    "It lets go at the first step that begins then or later. Default: never.");
  d("stiffness", p.stiffness, "N/m", above(0),
    "Of a spring from each point to its place on the handle. Default: none, points are held.");
  d("damping", p.damping, "N*s/m", at_least(0), "Of that spring.");
  d.nested("load", p.load,
           "A force on the points in place of a hold: they are free to go where it pushes them.");
  d.nested(
      "tie", p.tie,
      "A rigid body that the points are part of, both ways, in place of a handle. Needs a stage "
      "\"body_contact\" behind the mesh's solver.");
  check_ways(d, p);
  if (p.damping > 0 && !p.stiffness)
    d.fault("damping", "is of the spring; give its \"stiffness\" too");
}

namespace {

class Attach final : public Stage {
 public:
  Attach(const AttachParams& p, World& world, const std::string& own)
      : p_(p), table_(own + ".points") {
    const std::vector<Index> rows = chosen(world);
    Table& t = world.add_table(table_, Index(rows.size()));
    t.add<Index>({"row", ""}, rows);
    t.add<Vec<3>>({"local", "m"});
    t.add<std::uint32_t>({"gripped", ""});
    if (!p_.tie) fed_.emplace(world, own);
    if (holds()) t.add<Vec<3>>({"velocity", "m/s"});
    if (p_.load) history_ = history_of(*p_.load);
    if (p_.tie) tie_.emplace(world, *p_.tie, p_.mesh.name, rows);
    // How many stages hold a point, so that one that ends does not let go for the others.
    Table& mesh = world.table(p_.mesh.name);
    if (holds() && !mesh.has("holders")) mesh.add<std::uint32_t>({"holders", ""});
    // What is held from the start is so for all who are made behind: modes depend on it.
    if (holds() && active(0)) {
      grip(world, pose_at(p_.motion, 0)), act(world, {-1, 0, 0});
      remember(world);
    }
  }

  void advance(World& world, const Step& step) override {
    // Times are index * dt: half a rounding must not shift the window by a step.
    const bool active = this->active(step.time + 1e-6 * step.dt), held = gripped(world);
    if (held && holds()) settle(world);
    dt_ = step.dt;
    if (active && !held) grip(world, pose_at(p_.motion, step.time));
    if (held && step.index == 0) find_local(world, pose_at(p_.motion, 0));  // where points begin
    if (active)
      act(world, step);
    else if (held)
      release(world);
    if (active && holds()) remember(world);
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    if (tie_) return add_pull(tie_->pull(world), out);
    if (!holds()) return fed_->measure(world, p_.mesh.name, out);
    if (!world.table(p_.mesh.name).has("reaction")) return;
    const attach::Held h = gripped(world) ? of_step(world) : attach::Held{};
    fed_->measure(world, p_.mesh.name, out, h.work);
    const double rate = dt_ > 0 ? -1 / dt_ : 0;
    add_pull({{rate * h.impulse[0], rate * h.impulse[1], rate * h.impulse[2]}}, out);
  }

  // The work of a handle, where the solver does not tell what it takes.
  Feed feed(World& world) const override {
    Feed feed;
    if (!holds() || !moves(p_.motion) || !gripped(world)) return feed;
    if (world.table(p_.mesh.name).has("reaction")) return feed;
    const auto velocity = world.table(p_.mesh.name).download<Vec<3>>("velocity");
    for (const Index r : world.table(table_).download<Index>("row"))
      feed.speed = std::max(feed.speed, norm(widen(velocity[std::size_t(r)])));
    return feed;
  }

  std::vector<ColumnUse> uses() const override {
    const std::string& m = p_.mesh.name;
    if (tie_)
      return {{m, "position", Access::add},
              {m, "velocity", Access::add},
              {m, "mass", Access::add},
              {m, "inverse_mass", Access::add}};
    if (!holds()) return {{m, "velocity", Access::add}};
    return {{m, "inverse_mass", Access::add}, {m, "target", Access::add}};
  }

 private:
  bool active(double time) const { return time >= p_.start && !(p_.end && time >= *p_.end); }
  // Rather than to push or to tie.
  bool holds() const { return !p_.stiffness && !p_.load && !p_.tie; }
  template <class T>
  Span<T> column(World& w, const char* name) const {
    return w.table(p_.mesh.name).column<T>(name);
  }
  Span<const Index> rows(World& w) const { return w.table(table_).column<const Index>("row"); }
  Span<Vec<3>> local(World& w) const { return w.table(table_).column<Vec<3>>("local"); }

  // On the holder.
  void add_pull(const Vec3d& pull, std::vector<Measurement>& out) const {
    const char* const axes[] = {".pull.x", ".pull.y", ".pull.z"};
    for (int a = 0; a < 3; ++a) out.push_back({p_.mesh.name + axes[a], pull[a], "N"});
  }
  // What it did to the points that it holds, since it took them or its last step.
  attach::Held of_step(World& w) const {
    return attach::held(w.exec, rows(w), w.table(table_).column<const Vec<3>>("velocity"),
                        column<const std::uint32_t>(w, "holders"),
                        {column<const Real>(w, "mass"), column<const Real>(w, "inverse_mass")},
                        column<const Vec<3>>(w, "reaction"), column<const Vec<3>>(w, "velocity"));
  }
  void settle(World& w) const {
    if (!w.table(p_.mesh.name).has("reaction")) return;
    if (const double work = of_step(w).work; work != 0) fed_->add(w, work);
  }
  void remember(World& w) const {
    attach::remember(w.exec, rows(w), column<const Vec<3>>(w, "velocity"),
                     w.table(table_).column<Vec<3>>("velocity"));
  }

  bool gripped(World& w) const {
    return w.table(table_).download<std::uint32_t>("gripped")[0] != 0;
  }
  void mark(World& w, std::uint32_t gripped) const {
    const std::vector<std::uint32_t> all(std::size_t(rows(w).size), gripped);
    w.exec.upload(w.table(table_).column<std::uint32_t>("gripped").data, all.data(),
                  all.size() * sizeof(std::uint32_t));
  }
  void find_local(World& w, const Pose& handle) {
    attach::grip(w.exec, to_kernel(handle), rows(w), column<const Vec<3>>(w, "position"), local(w));
  }
  void grip(World& w, const Pose& handle) {
    if (tie_) tie_->grip(w);
    find_local(w, handle);
    if (holds()) attach::take(w.exec, rows(w), column<std::uint32_t>(w, "holders"));
    mark(w, 1);
  }
  void release(World& w) {
    if (tie_) tie_->release(w);
    if (holds())
      attach::release(w.exec, rows(w), column<const Real>(w, "mass"),
                      column<std::uint32_t>(w, "holders"), column<Real>(w, "inverse_mass"));
    mark(w, 0);
  }
  void act(World& w, const Step& step) {
    if (tie_) return tie_->take(w);
    if (p_.load) return push(w, step);
    const attach::Pose handle = to_kernel(pose_at(p_.motion, step.end()));
    if (holds())
      return attach::hold(w.exec, handle, rows(w), local(w), column<Vec<3>>(w, "target"),
                          column<Real>(w, "inverse_mass"));
    fed_->add(w,
              attach::pull(w.exec, handle, {Real(*p_.stiffness), Real(p_.damping)}, Real(step.dt),
                           rows(w), local(w), column<const Vec<3>>(w, "position"),
                           column<const Real>(w, "inverse_mass"), column<Vec<3>>(w, "velocity")));
  }
  // The force in the middle of the step, which is its mean where it is linear.
  void push(World& w, const Step& step) {
    const double factor =
        history_.empty() ? 1 : interpolated(history_, 0.5 * (step.time + step.end()));
    const Vec3d impulse = (step.dt * factor / double(rows(w).size)) * p_.load->force;
    fed_->add(
        w, attach::push(w.exec, narrow<3>(impulse), rows(w), column<const Real>(w, "inverse_mass"),
                        column<Vec<3>>(w, "velocity")));
  }
  static std::vector<std::pair<double, double>> history_of(const PointLoad& p) {
    if (p.times.empty() && p.file.path.empty()) return {};
    return read_history(p.times, p.factors, p.file.path);
  }

  std::vector<Index> chosen(World& world) const {
    const auto position = world.table(p_.mesh.name).download<Vec<3>>("position");
    std::vector<Index> rows;
    for (const double n : p_.points) {
      if (!(n < double(position.size())) || n != std::floor(n))
        throw Error(ExitCode::bad_input,
                    fmt::format("\"points\": {} is no point of '{}'; they are 0 "
                                "to {}",
                                n, p_.mesh.name, position.size() - 1));
      rows.push_back(Index(n));
    }
    for (const Vec3d& x : p_.nearest) rows.push_back(nearest(position, x));
    for (const ShapeSpec& s : p_.inside) add_inside(position, *make_shape(s, 3), rows);
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.empty())
      throw Error(ExitCode::bad_input,
                  fmt::format("takes hold of no point of '{}'; give \"points\", \"nearest\" or "
                              "\"inside\" where points are",
                              p_.mesh.name));
    return rows;
  }

  static Index nearest(const std::vector<Vec<3>>& position, const Vec3d& x) {
    Index best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < position.size(); ++i)
      if (const double d = norm(widen(position[i]) - x); d < least) least = d, best = Index(i);
    return best;
  }

  // On the surface counts, to the rounding of positions.
  static void add_inside(const std::vector<Vec<3>>& position, const Shape& shape,
                         std::vector<Index>& rows) {
    for (std::size_t i = 0; i < position.size(); ++i) {
      const Vec3d x = widen(position[i]);
      if (shape.distance(x) <= 1e-6 * (1 + norm(x))) rows.push_back(Index(i));
    }
  }

  AttachParams p_;
  std::string table_;
  std::optional<Fed> fed_;                          // but of ties
  std::vector<std::pair<double, double>> history_;  // of the load
  std::optional<BodyTie> tie_;
  double dt_ = 0;  // of the last step [s]
};

std::unique_ptr<Stage> make_attach(const AttachParams& p, World& world, const std::string& own) {
  return std::make_unique<Attach>(p, world, own);
}

}  // namespace

StageType attach_type() {
  return stage_type(
      "attach",
      "Holds points of a mesh, moves them like a handle, pulls or loads them, or ties them to a "
      "body.",
      "Witkin & Baraff, \"Physically Based Modeling\", SIGGRAPH course notes, 2001, for the spring "
      "of a handle",
      {"Springs act once a step and lose energy; loads are impulses at the start of a step.",
       "Held points move on straight lines within a step.",
       "Points that are tied to a body give way somewhat more at rest than they should."},
      "docs/cloth_and_soft_bodies.md", make_attach);
}

}  // namespace rtsim
