#include "grids/grid_walls.h"

#include <fmt/format.h>

#include "base/error.h"

namespace rtsim {

constexpr int map_fineness = 2;  // of bodies by volume, whose edges maps round off

GridWalls::GridWalls(World& world, const std::string& grid,
                     const std::vector<std::string>& boundary, const GridShape& shape,
                     const mac::Domain& domain, bool cut_cells, bool by_volume)
    : ex_(world.exec),
      shape_(shape),
      domain_(domain),
      cut_cells_(cut_cells),
      by_volume_(by_volume),
      meshes_(world, grid, boundary, shape.spacing),
      solids_(world, boundary, shape.nodes(), 2 * shape.spacing, grid + ".solids",
              by_volume ? map_fineness : 1, &meshes_),
      layer_(ex_, std::size_t(shape.rows())),
      scratch_(ex_),
      share_(ex_, boundary.empty() ? 0 : std::size_t(shape.rows())) {
  for (int a = 0; a < 3; ++a) {
    const std::size_t rows = a < domain.dims ? std::size_t(shape.faces(a).rows()) : 0;
    open_.emplace_back(ex_, rows), velocity_.emplace_back(ex_, rows);
    clearance_.emplace_back(ex_, boundary.empty() ? 0 : rows);
  }
}

bool GridWalls::update(World& world, double before_end, double ahead) {
  if (ready_ && !moving()) return false;
  solids_.update(world, before_end, ahead);
  return rebuild(world);
}

bool GridWalls::recall(World& world) {
  if (ready_ && !moving()) return false;
  meshes_.recall(world);
  solids_.recall(world);
  return rebuild(world);
}

void GridWalls::set_motion(World& world, const std::vector<SolidMotion>& motions) {
  solids_.set_motion(world, motions);
  if (faces_to_find_) return;
  mac::move_faces(ex_, domain_, nodes(), faces());
  meshes_.move(ex_, domain_, faces(), meshes_.velocity());
}

void GridWalls::place_meshes(World& world, const std::vector<Vec3d>& position,
                             const std::vector<Vec3d>& velocity) {
  meshes_.place(world, position, velocity);
}

void GridWalls::move_meshes(World& world, const std::vector<Vec3d>& velocity) {
  meshes_.set_velocity(world, velocity);
  meshes_.move(ex_, domain_, faces(), velocity);
}

bool GridWalls::rebuild(World& world) {
  faces_to_find_ = true;
  if (!meshes_.empty()) {
    faces_to_find_ = false;
    mac::open_faces(ex_, domain_, nodes(), found());
    meshes_.close(world, domain_, solids_, nodes(), found());
    find_cells();
    meshes_.find_open_cells(ex_, layer_.span());
  }
  if (!ready_) look_at_start();
  ready_ = true;
  return true;
}

void GridWalls::find_faces() const {
  if (!faces_to_find_) return;
  faces_to_find_ = false;
  mac::open_faces(ex_, domain_, nodes(), found());
  find_cells();
}

void GridWalls::find_cells() const {
  scratch_.resize(layer_.size());
  if (mac::solid_layers(ex_, domain_, found(), layer_.span(), scratch_.span()) == 0)
    throw Error(ExitCode::bad_input,
                "the boundaries leave no cell of the grid open; make them smaller, or turn a tank "
                "round with \"inside\": true");
  shares_to_find_ = solids();
}

Span<const Real> GridWalls::share() const {
  find_faces();
  if (shares_to_find_) mac::open_shares(ex_, domain_, found(), share_.span());
  shares_to_find_ = false;
  return share_.span();
}

mac::SolidNodes GridWalls::nodes() const {
  mac::SolidNodes n;
  n.distance = distance();
  n.nearest = solids_.nearest(), n.poses = solids_.poses(), n.deforming = solids_.deforming();
  for (int a = 0; a < domain_.dims; ++a) n.first[a] = shape_.low[a];
  n.partial = cut_cells_;
  if (by_volume_) n.by_volume = solids_.body_maps();
  return n;
}

void GridWalls::find_friction(double viscosity, const mac::Velocity& v) {
  friction_.clear();
  for (int k = 0; k < int(solids_.members().size()); ++k)
    friction_.push_back(mac::friction_on(ex_, domain_, faces(), nodes(), k, viscosity, v));
}

std::vector<mac::Wrench> GridWalls::wrenches(Span<const Real> pressure) {
  std::vector<mac::Wrench> all = friction_;
  all.resize(solids_.members().size());
  for (int k = 0; k < int(all.size()); ++k)
    if (solids_.members()[std::size_t(k)].body < 0)
      all[std::size_t(k)] =
          all[std::size_t(k)] + mac::pressure_on(ex_, domain_, faces(), nodes(), k, pressure);
  return all;
}

mac::Force GridWalls::on_sides(Span<const Real> distance, const Vec3d& weight,
                               Span<const Real> pressure) {
  const double of[3] = {weight[0], weight[1], weight[2]};
  return mac::pressure_on_sides(ex_, domain_, faces(), nodes(), distance, of, pressure);
}

void GridWalls::look_at_start() {
  thin_ = mac::thin_share(ex_, domain_, layer()) > 0.25;  // a ball has a few at its poles
  std::vector<Real> distance(std::size_t(solids_.distance().size));
  std::vector<grid::SolidId> nearest(distance.size());
  ex_.download(distance.data(), solids_.distance().data, distance.size() * sizeof(Real));
  ex_.download(nearest.data(), solids_.nearest().data, nearest.size() * sizeof nearest[0]);
  // A wall that waits outside of the grid is far from every node.
  std::vector<bool> resolved(solids_.members().size(), false), here = resolved;
  for (std::size_t n = 0; n < distance.size(); ++n) {
    if (distance[n] <= 0) resolved[nearest[n]] = true;
    if (double(distance[n]) < shape_.spacing) here[nearest[n]] = true;
  }
  for (std::size_t k = 0; k < resolved.size(); ++k)
    if (here[k] && !resolved[k]) unresolved_.push_back(solids_.members()[k].name);
}

PoissonDomain GridWalls::pressure_domain() const {
  find_faces();
  PoissonDomain d;
  for (int a = 0; a < domain_.dims; ++a) {
    d.open[a] = open_[std::size_t(a)].span();
    d.periodic[a] = domain_.periodic(a);
  }
  return d;
}

}  // namespace rtsim
