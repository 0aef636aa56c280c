#include "grids/mesh_walls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "grids/solids.h"
#include "meshes/adjacency.h"

namespace rtsim {

namespace {

bool same_face(const MeshFace& a, const MeshFace& b) { return a.axis == b.axis && a.row == b.row; }

// f(begin, end) for the runs of one face each.
template <class F>
void for_each_face(const std::vector<MeshFace>& faces, const F& f) {
  for (std::size_t begin = 0, end = 0; begin < faces.size(); begin = end) {
    while (end < faces.size() && same_face(faces[begin], faces[end])) ++end;
    f(begin, end);
  }
}

std::vector<double> read(const Exec& ex, const Span<Real> (&from)[3],
                         const std::vector<MeshFace>& faces) {
  std::vector<mac::FaceValue> there;
  for (const MeshFace& f : faces) there.push_back({f.axis, f.row, 0});
  Buffer<mac::FaceValue> buffer(ex, std::span<const mac::FaceValue>(there));
  mac::read_faces(ex, {from[0], from[1], from[2]}, buffer.span());
  std::vector<double> values;
  for (const mac::FaceValue& v : buffer.download()) values.push_back(double(v.value));
  return values;
}

// The mean distance of points that the triangles have, as if all were equilateral.
double point_distance(World& world, const std::string& mesh) {
  const auto x = world.table(mesh).download<Vec<3>>("position");
  const auto triangles = corners_of<3>(world, triangle_table(mesh));
  double twice = 0;
  for (const auto& t : triangles) {
    const Vec3d a = widen(x[std::size_t(t[0])]);
    twice += norm(cross(widen(x[std::size_t(t[1])]) - a, widen(x[std::size_t(t[2])]) - a));
  }
  return std::sqrt(2 / std::sqrt(3.0) * twice / std::max(1.0, double(triangles.size())));
}

// Half as far apart as the points, so that each triangle is met.
int lines_across(double cell, double point_distance) {
  return point_distance > 0 ? 1 + 2 * int(std::ceil(cell / point_distance)) : 1;
}

void add_points(MeshFace& face, const contact::Corners3& corners, const Real (&weight)[3],
                Index first) {
  for (int k = 0; k < 3; ++k) face.points.push_back({first + Index(corners[k]), double(weight[k])});
}

// Each point once, and all weights sum to one.
void find_mean(MeshFace& face) {
  std::vector<MeshFace::Point>& p = face.points;
  std::stable_sort(p.begin(), p.end(),
                   [](const auto& a, const auto& b) { return a.point < b.point; });
  double sum = 0;
  std::size_t count = 0;
  for (const MeshFace::Point& q : p) {
    sum += q.weight;
    if (count > 0 && p[count - 1].point == q.point)
      p[count - 1].weight += q.weight;
    else
      p[count++] = q;
  }
  p.resize(count);
  for (MeshFace::Point& q : p) q.weight /= sum;
}

// A line of cells, by two neighbours of which a crossing is.
struct CellLine {
  Index count;
  bool repeats;

  Index wrapped(Index i) const { return repeats ? (i % count + count) % count : i; }
  bool has(Index i) const { return i >= 0 && i < count; }
  double distance(double a, double b) const {
    return std::abs(repeats ? std::remainder(a - b, double(count)) : a - b);
  }
};

// The face between the two cells whose middles a sheet parts, where both are in the grid and the
// line of the crossing goes through their middles.
std::optional<MeshFace> face_crossed(const mac::Domain& domain, const CellLine& line,
                                     const mac::SheetCrossing& x, Index mesh) {
  const double whole = std::floor(x.place);
  const Index low = line.wrapped(Index(whole)), high = line.wrapped(Index(whole) + 1);
  if (!x.middle || !line.has(low) || !line.has(high)) return {};
  const Index nx = domain.cells[0], ny = domain.cells[1];
  Index at[3] = {x.column % nx, x.column / nx % ny, x.column / nx / ny};
  at[x.axis] = low;
  const Index below = domain.row(mac::centres, at[0], at[1], at[2]);
  at[x.axis] = high;
  const Index above = domain.row(mac::centres, at[0], at[1], at[2]),
              row = domain.row(int(x.axis), at[0], at[1], at[2]);
  return MeshFace{x.axis, row, below, above, mesh, true, 1, x.place - whole, x.up, {}};
}

}  // namespace

MeshWalls::MeshWalls(World& world, const std::string& grid, const std::vector<std::string>& objects,
                     double spacing)
    : grid_(grid), passed_(world.exec) {
  Index first = 0;
  for (const std::string& name : objects) {
    if (world.object(name).kind != Kind::mesh) continue;
    if (!world.has_table(triangle_table(name)))
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' has no triangles, and what flows passes between its points; "
                              "leave it out, and push it by a stage \"wind\", or take a particle "
                              "fluid",
                              name));
    Table& points = world.table(name);
    meshes_.push_back({name, is_solid(world, name), first, points.rows(),
                       lines_across(spacing, point_distance(world, name))});
    first = meshes_.back().points_end();
    Table& seen = world.add_table(seen_table(name), points.rows());
    seen.add<Vec<3>>({"position", "m"}, points.download<Vec<3>>("position"));
    seen.add<Vec<3>>({"velocity", "m/s"}, points.download<Vec<3>>("velocity"));
  }
  recall(world);
}

bool MeshWalls::is_solid(World& world, const std::string& mesh) {
  return world.has_table(tet_table(mesh)) ||
         rtsim::closed(corners_of<3>(world, triangle_table(mesh)));
}

void MeshWalls::see(World& world, const char* column, const std::vector<Vec3d>& values) const {
  for (const Mesh& m : meshes_) {
    std::vector<Vec<3>> rows;
    for (Index i = m.first; i < m.points_end(); ++i)
      rows.push_back(narrow<3>(values[std::size_t(i)]));
    world.exec.upload(world.table(seen_table(m.name)).column<Vec<3>>(column).data, rows.data(),
                      rows.size() * sizeof rows[0]);
  }
}

void MeshWalls::place(World& world, const std::vector<Vec3d>& position,
                      const std::vector<Vec3d>& velocity) {
  see(world, "position", position);
  set_velocity(world, velocity);
}

void MeshWalls::set_velocity(World& world, const std::vector<Vec3d>& velocity) {
  see(world, "velocity", velocity);
  velocity_ = velocity;
}

void MeshWalls::recall(World& world) {
  velocity_.clear();
  for (const Mesh& m : meshes_)
    for (const Vec<3>& v : world.table(seen_table(m.name)).download<Vec<3>>("velocity"))
      velocity_.push_back(widen(v));
}

void MeshWalls::close(World& world, const mac::Domain& domain, const Solids& solids,
                      const mac::SolidNodes& nodes, const mac::Walls& walls) {
  const Exec& ex = world.exec;
  faces_.clear();
  for (std::size_t k = 0; k < meshes_.size(); ++k)
    if (meshes_[k].solid)
      add_solid(ex, domain, solids, nodes, walls, Index(k));
    else
      add_sheet(world, domain, nodes, Index(k));
  std::stable_sort(faces_.begin(), faces_.end(), [](const MeshFace& a, const MeshFace& b) {
    return std::tie(a.axis, a.row) < std::tie(b.axis, b.row);
  });
  keep_sides();
  share_among(ex, walls);
  std::vector<mac::FaceValue> closed;
  for (const MeshFace& f : faces_)
    if (f.of_sheet) closed.push_back({f.axis, f.row, 0});
  const Buffer<mac::FaceValue> there(ex, std::span<const mac::FaceValue>(closed));
  mac::write_faces(ex, domain, there.span(), walls.open);
  move(ex, domain, walls, velocity_);
}

// Crossings in the middle of a column of cells close faces. Those beside it belong to the nearest
// of them along the column, so that the force on each of its faces is spread over all of the sheet
// that the column cuts out.
void MeshWalls::add_sheet(World& world, const mac::Domain& domain, const mac::SolidNodes& nodes,
                          Index mesh) {
  const Mesh& m = meshes_[std::size_t(mesh)];
  std::vector<contact::Corners3> triangles;
  for (const auto& t : intact_of<3>(world, triangle_table(m.name)))
    triangles.push_back({{t[0], t[1], t[2]}});
  const Buffer<contact::Corners3> there(world.exec, std::span<const contact::Corners3>(triangles));
  const auto all = mac::sheet_crossings(
      world.exec, domain, nodes.first,
      world.table(seen_table(m.name)).column<const Vec<3>>("position"), there.span(), m.lines);
  for (auto begin = all.begin(), end = begin; begin != all.end(); begin = end) {
    end = std::find_if(begin, all.end(), [&](const mac::SheetCrossing& x) {
      return x.axis != begin->axis || x.column != begin->column;
    });
    add_crossings(domain, mesh, {begin, end});
  }
}

// Of one line of cells: faces that lie between two middles which the sheet parts, with the points
// of the crossings that are nearest to each.
void MeshWalls::add_crossings(const mac::Domain& domain, Index mesh,
                              std::span<const mac::SheetCrossing> crossings) {
  const Index axis = crossings.front().axis;
  const CellLine line{domain.cells[axis], domain.periodic(int(axis))};
  const std::size_t first = faces_.size();
  std::vector<double> places;
  for (const mac::SheetCrossing& x : crossings)
    if (const auto face = face_crossed(domain, line, x, mesh))
      faces_.push_back(*face), places.push_back(x.place);
  if (places.empty()) return;
  for (const mac::SheetCrossing& x : crossings) {
    const auto nearest = std::min_element(places.begin(), places.end(), [&](double a, double b) {
      return line.distance(a, x.place) < line.distance(b, x.place);
    });
    add_points(faces_[first + std::size_t(nearest - places.begin())], x.corners, x.weight,
               meshes_[std::size_t(mesh)].first);
  }
  for (std::size_t k = first; k < faces_.size(); ++k) find_mean(faces_[k]);
}

void MeshWalls::add_solid(const Exec& ex, const mac::Domain& domain, const Solids& solids,
                          const mac::SolidNodes& nodes, const mac::Walls& walls, Index mesh) {
  const Mesh& m = meshes_[std::size_t(mesh)];
  const auto [member, surface] = solids.surface_of(m.name);
  const std::size_t first = faces_.size();
  for (const mac::SolidFace& f :
       mac::solid_faces(ex, domain, walls, nodes, int(member), surface->view(), m.lines)) {
    if (faces_.size() == first || faces_.back().axis != f.axis || faces_.back().row != f.row)
      faces_.push_back({f.axis, f.row, f.low, f.high, mesh, false, double(f.share), 0, false, {}});
    add_points(faces_.back(), f.corners, f.weight, m.first);
  }
  for (std::size_t k = first; k < faces_.size(); ++k) find_mean(faces_[k]);
}

// What solids leave of a face open is the sheets' that cross there, in equal parts. A closed part
// that no solid mesh has is some other wall's.
void MeshWalls::share_among(const Exec& ex, const mac::Walls& walls) {
  const auto open = read(ex, walls.open, faces_), wall = read(ex, walls.velocity, faces_);
  rest_share_.assign(faces_.size(), 0), rest_flow_.assign(faces_.size(), 0);
  for_each_face(faces_, [&](std::size_t begin, std::size_t end) {
    const auto sheets =
        std::count_if(faces_.begin() + std::ptrdiff_t(begin), faces_.begin() + std::ptrdiff_t(end),
                      [](const MeshFace& f) { return f.of_sheet; });
    for (std::size_t k = begin; k < end; ++k)
      if (faces_[k].of_sheet) faces_[k].share = open[k] / double(sheets);
    if (sheets < std::ptrdiff_t(end - begin)) return;
    rest_share_[begin] = 1 - open[begin], rest_flow_[begin] = (1 - open[begin]) * wall[begin];
  });
}

std::vector<mac::FaceValue> MeshWalls::values(const std::vector<Vec3d>& velocity) const {
  std::vector<mac::FaceValue> all;
  for_each_face(faces_, [&](std::size_t begin, std::size_t end) {
    double flow = rest_flow_[begin], share = rest_share_[begin];
    for (std::size_t k = begin; k < end; ++k) {
      const MeshFace& f = faces_[k];
      for (const MeshFace::Point& p : f.points)
        flow += f.share * p.weight * velocity[std::size_t(p.point)][int(f.axis)];
      share += f.share;
    }
    all.push_back({faces_[begin].axis, faces_[begin].row, Real(share > 0 ? flow / share : 0)});
  });
  return all;
}

void MeshWalls::move(const Exec& ex, const mac::Domain& domain, const mac::Walls& walls,
                     const std::vector<Vec3d>& velocity) const {
  const std::vector<mac::FaceValue> all = values(velocity);
  const Buffer<mac::FaceValue> there(ex, std::span<const mac::FaceValue>(all));
  mac::write_faces(ex, domain, there.span(), walls.velocity);
}

void MeshWalls::find_open_cells(const Exec& ex, Span<const std::uint8_t> layer) {
  if (faces_.empty()) return;
  std::vector<std::uint8_t> there(std::size_t(layer.size));
  ex.download(there.data(), layer.data, there.size());
  for (MeshFace& f : faces_)
    for (Index* cell : {&f.low, &f.high})
      if (*cell >= 0 && there[std::size_t(*cell)] != 0) *cell = -1;
}

// A cell is on the side of the nearest crossing. One that was on the other side is passed.
void MeshWalls::keep_sides() {
  std::vector<Side> now;
  for (const MeshFace& f : faces_) {
    if (!f.of_sheet) continue;
    now.push_back({f.mesh, f.low, f.way, !f.up});
    now.push_back({f.mesh, f.high, 1 - f.way, f.up});
  }
  const auto key = [](const Side& s) { return std::tie(s.mesh, s.cell); };
  std::sort(now.begin(), now.end(), [&](const Side& a, const Side& b) {
    return std::tie(a.mesh, a.cell, a.distance, a.above) <
           std::tie(b.mesh, b.cell, b.distance, b.above);
  });
  now.erase(std::unique(now.begin(), now.end(),
                        [&](const Side& a, const Side& b) { return key(a) == key(b); }),
            now.end());
  std::vector<Index> passed;
  for (auto a = sides_.begin(), b = now.begin(); a != sides_.end() && b != now.end();) {
    if (key(*a) == key(*b) && a->above != b->above) passed.push_back(b->cell);
    key(*a) < key(*b) ? ++a : ++b;
  }
  std::sort(passed.begin(), passed.end());
  passed.erase(std::unique(passed.begin(), passed.end()), passed.end());
  passed_.upload(passed);
  sides_ = std::move(now);
}

}  // namespace rtsim
