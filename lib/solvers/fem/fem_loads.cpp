#include "solvers/fem/fem_loads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "meshes/adjacency.h"
#include "param/curve_file.h"

namespace rtsim {

namespace {

using Face = std::array<CellMesh::Corner, 3>;

// Of tetrahedra the triangles of their surface; of triangles the edges of their rim, which run with
// the inside on their left.
std::vector<Face> faces_of(World& world, const std::string& mesh, const std::vector<Vec<3>>& x) {
  const auto triangles = corners_of<3>(world, triangle_table(mesh));
  if (world.has_table(tet_table(mesh))) return triangles;
  std::vector<Face> rim;
  const auto across = across_sides(triangles);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      if (across[t][k].triangle >= 0) continue;
      const auto c = triangles[t][k], a = triangles[t][(k + 1) % 3], b = triangles[t][(k + 2) % 3];
      const auto at = [&](auto i) { return widen(x[std::size_t(i)]); };
      const bool left = cross(at(b) - at(a), at(c) - at(a))[2] > 0;
      rim.push_back({left ? a : b, left ? b : a, -1});
    }
  return rim;
}

bool is_within(const Face& f, const std::vector<Vec<3>>& position, const Shape& shape) {
  return std::ranges::all_of(f, [&](CellMesh::Corner c) {
    if (c < 0) return true;
    const Vec3d x = widen(position[std::size_t(c)]);
    return shape.distance(x) <= 1e-6 * (1 + norm(x));  // on it counts, to rounding
  });
}

std::vector<Face> chosen(const FacePressure& p, const std::vector<Face>& all,
                         const std::vector<Vec<3>>& position) {
  if (p.inside.empty()) return all;
  std::vector<std::unique_ptr<Shape>> shapes;
  for (const ShapeSpec& s : p.inside) shapes.push_back(make_shape(s, 3));
  std::vector<Face> some;
  std::ranges::copy_if(all, std::back_inserter(some), [&](const Face& f) {
    return std::ranges::any_of(shapes, [&](const auto& s) { return is_within(f, position, *s); });
  });
  return some;
}

}  // namespace

FemPressures::FemPressures(const FemParams& p, World& world)
    : corners_(world.exec),
      first_(world.exec),
      slots_(world.exec),
      pressure_(world.exec),
      force_(world.exec),
      before_(world.exec) {
  if (p.pressures.empty()) return;
  const std::string& mesh = p.mesh.name;
  const auto position = world.table(mesh).download<Vec<3>>("position");
  const std::vector<Face> all = faces_of(world, mesh, position);
  std::vector<Face> loaded;
  for (std::size_t k = 0; k < p.pressures.size(); ++k) {
    const FacePressure& load = p.pressures[k];
    const std::vector<Face> faces = chosen(load, all, position);
    if (faces.empty())
      throw Error(ExitCode::bad_input,
                  fmt::format("\"pressures\" {} is on no face of '{}'; give an \"inside\" that all "
                              "corners of some faces are in",
                              k, mesh));
    loads_.push_back({load.pressure, {}, faces.size()});
    if (!load.times.empty() || !load.file.path.empty())
      loads_.back().history = read_history(load.times, load.factors, load.file.path);
    loaded.insert(loaded.end(), faces.begin(), faces.end());
  }
  const Incidence at = incidence_of(position.size(), loaded);
  std::vector<VecT<std::int32_t, 3>> corners;
  for (const Face& f : loaded) corners.push_back({{f[0], f[1], f[2]}});
  corners_.upload(corners), first_.upload(at.first), slots_.upload(at.slots);
}

double FemPressures::work(const Exec& ex, const fem::Points& points) const {
  return any() ? fem::work(ex, force_.span(), before_.span(), points) : 0;
}

Span<const Vec<3>> FemPressures::find(const Exec& ex, const fem::Points& points, double time) {
  if (!any()) return {};
  before_.resize(std::size_t(points.position.size));
  ex.copy(before_.data(), points.position.data, before_.size() * sizeof(Vec<3>));
  on_faces_.clear();
  for (const Load& l : loads_) {
    const double factor = l.history.empty() ? 1 : interpolated(l.history, time);
    on_faces_.insert(on_faces_.end(), l.faces, Real(factor * l.pressure));
  }
  pressure_.upload(on_faces_);
  force_.resize(std::size_t(points.mass.size));
  fem::press(ex, {corners_.span(), first_.span(), slots_.span(), pressure_.span()}, points,
             force_.span());
  return force_.span();
}

FemPlastic::FemPlastic(const PlasticParams& p, World& world, const std::string& mesh,
                       std::size_t points)
    : p_(p), table_(mesh + ".plastic"), kept_(world.exec) {
  world.add_table(table_, Index(points)).add<fem::Strain>({"strain", ""});
}

Span<fem::Strain> FemPlastic::strain(World& world) const {
  return world.table(table_).column<fem::Strain>("strain");
}

void FemPlastic::keep(World& world) {
  const Span<const fem::Strain> now = strain(world);
  kept_.resize(std::size_t(now.size));
  world.exec.copy(kept_.data(), now.data, kept_.size() * sizeof(fem::Strain));
}
void FemPlastic::bring_back(World& world) const {
  world.exec.copy(strain(world).data, kept_.data(), kept_.size() * sizeof(fem::Strain));
}

void FemPlastic::flow(World& world, fem::Elements elements, const fem::Places& at, double h) {
  greatest_ =
      fem::flow(world.exec, elements, at,
                {Real(*p_.yield_strain), Real(p_.creep ? -std::expm1(-*p_.creep * h) : 1),
                 Real(p_.max_plastic_strain.value_or(double(std::numeric_limits<Real>::max()))),
                 strain(world)});
}

}  // namespace rtsim
