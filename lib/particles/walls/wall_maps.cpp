#include "particles/walls/wall_maps.h"

#include "particles/walls/wall_forces.h"

namespace rtsim {

template <int D>
WallMaps<D>::WallMaps(World& world, const std::string& fluid,
                      const std::vector<std::string>& boundaries, const sph::CubicSpline& kernel,
                      double spacing, double cell)
    : ex_(world.exec),
      fluid_(fluid),
      spacing_(spacing),
      support_(double(kernel.support)),
      reach_(ex_),
      aside_(ex_),
      volume_(ex_),
      rows_(ex_),
      motion_(ex_),
      force_(ex_),
      total_(boundaries.size()) {
  for (const std::string& b : boundaries) {
    const Object& solid = world.object(b);
    refuse_deforming(solid, "\"boundary_method\": \"volume_map\"");
    const auto local = world.table(sample_table(b, fluid)).download<Vec<D>>("local");
    maps_.push_back({b, make_volume_map<D>(ex_, solid, local, kernel, spacing, cell),
                     solid.moving ? pose_table(b) : ""});
    if (solid.moving && !world.has_table(pose_table(b)))
      world.add_table(pose_table(b), pose_rows).template add<Vec3d>({"pose", "", Role::scratch});
  }
}

template <int D>
void WallMaps<D>::calibrate(const KernelOfSquare& kernel) {
  if (empty() || volume_.size() > 0) return;
  const VirtualFan fan = virtual_fan(kernel, support_, spacing_, D);
  first_ = Real(fan.first), inv_step_ = Real(1 / fan.step);
  reach_.upload(std::span<const Real>(fan.reach)), aside_.upload(std::span<const Real>(fan.aside));
  volume_.upload(std::span<const Real>(fan.volume));
}

template <int D>
sph::Profile1 WallMaps<D>::profile(const Buffer<Real>& values) const {
  return {first_, inv_step_, values.span()};
}

template <int D>
boundary::Pose WallMaps<D>::pose(World& world, const Map& map) const {
  boundary::Pose p;
  if (map.pose_table.empty()) return p;
  const auto rows = world.table(map.pose_table).template download<Vec3d>("pose");
  for (std::size_t k = 0; k < 3; ++k) p.rotation[k] = narrow<3>(rows[k]);
  p.translation = narrow<3>(rows[3]), p.velocity = narrow<3>(rows[4]);
  p.angular_velocity = narrow<3>(rows[5]), p.centre = narrow<3>(rows[6]);
  return p;
}

template <int D>
void WallMaps<D>::update(World& world, Span<const Row4> fluid, double ahead) {
  if (empty()) return;
  if (substeps_ > 0) collect_forces();
  const Index own = own_rows();
  const std::size_t n = std::size_t(fluid.size) * std::size_t(own);
  rows_.resize(n + lane_count), motion_.resize(n + lane_count);
  const sph::VirtualNeighbours law{Real(support_), profile(reach_), profile(aside_),
                                   profile(volume_)};
  poses_.resize(maps_.size()), ahead_ = ahead;
  for (std::size_t k = 0; k < maps_.size(); ++k) {
    poses_[k] = pose(world, maps_[k]);
    sph::place_virtual<D>(ex_, maps_[k].volume.view(), poses_[k], law, Real(ahead), fluid,
                          Index(k) * sph::fan<D>, own, rows_.span(), motion_.span());
  }
  if (substeps_ == 0) return;
  force_.resize(n);
  force_.zero();
}

template <int D>
void WallMaps<D>::aim(World& world) {
  for (std::size_t k = 0; k < maps_.size(); ++k) {
    if (maps_[k].pose_table.empty()) continue;
    const boundary::Pose now = pose(world, maps_[k]);
    poses_[k].velocity = now.velocity, poses_[k].angular_velocity = now.angular_velocity;
    poses_[k].centre = now.centre;
    sph::move_virtual<D>(ex_, now, Index(k) * sph::fan<D>, own_rows(), cells().rows,
                         motion_.span());
  }
}

// A quarter of a spacing is as deep as contact laws let fluid go. What rows lose acts where they
// are, other forces where the wall rows were.
template <int D>
void WallMaps<D>::keep_out(Span<const Row4> fluid, Span<Row4> motion, double mass, double dt) {
  if (substeps_ > 0) collect_forces();
  for (std::size_t k = 0; k < maps_.size(); ++k)
    sph::keep_out<D>(ex_, maps_[k].volume.view(), poses_[k], Real(-0.25 * spacing_), Real(ahead_),
                     Real(dt), fluid, motion, Index(k) * sph::fan<D>, own_rows(), Real(mass / dt),
                     rows_.span(), substeps_ > 0 ? force_.span() : Span<Row4>());
}

template <int D>
CellRows WallMaps<D>::cells() const {
  return {{}, {}, {rows_.data(), rows()}, own_rows()};
}

template <int D>
Index WallMaps<D>::rows() const {
  return rows_.size() > 0 ? Index(rows_.size()) - lane_count : 0;
}

template <int D>
void WallMaps<D>::begin_forces(int substeps) {
  substeps_ = substeps;
  total_.assign(maps_.size(), {});
  force_.resize(std::size_t(rows()));
  force_.zero();
}

// Wall rows are other ones after every update: what they got is kept by boundary.
template <int D>
void WallMaps<D>::collect_forces() {
  for (std::size_t k = 0; k < maps_.size(); ++k) {
    const sph::ForceAndTorque f =
        sph::sum_virtual<D>(ex_, Index(k) * sph::fan<D>, own_rows(), cells().rows, force_.span());
    total_[k] = sph::AddForces{}(total_[k], f);
  }
  force_.zero();
}

template <int D>
void WallMaps<D>::end_forces(World& world) {
  collect_forces();
  for (std::size_t k = 0; k < maps_.size(); ++k)
    write_forces<D>(world, maps_[k].boundary, fluid_, {total_[k]}, 1.0 / substeps_);
  substeps_ = 0;
}

template class WallMaps<2>;
template class WallMaps<3>;

}  // namespace rtsim
