#include "deformables/position_based.h"

#include <fmt/format.h>

#include <cmath>

#include "deformables/tethers.h"
#include "pbd/measures.h"
#include "pbd/pressure.h"

namespace rtsim {

namespace {

std::vector<Vec3d> places(World& world, const std::string& mesh) {
  std::vector<Vec3d> points;
  for (const Vec<3>& x : world.table(mesh).download<Vec<3>>("position")) points.push_back(widen(x));
  return points;
}

pbd::Softness softness(const Resistance& r, double h) {
  return {Real(r.share), Real(r.compliance / (h * h))};
}

// Hinges of a mesh of triangles, by one of the models.
class Bends {
 public:
  Bends(const PositionBasedParams& p, const Resistances& r, World& world,
        const std::vector<Vec3d>& points) {
    if (!r.bend) return;
    const std::string& mesh = p.mesh.name;
    if (world.has_table(tet_table(mesh)) || !world.has_table(triangle_table(mesh)))
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' is no mesh of triangles, which alone resist bending; leave "
                              "\"bending_stiffness\" at 0",
                              mesh));
    const auto hinges = hinges_of(corners_of<3>(world, triangle_table(mesh)));
    const auto set = [&](auto& into, const auto& list) {
      into.emplace(world.exec, points.size(), list, p.order, r.multipliers);
    };
    if (p.bending == BendModel::dihedral)
      set(dihedral_, dihedral_bends(points, hinges, p.rest_shape));
    else if (p.rest_shape == RestShape::as_built && curved(points, hinges))
      set(curved_, curved_bends(points, hinges));
    else
      set(flat_, flat_bends(points, hinges));
  }

  void forget_multipliers() {
    each([](auto& set, auto) { set.forget_multipliers(); });
  }
  void project(const pbd::Softness& soft, Span<Row4> rows) {
    each([&](auto& set, auto law) {
      law.soft = soft;
      set.project(law, rows);
    });
  }

 private:
  template <class Visit>
  void each(const Visit& visit) {
    if (flat_) visit(*flat_, pbd::FlatBend{});
    if (curved_) visit(*curved_, pbd::CurvedBend{});
    if (dihedral_) visit(*dihedral_, pbd::DihedralBend{});
  }
  std::optional<ConstraintSet<pbd::FlatBend>> flat_;
  std::optional<ConstraintSet<pbd::CurvedBend>> curved_;
  std::optional<ConstraintSet<pbd::DihedralBend>> dihedral_;
};

// A closed surface that keeps `pressure` times its volume at rest.
class Balloon {
 public:
  Balloon(const PositionBasedParams& p, World& world, const std::vector<Vec3d>& points)
      : mesh_(p.mesh.name), first_(world.exec), slots_(world.exec), gradient_(world.exec) {
    const auto triangles = corners_of<3>(world, triangle_table(mesh_));
    if (!closed(triangles) || world.has_table(tet_table(mesh_)))
      throw Error(ExitCode::bad_input,
                  fmt::format("\"pressure\" is of the volume inside a closed surface, and '{}' is "
                              "none; close its holes and turn its triangles one way",
                              mesh_));
    for (const auto& t : triangles) {
      const Vec3d o = points[0];
      const auto at = [&](std::size_t k) { return points[std::size_t(t[k])] - o; };
      rest_ += *p.pressure * dot(cross(at(0), at(1)), at(2)) / 6;
    }
    if (!(rest_ > 0))
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' encloses {:.3g} m^3 at rest: turn its triangles inside out",
                              mesh_, rest_));
    const Incidence at = incidence_of(points.size(), triangles);
    first_.upload(at.first), slots_.upload(at.slots);
    gradient_.resize(points.size());
  }

  void forget_multipliers() { lambda_ = 0; }
  void project(World& world, const pbd::Softness& soft, Span<Row4> rows) {
    pbd::keep_volume(world.exec, soft, rest_, surface(world), lambda_, gradient_.span(), rows);
  }
  double volume(World& world, Span<const Vec<3>> position) const {
    return pbd::enclosed_volume(world.exec, surface(world), position);
  }

 private:
  pbd::Surface surface(World& world) const {
    return {world.table(triangle_table(mesh_)).column<const Corners<3>>("corners"), first_.span(),
            slots_.span()};
  }
  std::string mesh_;
  Buffer<Index> first_, slots_;
  Buffer<Vec<3>> gradient_;
  double rest_ = 0, lambda_ = 0;
};

// Tethers to the points that are held at present: other stages take hold and let go.
class TetherSet {
 public:
  TetherSet(const PositionBasedParams& p, World& world, const std::vector<Vec3d>& points)
      : mesh_(p.mesh.name),
        most_(p.tethers),
        edges_(corners_of<2>(world, edge_table(mesh_))),
        first_(world.exec),
        rows_(world.exec),
        length_(world.exec) {
    for (const auto& e : edges_)
      rest_.push_back(norm(points[std::size_t(e[1])] - points[std::size_t(e[0])]));
  }

  void find(World& world) {
    std::vector<bool> held;
    for (const Real w : world.table(mesh_).download<Real>("inverse_mass")) held.push_back(!(w > 0));
    if (held == held_) return;
    held_ = std::move(held);
    const TetherList list = tethers_of(edges_, rest_, held_, most_);
    first_.upload(list.first), rows_.upload(list.held);
    length_.upload(std::vector<Real>(list.length.begin(), list.length.end()));
  }
  void project(World& world, Span<Row4> rows) const {
    if (rows_.size() == 0) return;
    pbd::pull_back(world.exec, {first_.span(), rows_.span(), length_.span()}, rows);
  }

 private:
  std::string mesh_;
  int most_;
  std::vector<CellMesh::Edge> edges_;
  std::vector<double> rest_;
  std::vector<bool> held_;
  Buffer<Index> first_, rows_;
  Buffer<Real> length_;
};

class PositionBased final : public Stage {
 public:
  PositionBased(const PositionBasedParams& p, const Resistances& r, World& world)
      : PositionBased(p, r, world, places(world, p.mesh.name)) {}

  void advance(World& world, const Step& step) override {
    const double h = step.dt / p_.substeps;
    if (tethers_) tethers_->find(world);
    const pbd::Substep first = substep(world, h, p_.substeps), last = substep(world, h, 1);
    pbd::predict(world.exec, first, points(world), moving());
    for (int s = 0; s < p_.substeps; ++s) {
      if (s > 0) pbd::settle_and_predict(world.exec, first, moving());
      project(world, h);
    }
    pbd::settle(world.exec, last, points(world), moving());
    watch(world);
  }

  void measure(World& world, std::vector<Measurement>& out) const override;

  std::vector<ColumnUse> uses() const override {
    const std::string& m = p_.mesh.name;
    return {{m, "position", Access::write},
            {m, "velocity", Access::write},
            {m, "inverse_mass", Access::read},
            {m, "target", Access::read}};
  }

 private:
  PositionBased(const PositionBasedParams& p, const Resistances& r, World& world,
                const std::vector<Vec3d>& rest)
      : p_(p),
        r_(r),
        edges_(world.exec, rest.size(),
               edge_lengths(rest, corners_of<2>(world, edge_table(p.mesh.name))), p.order,
               r.multipliers),
        bends_(p, r, world, rest),
        place_(world.exec, rest.size()),
        begin_(world.exec, rest.size()),
        motion_(world.exec, rest.size()) {
    if (p.keep_volume && world.has_table(tet_table(p.mesh.name)))
      tets_.emplace(world.exec, rest.size(),
                    tet_volumes(rest, corners_of<4>(world, tet_table(p.mesh.name))), p.order,
                    r.multipliers);
    if (p.pressure) balloon_.emplace(p, world, rest);
    if (p.tethers > 0) tethers_.emplace(p, world, rest);
  }

  // All constraints of a substep, the stiffest last: what comes later has it.
  void project(World& world, double h) {
    forget_multipliers();
    for (int i = 0; i < p_.iterations; ++i) {
      edges_.project({softness(r_.stretch, h)}, place_.span());
      if (r_.bend) bends_.project(softness(*r_.bend, h), place_.span());
      if (tets_) tets_->project({softness(r_.volume, h)}, place_.span());
      if (balloon_) balloon_->project(world, softness(r_.volume, h), place_.span());
      if (tethers_) tethers_->project(world, place_.span());
    }
  }
  void forget_multipliers() {
    edges_.forget_multipliers();
    bends_.forget_multipliers();
    if (tets_) tets_->forget_multipliers();
    if (balloon_) balloon_->forget_multipliers();
  }

  Table& table(World& world) const { return world.table(p_.mesh.name); }
  pbd::Points points(World& world) const {
    Table& t = table(world);
    return {t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity"),
            t.column<const Real>("inverse_mass"), t.column<const Vec<3>>("target")};
  }
  pbd::Moving moving() { return {place_.span(), begin_.span(), motion_.span()}; }
  pbd::Substep substep(const World& world, double h, int left) const {
    return {Real(h), world.gravity_vector<3>(), Real(std::exp(-h * p_.damping)), Real(left)};
  }

  void watch(World& world) const {
    const Span<const Vec<3>> v = table(world).column<const Vec<3>>("velocity");
    const Index astray = pbd::first_astray(world.exec, v);
    if (astray >= 0)
      throw Diverged(
          fmt::format("velocity of row {} of '{}' is not finite; positions or forces of "
                      "other stages are too large: use shorter steps",
                      astray, p_.mesh.name));
  }

  PositionBasedParams p_;
  Resistances r_;
  ConstraintSet<pbd::Distance> edges_;
  Bends bends_;
  std::optional<ConstraintSet<pbd::TetVolume>> tets_;
  std::optional<Balloon> balloon_;
  std::optional<TetherSet> tethers_;
  Buffer<Row4> place_, begin_, motion_;
};

void PositionBased::measure(World& world, std::vector<Measurement>& out) const {
  const std::string& m = p_.mesh.name;
  Table& t = table(world);
  const auto position = t.column<const Vec<3>>("position");
  const auto add = [&](const char* quantity, double value, const char* unit) {
    out.push_back({m + "." + quantity, value, unit});
  };
  const pbd::Sums s = pbd::sums(world.exec, world.gravity_vector<3>(), t.column<const Real>("mass"),
                                position, t.column<const Vec<3>>("velocity"));
  add("kinetic_energy", s.kinetic, "J");
  add("potential_energy", s.potential, "J");
  add("momentum.x", s.momentum[0], "kg m/s");
  add("momentum.y", s.momentum[1], "kg m/s");
  add("momentum.z", s.momentum[2], "kg m/s");
  const pbd::Strain e =
      pbd::strain(world.exec, edges_.corner(0), edges_.corner(1), edges_.number(0), position);
  add("mean_strain", e.sum / edges_.size(), "");
  add("max_strain", e.greatest, "");
  add("strain_residual", std::sqrt(e.squares / edges_.size()), "");
  if (tets_)
    add("volume",
        pbd::volume(world.exec, world.table(tet_table(m)).column<const Corners<4>>("corners"),
                    position),
        "m^3");
  if (balloon_) add("volume", balloon_->volume(world, position), "m^3");
}

}  // namespace

void describe(Describe& d, PositionBasedParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  static constexpr Option models[] = {
      {"isometric", int(BendModel::isometric),
       "Quadratic in the positions, for cloth that hardly stretches: Bergou et al. 2006."},
      {"dihedral", int(BendModel::dihedral),
       "By the angle between triangles: Müller et al. 2006."}};
  static constexpr Option shapes[] = {
      {"as_built", int(RestShape::as_built), "As the mesh starts."},
      {"flat", int(RestShape::flat), "Flat, whatever the mesh is like at the start."}};
  static constexpr Option orders[] = {
      {"gauss_seidel", int(ProjectionOrder::gauss_seidel),
       "One after the other, in colours that share no point."},
      {"jacobi", int(ProjectionOrder::jacobi),
       "All at once and averaged: symmetric, but it needs several times the iterations."}};
  d.role("mesh", p.mesh, kinds, "The mesh that it moves.");
  d.choice("bending", p.bending, models, "How triangles resist bending over their edges:");
  d.choice("rest_shape", p.rest_shape, shapes, "Where hinges are at rest:");
  d("keep_volume", p.keep_volume, "Tetrahedra keep their volume.");
  d("pressure", p.pressure, "", above(0),
    "A closed surface keeps so many times its volume at the start: a balloon. Default: it may "
    "collapse.");
  d("tethers", p.tethers, "", between(0, 16),
    "So many groups of held points, the nearest ones, hold each point back: it goes no farther "
    "from "
    "them than along the edges at rest. Long ropes and sheets then stretch less.");
  d("damping", p.damping, "1/s", at_least(0),
    "Velocities decay as exp(-damping t), those of free fall too.");
  d.choice("order", p.order, orders, "How the constraints of an iteration follow each other:");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  d("iterations", p.iterations, "", between(1, 100000),
    "Projections of all constraints in a substep. Substeps do more for the same time.");
}

std::unique_ptr<Stage> make_position_based(const PositionBasedParams& p, const Resistances& r,
                                           World& world) {
  return std::make_unique<PositionBased>(p, r, world);
}

double position_based_row_bytes(const PositionBasedParams& p) {
  const double edge = 2 * sizeof(Index) + 2 * sizeof(Real),
               cell = 4 * sizeof(Index) + 6 * sizeof(Real);
  const double slots = p.order == ProjectionOrder::jacobi ? 6 * sizeof(Real) * 6 : 0;
  return 3 * sizeof(Row4) + 3 * (edge + cell) + slots;
}

}  // namespace rtsim
