#include "solvers/verlet/verlet.h"

#include <fmt/format.h>

#include <cmath>

#include "deformables/mesh_series.h"
#include "deformables/reactions.h"
#include "meshes/adjacency.h"
#include "meshes/colouring.h"
#include "verlet/verlet.h"

namespace rtsim {

void describe(Describe& d, StickSpec& s) {
  static constexpr Option kinds[] = {
      {"rod", int(verlet::rod), "the points keep their distance."},
      {"at_least", int(verlet::at_least),
       "they come no nearer: between the ends of two limbs, a limit of the joint's angle."},
      {"at_most", int(verlet::at_most), "they go no farther apart: a rope."}};
  d("points", s.points, "", at_least(0), "Its two ends, by their number.");
  d.choice("kind", s.kind, kinds, "What it forbids:");
  d("length", s.length, "m", above(0), "The distance. Default: as at the start.");
  if (d.given("points") && (s.points.size() != 2 || s.points[0] == s.points[1]))
    d.fault("points", "must be two different points");
}

void describe(Describe& d, VerletParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  d.role("mesh", p.mesh, kinds, "The mesh that it moves.");
  d.list("sticks", p.sticks,
         "Sticks between any points: supports of plants, limits of joints, shapes of limbs.",
         "stick");
  d("edges", p.edges, "All edges of the mesh are rods.");
  d("stiffness", p.stiffness, "", between(1e-6, 1),
    "Share of its error that a stick takes back when its turn comes.");
  d("drag", p.drag, "1/s", at_least(0),
    "Displacements decay as exp(-drag t); 0.6 is Jakobsen's 1 % a step of 1/60 s.");
  d("iterations", p.iterations, "", between(1, 100000), "Passes over all sticks, at most.");
  d("tolerance", p.tolerance, "", at_least(0),
    "Passes end when no stick is wrong by more than this share of its length; 0: all are made.");
  d("square_root", p.square_root,
    "False: lengths by the root's Taylor series at rest, cheaper, and softer where sticks are far "
    "off their length.");
  describe(d, p.contact);
}

// Displacement, four copies of positions and velocities, and three edges, also as they are sorted.
double row_bytes(const VerletParams& p, const GridShape&) {
  return 5 * sizeof(Vec<3>) + 3 * 2 * (2 * sizeof(Index) + sizeof(Real) + sizeof(std::uint32_t)) +
         contact_point_bytes(p.contact);
}

namespace {

// The sticks of the mesh's edges and of the scene, sorted by colour.
class StickSet {
 public:
  StickSet(const VerletParams& p, World& world)
      : a_(world.exec), b_(world.exec), length_(world.exec), kind_(world.exec) {
    std::vector<Vec3d> x;
    for (const Vec<3>& v : world.table(p.mesh.name).download<Vec<3>>("position"))
      x.push_back(widen(v));
    if (p.edges)
      for (const auto& e : corners_of<2>(world, edge_table(p.mesh.name))) add(x, e, {});
    for (const StickSpec& s : p.sticks) add(x, ends(s, x.size()), s);
    upload(x.size());
  }

  Index size() const { return Index(sticks_.size()); }
  void relax(const Exec& ex, const VerletParams& p, Span<const Real> w, Span<Vec<3>> x,
             Span<Row4> push) const {
    for (std::size_t c = 0; c + 1 < first_.size(); ++c)
      verlet::relax(ex, view(), first_[c], first_[c + 1], Real(p.stiffness), !p.square_root, w, x,
                    push);
  }
  verlet::Sticks view() const { return {a_.span(), b_.span(), length_.span(), kind_.span()}; }

 private:
  static CellMesh::Edge ends(const StickSpec& s, std::size_t points) {
    for (const double n : s.points)
      if (!(n < double(points)) || n != std::floor(n))
        throw Error(ExitCode::bad_input,
                    fmt::format("\"sticks\": {} is no point; they are 0 to {}", n, points - 1));
    return {CellMesh::Corner(s.points[0]), CellMesh::Corner(s.points[1])};
  }
  void add(const std::vector<Vec3d>& x, const CellMesh::Edge& e, const StickSpec& s) {
    const double length = s.length.value_or(norm(x[std::size_t(e[1])] - x[std::size_t(e[0])]));
    if (!(length > 0))
      throw Error(ExitCode::bad_input,
                  fmt::format("the stick of points {} and {} has no length", e[0], e[1]));
    sticks_.push_back(e), lengths_.push_back(Real(length));
    kinds_.push_back(std::uint32_t(s.kind));
  }
  void upload(std::size_t points) {
    const Colouring colours = colour<2>(points, sticks_);
    std::vector<Index> a, b;
    std::vector<Real> length;
    std::vector<std::uint32_t> kind;
    for (const Index s : colours.order) {
      const auto at = std::size_t(s);
      a.push_back(sticks_[at][0]), b.push_back(sticks_[at][1]);
      length.push_back(lengths_[at]), kind.push_back(kinds_[at]);
    }
    a_.upload(a), b_.upload(b), length_.upload(length), kind_.upload(kind);
    first_ = colours.first;
  }

  std::vector<CellMesh::Edge> sticks_;
  std::vector<Real> lengths_;
  std::vector<std::uint32_t> kinds_;
  std::vector<Index> first_;  // of each colour, and one more
  Buffer<Index> a_, b_;
  Buffer<Real> length_;
  Buffer<std::uint32_t> kind_;
};

class Verlet final : public Stage {
 public:
  Verlet(const VerletParams& p, World& world)
      : p_(p),
        sticks_(p, world),
        before_(world.exec, std::size_t(table(world).rows())),
        predicted_(world.exec, std::size_t(table(world).rows())),
        free_position_(world.exec, std::size_t(table(world).rows())),
        free_velocity_(world.exec, std::size_t(table(world).rows())),
        contact_(each_pass(p), world, p.mesh.name),
        reactions_(world, p.mesh.name),
        push_(world.exec, reactions_.wanted() ? before_.size() : 0) {
    table(world).add<Vec<3>>({"displacement", "m"});
  }

  void advance(World& world, const Step& step) override {
    const verlet::Points points = view(world);
    const int parts =
        contact_.parts(world, step, 1, points.position, points.velocity, points.inverse_mass);
    const auto h = Real(step.dt / parts);
    contact_.begin(world, step, parts);
    reactions_.begin(), push_.zero();
    for (int k = 0; k < parts; ++k) {
      verlet::move(world.exec,
                   {h, world.gravity_vector<3>(), Real(std::exp(-step.dt / parts * p_.drag)),
                    step.index == 0 && k == 0, Real(parts - k)},
                   points, before_.span(), predicted_.span());
      relax(world, points, k, h);
      verlet::settle(world.exec, h, points, predicted_.span());
    }
    reactions_.add({table(world).column<const Real>("mass"), points.inverse_mass}, push_.span(),
                   1 / double(h), {Real(step.dt), world.gravity_vector<3>()});
    reactions_.end(world);
    watch_velocities(world, p_.mesh.name,
                     "what other stages do to its velocities is too much: use shorter steps");
  }

  std::string warning(World&) const override { return contact_.warning(); }

  void measure(World& world, std::vector<Measurement>& out) const override {
    measure_motion(world, p_.mesh.name, out);
    out.push_back(
        {p_.mesh.name + ".stick_error",
         verlet::worst(world.exec, sticks_.view(), table(world).column<const Vec<3>>("position")),
         ""});
    out.push_back({p_.mesh.name + ".iterations", double(passes_), ""});
  }

  Feed feed(World&) const override {
    Feed feed = contact_.feed();
    feed.hidden *= p_.iterations * p_.iterations;  // its recovery is that of one pass
    return feed;
  }

  std::vector<ColumnUse> uses() const override { return uses_of_mesh(p_.mesh.name); }

 private:
  // Points that start inside walls leave them at `recovery`, however many passes there are.
  static ContactParams each_pass(const VerletParams& p) {
    ContactParams c = p.contact;
    c.recovery /= p.iterations;
    return c;
  }

  // Sticks one after the other, then walls, until the sticks are as long as they should be.
  void relax(World& world, const verlet::Points& points, int part, Real h) {
    for (passes_ = 0; passes_ < p_.iterations;) {
      sticks_.relax(world.exec, p_, points.inverse_mass, points.position, push_.span());
      if (contact_.any()) meet_walls(world, points, part, h);
      ++passes_;
      if (p_.tolerance > 0 && passes_ < p_.iterations &&
          verlet::worst(world.exec, sticks_.view(), points.position) <= p_.tolerance)
        return;
    }
  }

  void meet_walls(World& world, const verlet::Points& points, int part, Real h) {
    verlet::find_speeds(world.exec, h, points, predicted_.span());
    const std::size_t bytes = before_.size() * sizeof(Vec<3>);
    world.exec.copy(free_position_.data(), points.position.data, bytes);
    world.exec.copy(free_velocity_.data(), points.velocity.data, bytes);
    contact_.resolve(world, part, before_.span(), points.position, points.velocity,
                     points.inverse_mass, h);
    verlet::excuse(world.exec, h, points, free_position_.span(), free_velocity_.span(),
                   predicted_.span());
  }

  Table& table(World& world) const { return world.table(p_.mesh.name); }
  verlet::Points view(World& world) const {
    Table& t = table(world);
    return {t.column<Vec<3>>("position"), t.column<Vec<3>>("displacement"),
            t.column<Vec<3>>("velocity"), t.column<const Real>("inverse_mass"),
            t.column<const Vec<3>>("target")};
  }

  VerletParams p_;
  StickSet sticks_;
  Buffer<Vec<3>> before_, predicted_;
  Buffer<Vec<3>> free_position_, free_velocity_;  // before walls
  Contact contact_;
  Reactions reactions_;
  Buffer<Row4> push_;  // on held points, in a step [kg m]
  int passes_ = 0;
};

std::unique_ptr<Stage> make_verlet(const VerletParams& p, World& world) {
  return std::make_unique<Verlet>(p, world);
}

}  // namespace

StageType verlet_type() {
  return stage_type(
      "verlet", "Sticks between points, kept by relaxation: ragdolls, plants, ropes, cloth.",
      "Jakobsen, \"Advanced Character Physics\", Game Developers Conference 2001",
      {"Stiffness follows from the passes and the step, and is no material.",
       "Sticks carry no bending; supports and limits are further sticks of the scene.",
       "Rigid bodies are tetrahedra of sticks, with the inertia of their four points."},
      "docs/cloth_and_soft_bodies.md", make_verlet);
}

}  // namespace rtsim
