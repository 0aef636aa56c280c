#include "grids/mesh_walls.h"

#include <algorithm>
#include <tuple>

#include "grids/solids.h"
#include "meshes/adjacency.h"

namespace rtsim {

namespace {

using mac::SurfaceFace;

bool same_face(const SurfaceFace& a, const SurfaceFace& b) {
  return a.axis == b.axis && a.row == b.row;
}

// f(begin, end) for the runs of one face each.
template <class F>
void for_each_face(const std::vector<SurfaceFace>& faces, const F& f) {
  for (std::size_t begin = 0, end = 0; begin < faces.size(); begin = end) {
    while (end < faces.size() && same_face(faces[begin], faces[end])) ++end;
    f(begin, end);
  }
}

std::vector<double> read(const Exec& ex, const Span<Real> (&from)[3],
                         const std::vector<SurfaceFace>& faces) {
  std::vector<mac::FaceValue> there;
  for (const SurfaceFace& f : faces) there.push_back({f.axis, f.row, 0});
  Buffer<mac::FaceValue> buffer(ex, std::span<const mac::FaceValue>(there));
  mac::read_faces(ex, {from[0], from[1], from[2]}, buffer.span());
  std::vector<double> values;
  for (const mac::FaceValue& v : buffer.download()) values.push_back(double(v.value));
  return values;
}

}  // namespace

MeshWalls::MeshWalls(World& world, const std::string& grid, const std::vector<std::string>& objects)
    : grid_(grid), passed_(world.exec) {
  Index first = 0;
  for (const std::string& name : objects) {
    if (world.object(name).kind != Kind::mesh) continue;
    Table& points = world.table(name);
    meshes_.push_back({name, is_solid(world, name), first, points.rows()});
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
  std::vector<std::pair<Index, SurfaceFace>> all;  // with the number of their mesh
  for (std::size_t k = 0; k < meshes_.size(); ++k) {
    const Mesh& m = meshes_[k];
    std::vector<SurfaceFace> own;
    if (m.solid) {
      const auto [member, surface] = solids.surface_of(m.name);
      own = mac::solid_faces(ex, domain, walls, nodes, int(member), surface->view());
    } else {
      std::vector<contact::Corners3> triangles;
      for (const auto& t : intact_of<3>(world, triangle_table(m.name)))
        triangles.push_back({{t[0], t[1], t[2]}});
      const Buffer<contact::Corners3> there(ex, std::span<const contact::Corners3>(triangles));
      own = mac::sheet_faces(ex, domain, nodes.first,
                             world.table(seen_table(m.name)).column<const Vec<3>>("position"),
                             there.span());
    }
    for (SurfaceFace& f : own) {
      for (int c = 0; c < 3; ++c) f.corners[c] += m.first;
      all.emplace_back(Index(k), f);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.axis, a.second.row) < std::tie(b.second.axis, b.second.row);
  });
  faces_.clear(), of_sheet_.clear(), mesh_of_.clear();
  for (const auto& [mesh, f] : all) {
    faces_.push_back(f), mesh_of_.push_back(mesh);
    of_sheet_.push_back(!meshes_[std::size_t(mesh)].solid);
  }
  keep_sides();
  share_among(ex, walls);
  std::vector<mac::FaceValue> closed;
  for (std::size_t k = 0; k < faces_.size(); ++k)
    if (of_sheet_[k]) closed.push_back({faces_[k].axis, faces_[k].row, 0});
  const Buffer<mac::FaceValue> there(ex, std::span<const mac::FaceValue>(closed));
  mac::write_faces(ex, domain, there.span(), walls.open);
  move(ex, domain, walls, velocity_);
}

// What solids leave of a face open is the sheets' that cross there, in equal parts. A closed part
// that no solid mesh has is some other wall's.
void MeshWalls::share_among(const Exec& ex, const mac::Walls& walls) {
  const auto open = read(ex, walls.open, faces_), wall = read(ex, walls.velocity, faces_);
  rest_share_.assign(faces_.size(), 0), rest_flow_.assign(faces_.size(), 0);
  for_each_face(faces_, [&](std::size_t begin, std::size_t end) {
    const auto sheets = std::count(of_sheet_.begin() + std::ptrdiff_t(begin),
                                   of_sheet_.begin() + std::ptrdiff_t(end), 1);
    for (std::size_t k = begin; k < end; ++k)
      if (of_sheet_[k]) faces_[k].share = Real(open[k] / double(sheets));
    if (sheets < std::ptrdiff_t(end - begin)) return;
    rest_share_[begin] = 1 - open[begin], rest_flow_[begin] = (1 - open[begin]) * wall[begin];
  });
}

std::vector<mac::FaceValue> MeshWalls::values(const std::vector<Vec3d>& velocity) const {
  std::vector<mac::FaceValue> all;
  for_each_face(faces_, [&](std::size_t begin, std::size_t end) {
    double flow = rest_flow_[begin], share = rest_share_[begin];
    for (std::size_t k = begin; k < end; ++k) {
      const SurfaceFace& f = faces_[k];
      for (int c = 0; c < 3; ++c)
        flow += double(f.share) * double(f.weight[c]) *
                velocity[std::size_t(f.corners[c])][int(f.axis)];
      share += double(f.share);
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
  for (SurfaceFace& f : faces_)
    for (Index* cell : {&f.low, &f.high})
      if (*cell >= 0 && there[std::size_t(*cell)] != 0) *cell = -1;
}

// A cell is on the side of the nearest crossing. One that was on the other side is passed.
void MeshWalls::keep_sides() {
  std::vector<Side> now;
  for (std::size_t k = 0; k < faces_.size(); ++k) {
    const SurfaceFace& f = faces_[k];
    if (!of_sheet_[k]) continue;
    now.push_back({mesh_of_[k], f.low, f.way, !f.up});
    now.push_back({mesh_of_[k], f.high, 1 - f.way, f.up});
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
