#include "solvers/flip/bodies_in_liquid.h"

#include <algorithm>

namespace rtsim {

BodiesInLiquid::BodiesInLiquid(World& world, const std::string& fluid,
                               const std::vector<std::string>& boundary, const GridShape& shape,
                               const MeshWalls& meshes, double rest_density,
                               const PoissonParams& pressure)
    : ex_(world.exec),
      shape_(shape),
      motions_(world, fluid, boundary, yields(pressure)),
      meshes_(world, fluid, meshes, shape, rest_density, yields(pressure)),
      yielding_(ex_, shape, rest_density) {
  for (const std::string& name : boundary) {
    const Object& o = world.object(name);
    alone_ = alone_ && (o.kind != Kind::boundary || !o.moving);
  }
}

void BodiesInLiquid::begin(World& world, GridWalls& walls, double dt) {
  if (empty()) return;
  motions_.begin(world, walls.all(), dt);
  if (!meshes_.empty()) meshes_.begin(world, dt);
  predict(world, walls);
  walls.update(world, dt, 0);
  centre_.clear();
  for (const BodyMotions::Body& b : motions_.bodies())
    centre_.push_back(walls.all().centre(b.member));
}

// Where they are.
void BodiesInLiquid::predict(World& world, GridWalls& walls) const {
  walls.predict(motions_.motions());
  if (!meshes_.empty()) walls.place_meshes(world, meshes_.position(), meshes_.velocity());
}

// As they move, standing where they did.
void BodiesInLiquid::set_motion(World& world, GridWalls& walls) const {
  if (!motions_.empty()) walls.set_motion(world, motions_.motions());
  if (!meshes_.empty()) walls.move_meshes(world, meshes_.velocity());
}

double BodiesInLiquid::greatest_speed() const {
  double speed = meshes_.empty() ? 0 : meshes_.greatest_speed();
  for (std::size_t b = 0; b < centre_.size(); ++b) {
    const BodyMotions::Body& body = motions_.bodies()[b];
    bool outside = false;
    for (int a = 0; a < 3; ++a) {
      const double low = shape_.low[a], high = low + shape_.cells[a] * shape_.spacing;
      outside = outside || (shape_.spans[a] && (centre_[b][a] + body.reach < low ||
                                                centre_[b][a] - body.reach > high));
    }
    const SolidMotion& m = motions_.motions()[body.member];
    if (!outside) speed = std::max(speed, norm(m.velocity) + body.reach * norm(m.angular));
  }
  return speed;
}

void BodiesInLiquid::fall(World& world, GridWalls& walls, double h, double before_end) {
  if (empty()) {
    walls.update(world, before_end, 0);
    return;
  }
  motions_.fall(h), meshes_.fall(h);
  if (alone_) return set_motion(world, walls);
  predict(world, walls);
  walls.update(world, before_end, 0);
}

poisson::BodyTerms BodiesInLiquid::find_terms(World& world, const mac::Domain& domain,
                                              GridWalls& walls, const Brought& brought) {
  if (empty()) return {};
  meshes_.carry(ex_, walls.meshes(), brought.row_mass, brought.weight);
  // The pressure holds the liquid's weight, so that nothing else lifts bodies.
  const PointTerms points = meshes_.find_terms(domain, walls.meshes(), Vec3d{});
  yielding_.find_terms(ex_, domain, walls.faces(), walls.nodes(), motions_, walls.all(), points,
                       Vec3d{});
  if (!meshes_.empty()) {
    meshes_.join(ex_, walls.meshes(), brought.velocity);
    walls.move_meshes(world, meshes_.velocity());
  }
  return yielding_.terms();
}

void BodiesInLiquid::add_film(double factor, Span<Real> divergence) const {
  if (!empty()) yielding_.add_film(ex_, motions_, factor, divergence);
}

void BodiesInLiquid::push(World& world, GridWalls& walls, double h, Poisson& poisson) {
  if (empty()) return;
  const std::vector<poisson::Screw> pushes = poisson.pushes();
  yielding_.push(motions_, walls.all(), h, pushes, {});
  meshes_.push(walls.meshes(), h, pushes.data() + motions_.bodies().size());
  set_motion(world, walls);
}

void BodiesInLiquid::feel(World& world, GridWalls& walls, const std::vector<poisson::Screw>& felt) {
  if (motions_.empty()) return;
  for (std::size_t b = 0; b < motions_.bodies().size(); ++b) {
    const double* f = felt[motions_.bodies()[b].member].v;
    motions_.push(b, Vec3d{{f[0], f[1], f[2]}}, Vec3d{{f[3], f[4], f[5]}});
  }
  set_motion(world, walls);
}

void BodiesInLiquid::move(World& world, GridWalls& walls, double h, double before_end) {
  if (empty()) return;
  motions_.go(h), meshes_.go_as_surfaces(world, h);
  predict(world, walls);
  walls.update(world, before_end, 0);
}

void BodiesInLiquid::hand_over(World& world, const GridWalls& walls, double dt) const {
  if (empty()) return;
  motions_.hand_over(world, walls.all());
  meshes_.hand_over(world, dt);
}

}  // namespace rtsim
