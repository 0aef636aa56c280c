#include "forces/attach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attach/attach.h"
#include "stage/fed.h"
#include "stage/kernel_pose.h"

namespace rtsim {

void describe(Describe& d, AttachParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  d.role("mesh", p.mesh, kinds, "The mesh of which it holds points.");
  d("points", p.points, "", at_least(0), "Points by their number, from 0.");
  d("nearest", p.nearest, "m", any(), "The point of the mesh that is nearest to each of these.");
  d.one_or_many("inside", p.inside, "All points that start inside or on these.", "shape");
  d.nested("motion", p.motion, "How the handle moves, and the points with it.");
  d("start", p.start, "s", any(), "It takes hold at the first step that begins then or later.");
  d("end", p.end, "s", any(),
    "It lets go at the first step that begins then or later. Default: never.");
  d("stiffness", p.stiffness, "N/m", above(0),
    "Of a spring from each point to its place on the handle. Default: none, points are held.");
  d("damping", p.damping, "N*s/m", at_least(0), "Of that spring.");
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
    if (p_.stiffness) fed_.emplace(world, own);
    // How many stages hold a point, so that one that ends does not let go for the others.
    Table& mesh = world.table(p_.mesh.name);
    if (!p_.stiffness && !mesh.has("holders")) mesh.add<std::uint32_t>({"holders", ""});
  }

  void advance(World& world, const Step& step) override {
    // Times are index * dt: half a rounding must not shift the window by a step.
    const double time = step.time + 1e-6 * step.dt;
    const bool active = time >= p_.start && !(p_.end && time >= *p_.end);
    const bool held = gripped(world);
    if (active && !held) grip(world, pose_at(p_.motion, step.time));
    if (active)
      act(world, to_kernel(pose_at(p_.motion, step.end())), Real(step.dt));
    else if (held)
      release(world);
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    if (fed_) fed_->measure(world, p_.mesh.name, out);
  }

  // What moves held points belongs to their solver; the work of it nobody adds up.
  Feed feed(World& world) const override {
    Feed feed;
    if (fed_ || !moves(p_.motion) || !gripped(world)) return feed;
    const auto velocity = world.table(p_.mesh.name).download<Vec<3>>("velocity");
    for (const Index r : world.table(table_).download<Index>("row"))
      feed.speed = std::max(feed.speed, norm(widen(velocity[std::size_t(r)])));
    return feed;
  }

  std::vector<ColumnUse> uses() const override {
    if (p_.stiffness) return {{p_.mesh.name, "velocity", Access::add}};
    return {{p_.mesh.name, "inverse_mass", Access::add}, {p_.mesh.name, "target", Access::add}};
  }

 private:
  template <class T>
  Span<T> column(World& w, const char* name) const {
    return w.table(p_.mesh.name).column<T>(name);
  }
  Span<const Index> rows(World& w) const { return w.table(table_).column<const Index>("row"); }
  Span<Vec<3>> local(World& w) const { return w.table(table_).column<Vec<3>>("local"); }

  bool gripped(World& w) const {
    return w.table(table_).download<std::uint32_t>("gripped")[0] != 0;
  }
  void mark(World& w, std::uint32_t gripped) const {
    const std::vector<std::uint32_t> all(std::size_t(rows(w).size), gripped);
    w.exec.upload(w.table(table_).column<std::uint32_t>("gripped").data, all.data(),
                  all.size() * sizeof(std::uint32_t));
  }
  void grip(World& w, const Pose& handle) {
    attach::grip(w.exec, to_kernel(handle), rows(w), column<const Vec<3>>(w, "position"), local(w));
    if (!p_.stiffness) attach::take(w.exec, rows(w), column<std::uint32_t>(w, "holders"));
    mark(w, 1);
  }
  void release(World& w) {
    if (!p_.stiffness)
      attach::release(w.exec, rows(w), column<const Real>(w, "mass"),
                      column<std::uint32_t>(w, "holders"), column<Real>(w, "inverse_mass"));
    mark(w, 0);
  }
  void act(World& w, const attach::Pose& handle, Real dt) {
    if (!p_.stiffness)
      return attach::hold(w.exec, handle, rows(w), local(w), column<Vec<3>>(w, "target"),
                          column<Real>(w, "inverse_mass"));
    fed_->add(w,
              attach::pull(w.exec, handle, {Real(*p_.stiffness), Real(p_.damping)}, dt, rows(w),
                           local(w), column<const Vec<3>>(w, "position"),
                           column<const Real>(w, "inverse_mass"), column<Vec<3>>(w, "velocity")));
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
  std::optional<Fed> fed_;  // of springs
};

std::unique_ptr<Stage> make_attach(const AttachParams& p, World& world, const std::string& own) {
  return std::make_unique<Attach>(p, world, own);
}

}  // namespace

StageType attach_type() {
  return stage_type(
      "attach", "Holds points of a mesh, moves them like a handle, or pulls them by springs.",
      "Witkin & Baraff, \"Physically Based Modeling\", SIGGRAPH course notes, 2001, for the spring "
      "of a handle",
      "Put it before the solver of the mesh, which takes held points to their places on straight "
      "lines within a step. Where two hold a point, the later one has it. A spring acts once a "
      "step, whatever the substeps of the solver, implicitly: it loses energy.",
      make_attach);
}

}  // namespace rtsim
