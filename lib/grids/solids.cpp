#include "grids/solids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bodies/body_solid.h"
#include "bodies/named_bodies.h"
#include "bodies/shapes/body_shape.h"
#include "meshes/adjacency.h"
#include "shapes/distance_field.h"
#include "shapes/mended_solid.h"
#include "shapes/mesh_shape.h"
#include "shapes/shape_parts.h"
#include "stage/boundary_pose.h"

namespace rtsim {

namespace {

constexpr std::size_t most_solids = 65535;

// Where it is so many seconds later: turned about its centre, which moves in a straight line.
boundary::Pose moved(const boundary::Pose& p, double seconds) {
  const double speed = norm(widen(p.angular_velocity));
  boundary::Pose b = p;
  b.centre = p.centre + Real(seconds) * p.velocity;
  b.translation = p.translation + Real(seconds) * p.velocity;
  if (!(speed > 0) || seconds == 0) return b;
  // Rodrigues: R v = v cos w + (k x v) sin w + k (k.v) (1 - cos w).
  const Vec3d axis = (1 / speed) * widen(p.angular_velocity);
  const double c = std::cos(speed * seconds), s = std::sin(speed * seconds);
  const auto turned = [&](const Vec3d& v) {
    return c * v + s * cross(axis, v) + ((1 - c) * dot(axis, v)) * axis;
  };
  Vec3d columns[3];
  for (int a = 0; a < 3; ++a)
    columns[a] =
        turned({{double(p.rotation[0][a]), double(p.rotation[1][a]), double(p.rotation[2][a])}});
  for (int r = 0; r < 3; ++r)
    for (int a = 0; a < 3; ++a) b.rotation[r][a] = Real(columns[a][r]);
  b.translation = b.centre + narrow<3>(turned(widen(p.translation - p.centre)));
  return b;
}

Rotation rotation_of(const rigid::Orientation<2>& q) {
  return {{{{double(q[0]), -double(q[1]), 0}}, {{double(q[1]), double(q[0]), 0}}, {{0, 0, 1}}}};
}
Rotation rotation_of(const rigid::Orientation<3>& q) {
  Vec3d column[3];
  for (int a = 0; a < 3; ++a) {
    Vec3d e;
    e[a] = 1;
    column[a] =
        rtsim::turned(VecT<double, 4>{{double(q[0]), double(q[1]), double(q[2]), double(q[3])}}, e);
  }
  Rotation r;
  for (int i = 0; i < 3; ++i)
    for (int a = 0; a < 3; ++a) r.row[i][a] = column[a][i];
  return r;
}

}  // namespace

const Shape& solid_shape(const Object& boundary) {
  if (!boundary.shape->closed())
    throw Error(
        ExitCode::bad_input,
        fmt::format("'{}' is an open mesh, which has no inside that a grid could leave out; "
                    "close its holes",
                    boundary.name));
  return *boundary.shape;
}

std::unique_ptr<Shape> mended_shape(const Object& boundary, std::string& what) {
  const ShapeParts parts(*boundary.shape);
  if (parts.list().size() != 1)
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is an open mesh whose holes cannot be closed, as it is combined "
                            "with other shapes; close them in the mesh",
                            boundary.name));
  const ShapePart& part = parts.list().front();
  TriangleMesh mesh = part.tree->mesh();
  for (Vec3d& v : mesh.vertices) v = part.translation + part.scale * part.rotation.apply(v);
  std::vector<std::string> notes;
  constexpr double any_holes = std::numeric_limits<double>::infinity();
  auto solid =
      make_mended_solid(std::move(mesh), any_holes, fmt::format("'{}'", boundary.name), notes);
  what = fmt::format("the mesh {}; look whether it is what you meant", fmt::join(notes, "; "));
  return solid;
}

GridShape grid_around(const Shape& solid, const std::string& name, const GridShape& lattice,
                      double band) {
  const Bounds b = solid.surface_bounds();
  GridShape g = lattice;
  for (int a = 0; a < 3; ++a) {
    if (!g.spans[a]) continue;
    const double extent = b.max[a] - b.min[a] + 2 * band;
    if (!std::isfinite(extent))
      throw Error(
          ExitCode::bad_input,
          fmt::format("'{}' is infinite along {}; a grid takes moving boundaries, and water "
                      "takes bodies, of finite size only: use a large box",
                      name, "xyz"[a]));
    g.cells[a] = Index(std::ceil(extent / g.spacing)) + 1;
    g.low[a] = 0.5 * (b.min[a] + b.max[a] - double(g.cells[a]) * g.spacing);
  }
  if (g.rows() > 1e9)
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is {:.2g} cells large; move a smaller body, or use a larger "
                            "spacing",
                            name, g.rows()));
  return g;
}

grid::GridView grid_view(const GridShape& g) {
  grid::GridView v;
  v.spacing = Real(g.spacing);
  v.first = narrow<3>(g.centre(0));
  for (int a = 0; a < 3; ++a) v.n[a] = g.cells[a], v.step[a] = g.spans[a] ? v.spacing : 0;
  return v;
}

Solids::Solids(World& world, const std::vector<std::string>& objects, const GridShape& lattice,
               double band, const std::string& seen, int fineness, const MeshWalls* meshes)
    : ex_(world.exec),
      seen_(seen),
      lattice_(lattice),
      surface_velocity_(ex_),
      winding_(ex_),
      band_(band),
      still_(ex_),
      distance_(ex_),
      still_nearest_(ex_),
      nearest_(ex_),
      poses_(ex_),
      body_maps_(ex_),
      solids_(ex_),
      in_blocks_(ex_) {
  std::vector<Real> distance(std::size_t(lattice.rows()), Real(band));
  std::vector<grid::SolidId> nearest(distance.size(), 0);
  for (const std::string& name : objects) {
    const Object& object = world.object(name);
    if (object.kind == Kind::mesh) {
      if (MeshWalls::is_solid(world, name)) add_mesh(world, name, meshes->seen_table(name));
    } else if (object.kind == Kind::bodies)
      world.dim == 2 ? add_bodies<2>(world, object, band, fineness)
                     : add_bodies<3>(world, object, band, fineness);
    else
      add_boundary(world, object, band, distance, nearest);
  }
  if (members_.size() > most_solids)
    throw Error(ExitCode::bad_input,
                fmt::format("{} boundaries and bodies are more than the {} that a grid can tell "
                            "apart",
                            members_.size(), most_solids));
  distance_.upload(distance), nearest_.upload(nearest);
  if (moving()) still_.upload(distance), still_nearest_.upload(nearest);
  if (!deforming_.empty())
    surface_velocity_.resize(distance.size()), winding_.resize(distance.size());
  host_poses_.resize(members_.size());
  poses_.upload(host_poses_);
  make_body_maps();
  if (!bodies_) return;
  world.add_table(seen_, Index(members_.size()) * pose_rows).add<Vec<3>>({"pose", ""});
  find_poses(world, 0, 0);
  keep_poses(world);
}

// The table has all points of the mesh, of which the surface takes its own.
void Solids::add_mesh(World& world, const std::string& mesh, const std::string& table) {
  TriangleMesh surface;
  for (const Vec<3>& x : world.table(table).download<Vec<3>>("position"))
    surface.vertices.push_back(widen(x));
  surface.triangles = corners_of<3>(world, triangle_table(mesh));
  deforming_.push_back({members_.size(), DeformingSurface(world, table, surface)});
  members_.push_back({mesh, true, mesh, -1, true});
}

// A mesh has none of its own: what it is on the lattice.
void Solids::make_body_maps() {
  const bool meshes = std::ranges::any_of(members_, &Member::mesh);
  if (!bodies_ && !meshes) return;
  std::vector<grid::SolidMap> of_members(members_.size());
  for (const Placed& p : placed_)
    if (members_[p.member].body >= 0)
      of_members[p.member] = {grid_view(maps_[p.map].grid), maps_[p.map].distance.span()};
  for (std::size_t k = 0; k < members_.size(); ++k)
    if (members_[k].mesh) of_members[k] = {grid_view(lattice_), distance_.span()};
  body_maps_.upload(of_members);
}

void Solids::add_boundary(World& world, const Object& boundary, double band,
                          std::vector<Real>& distance, std::vector<grid::SolidId>& nearest) {
  const std::size_t k = members_.size();
  members_.push_back({boundary.name, true, boundary.name});
  if (boundary.deformation) {
    solid_shape(boundary);  // closed: holes that deform cannot be mended
    deforming_.push_back({k, DeformingSurface(world, boundary)});
    return;
  }
  std::unique_ptr<Shape> closed;
  if (!boundary.shape->closed()) {
    std::string what;
    closed = mended_shape(boundary, what);
    mended_ += (mended_.empty() ? "" : "; ") + what;
  }
  const Shape& shape = closed ? *closed : *boundary.shape;
  if (boundary.moving) {
    request_pose(world, boundary.name);
    const GridShape own = grid_around(shape, boundary.name, lattice_, band);
    const std::vector<Real> map = distance_field(shape, own, band);
    placed_.push_back({k, maps_.size()});
    maps_.push_back({own, Buffer<Real>(ex_, std::span<const Real>(map)), {}, {}, {}});
    return;
  }
  const std::vector<Real> field = distance_field(shape, lattice_, band);
  for (std::size_t c = 0; c < distance.size(); ++c)
    if (field[c] < distance[c]) distance[c] = field[c], nearest[c] = grid::SolidId(k);
}

// Places of cells inside, some thousand at most.
static std::vector<Vec3d> places_inside(const GridShape& g, const std::vector<Real>& distance) {
  const auto count = std::size_t(std::ranges::count_if(distance, [](Real d) { return d < 0; }));
  const std::size_t every = 1 + count / 1000;
  std::vector<Vec3d> places;
  std::size_t k = 0;
  for (std::size_t c = 0; c < distance.size(); ++c)
    if (distance[c] < 0 && k++ % every == 0) places.push_back(g.centre(Index(c)));
  return places;
}

// Bodies of one shape share its map.
template <int D>
void Solids::add_bodies(World& world, const Object& object, double band, int fineness) {
  const std::size_t first = maps_.size();
  GridShape fine = lattice_;
  fine.spacing /= fineness;
  for (const BodyShape& s : object.bodies->shapes) {
    const BodySolid solid = solid_of_body(*s.made_of, world.dim);
    const GridShape own = grid_around(*solid.shape, object.name, fine, band);
    const std::vector<Real> map = distance_field(*solid.shape, own, band);
    const auto& q = solid.orientation;
    const Rotation turn =
        rotation_of(rigid::Orientation<3>{{Real(q[0]), Real(q[1]), Real(q[2]), Real(q[3])}});
    maps_.push_back({own, Buffer<Real>(ex_, std::span<const Real>(map)), turn, solid.position,
                     places_inside(own, map)});
  }
  const auto shape = world.table(object.name).template download<std::int32_t>("shape");
  for (std::size_t b = 0; b < shape.size(); ++b) {
    placed_.push_back({members_.size(), first + std::size_t(shape[b])});
    members_.push_back({fmt::format("{}.{}", object.name, b), false, object.name, Index(b)});
  }
  for (const BodySet::Named& named : object.bodies->names) {
    Member& m = members_[members_.size() - shape.size() + std::size_t(named.first)];
    if (named.count == 1) m.name = object.name + "." + named.name, m.named = true;
  }
  bodies_ = bodies_ || !shape.empty();
}

namespace {

// Of bodies as their table has them, maps standing in their frames.
template <int D>
std::vector<boundary::Pose> poses_of_bodies(World& world, const std::string& bodies) {
  Table& t = world.table(bodies);
  const auto x = t.download<Vec<D>>("position"), v = t.download<Vec<D>>("velocity");
  const auto q = t.download<rigid::Orientation<D>>("orientation");
  const auto w = t.download<rigid::Angular<D>>("angular_velocity");
  std::vector<boundary::Pose> poses(x.size());
  for (std::size_t b = 0; b < x.size(); ++b) {
    const Rotation r = rotation_of(q[b]);
    for (int a = 0; a < 3; ++a) poses[b].rotation[a] = narrow<3>(r.row[a]);
    poses[b].centre = poses[b].translation = narrow<3>(widen(x[b]));
    poses[b].velocity = narrow<3>(widen(v[b]));
    poses[b].angular_velocity = narrow<3>(turning_of(w[b]));
  }
  return poses;
}

// Of a map that stands otherwise in the body's frame: x = R (turn^-1 (y - centre)) + x_b.
void place_map(boundary::Pose& pose, const Rotation& turn, const Vec3d& centre) {
  Vec3d row[3];
  for (int r = 0; r < 3; ++r) row[r] = turn.apply(widen(pose.rotation[r]));
  for (int r = 0; r < 3; ++r) {
    pose.rotation[r] = narrow<3>(row[r]);
    pose.translation[r] -= Real(dot(row[r], centre));
  }
}

}  // namespace

void Solids::find_poses(World& world, double before_end, double ahead) {
  std::vector<boundary::Pose> bodies;
  for (const Placed& p : placed_) {
    const Member& member = members_[p.member];
    boundary::Pose& pose = host_poses_[p.member];
    if (member.body < 0) {
      pose = moved(pose_of(world, member.object), -before_end);
      continue;
    }
    if (member.body == 0)
      bodies = world.dim == 2 ? poses_of_bodies<2>(world, member.object)
                              : poses_of_bodies<3>(world, member.object);
    pose = bodies[std::size_t(member.body)];
    SolidMotion m = {widen(pose.velocity), widen(pose.angular_velocity), {}, {}};
    if (!predicted_.empty()) m = predicted_[p.member];
    place_map(pose, maps_[p.map].turn, maps_[p.map].centre);
    pose.velocity = narrow<3>(m.way + ahead * m.velocity);
    pose.angular_velocity = narrow<3>(m.turn + ahead * m.angular);
    pose = moved(pose, 1);
    pose.velocity = narrow<3>(m.velocity), pose.angular_velocity = narrow<3>(m.angular);
  }
}

// The rows of a pose are as world/world.h has them.
void Solids::keep_poses(World& world) {
  poses_.upload(host_poses_);
  if (!bodies_) return;
  static_assert(sizeof(boundary::Pose) == pose_rows * sizeof(Vec<3>));
  world.exec.upload(world.table(seen_).column<Vec<3>>("pose").data,
                    reinterpret_cast<const Vec<3>*>(host_poses_.data()),
                    host_poses_.size() * sizeof(boundary::Pose));
}

namespace {

// Where the solids of each block begin, and then their numbers (grid::Blocks).
std::vector<Index> solids_in_blocks(const Index (&blocks)[3],
                                    const std::vector<grid::PlacedSolid>& solids) {
  const auto for_blocks = [&](const grid::PlacedSolid& s, const auto& f) {
    Index low[3], end[3];
    for (int a = 0; a < 3; ++a) {
      if (s.n[a] == 0) return;
      low[a] = s.low[a] / grid::block_side;
      end[a] = (s.low[a] + s.n[a] - 1) / grid::block_side + 1;
    }
    for (Index k = low[2]; k < end[2]; ++k)
      for (Index j = low[1]; j < end[1]; ++j)
        for (Index i = low[0]; i < end[0]; ++i) f(std::size_t(i + blocks[0] * (j + blocks[1] * k)));
  };
  const Index count = blocks[0] * blocks[1] * blocks[2];
  std::vector<Index> first(std::size_t(count) + 1);
  for (const grid::PlacedSolid& s : solids) for_blocks(s, [&](std::size_t b) { ++first[b + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Index> next(first.begin(), first.end() - 1);
  std::vector<Index> lists(first.size() + std::size_t(first.back()));
  std::copy(first.begin(), first.end(), lists.begin());
  Index* const of = lists.data() + first.size();
  for (std::size_t k = 0; k < solids.size(); ++k)
    for_blocks(solids[k], [&](std::size_t b) { of[next[b]++] = Index(k); });
  return lists;
}

}  // namespace

void Solids::place_solids() {
  if (placed_.empty()) return;
  const grid::GridView grid = grid_view(lattice_);
  std::vector<grid::PlacedSolid> solids;
  for (const Placed& p : placed_)
    solids.push_back(grid::place_solid(grid,
                                       {grid_view(maps_[p.map].grid), maps_[p.map].distance.span()},
                                       host_poses_[p.member], grid::SolidId(p.member)));
  grid::Blocks blocks{};
  for (int a = 0; a < 3; ++a) blocks.n[a] = (grid.n[a] + grid::block_side - 1) / grid::block_side;
  const Index count = blocks.n[0] * blocks.n[1] * blocks.n[2];
  solids_.upload(solids), in_blocks_.upload(solids_in_blocks(blocks.n, solids));
  blocks.first = {in_blocks_.data(), count + 1};
  blocks.of = {in_blocks_.data() + count + 1, Index(in_blocks_.size()) - count - 1};
  grid::take_nearest(ex_, grid, solids_.span(), blocks, distance_.span(), nearest_.span());
}

void Solids::find_distances() {
  ex_.copy(distance_.data(), still_.data(), still_.size() * sizeof(Real));
  ex_.copy(nearest_.data(), still_nearest_.data(), still_nearest_.size() * sizeof(grid::SolidId));
  place_solids();
  if (deforming_.empty()) return;
  surface_velocity_.zero();
  for (const Deforming& d : deforming_) take_nearer(d);
}

// The surface stands in the world: its pose is none. What moves lies within a band of its bounds;
// of a tank the solid goes on outside of them.
void Solids::take_nearer(const Deforming& d) {
  Index low[3], n[3];
  const Bounds b = d.surface.bounds();
  for (int a = 0; a < 3; ++a) {
    const auto cell = [&](double x) {
      const double at = (x - lattice_.low[a]) / lattice_.spacing;
      return Index(std::clamp(at, 0.0, double(lattice_.cells[a])));
    };
    low[a] = 0, n[a] = lattice_.cells[a];
    if (d.surface.inside_out()) continue;
    low[a] = cell(b.min[a] - band_);
    n[a] = std::max(std::min(cell(b.max[a] + band_) + 1, lattice_.cells[a]) - low[a], Index(0));
  }
  grid::take_nearer_surface(ex_, grid_view(lattice_),
                            {d.surface.view(), d.surface.velocity(), d.surface.inside_out()},
                            Real(band_), low, n, grid::SolidId(d.member), winding_.span(),
                            distance_.span(), nearest_.span(), surface_velocity_.span());
}

void Solids::find_surfaces(World& world, double before_end) {
  for (Deforming& d : deforming_) d.surface.update(world, members_[d.member].mesh ? 0 : before_end);
}

std::pair<std::size_t, const DeformingSurface*> Solids::surface_of(const std::string& mesh) const {
  for (const Deforming& d : deforming_)
    if (members_[d.member].name == mesh) return {d.member, &d.surface};
  throw Error(ExitCode::internal, "no surface of '" + mesh + "'");
}

void Solids::update(World& world, double before_end, double ahead) {
  if (!moving()) return;
  find_poses(world, before_end, ahead);
  find_surfaces(world, before_end);
  keep_poses(world);
  find_distances();
}

void Solids::recall(World& world) {
  if (!bodies_) return update(world, 0, 0);
  const auto rows = world.table(seen_).download<Vec<3>>("pose");
  for (const Placed& p : placed_)
    if (members_[p.member].body < 0)
      host_poses_[p.member] = pose_of(world, members_[p.member].object);
    else
      std::copy_n(rows.begin() + std::ptrdiff_t(p.member) * pose_rows, pose_rows,
                  reinterpret_cast<Vec<3>*>(&host_poses_[p.member]));
  poses_.upload(host_poses_);
  find_surfaces(world, 0);
  find_distances();
}

Solids::Part Solids::part_in(std::size_t member, const GridShape& box) const {
  const auto placed = std::ranges::find(placed_, member, &Placed::member);
  const std::vector<Vec3d>& inside = maps_[placed->map].inside;
  const boundary::Pose& pose = host_poses_[member];
  Part part{0, widen(pose.centre)};
  Vec3d sum;
  for (const Vec3d& local : inside) {
    Vec3d x = widen(pose.translation);
    for (int a = 0; a < 3; ++a) x[a] += dot(widen(pose.rotation[a]), local);
    bool in = true;
    for (int a = 0; a < 3; ++a) {
      const double at = (x[a] - box.low[a]) / box.spacing;
      in = in && (!box.spans[a] || (at > 0 && at < double(box.cells[a])));
    }
    if (in) sum = sum + x, ++part.share;
  }
  if (part.share == double(inside.size())) return {1, part.middle};
  if (part.share > 0) part.middle = (1 / part.share) * sum;
  part.share /= double(inside.size());
  return part;
}

void Solids::set_motion(World& world, const std::vector<SolidMotion>& motions) {
  for (const Placed& p : placed_) {
    if (members_[p.member].body < 0) continue;
    host_poses_[p.member].velocity = narrow<3>(motions[p.member].velocity);
    host_poses_[p.member].angular_velocity = narrow<3>(motions[p.member].angular);
  }
  keep_poses(world);
}

}  // namespace rtsim
