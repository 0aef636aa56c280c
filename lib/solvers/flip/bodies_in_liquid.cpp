#include "solvers/flip/bodies_in_liquid.h"

#include <algorithm>

namespace rtsim {

BodiesInLiquid::BodiesInLiquid(World& world, const std::string& fluid,
                               const std::vector<std::string>& boundary, const GridShape& shape,
                               double rest_density, const PoissonParams& pressure)
    : ex_(world.exec),
      shape_(shape),
      motions_(world, fluid, boundary, yields(pressure)),
      yielding_(ex_, shape, rest_density) {
  for (const std::string& name : boundary) {
    const Object& o = world.object(name);
    alone_ = alone_ && (o.kind == Kind::bodies || !o.moving);
  }
}

void BodiesInLiquid::begin(World& world, GridWalls& walls, double dt) {
  if (empty()) return;
  motions_.begin(world, walls.all(), dt);
  walls.predict(motions_.motions());
  walls.update(world, dt, 0);
  centre_.clear();
  for (const BodyMotions::Body& b : motions_.bodies())
    centre_.push_back(walls.all().centre(b.member));
}

double BodiesInLiquid::greatest_speed() const {
  double speed = 0;
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
  motions_.fall(h);
  walls.predict(motions_.motions());
  alone_ ? walls.set_motion(world, motions_.motions()) : void(walls.update(world, before_end, 0));
}

poisson::BodyTerms BodiesInLiquid::find_terms(const mac::Domain& domain, const GridWalls& walls,
                                              mac::Walls faces) {
  if (empty()) return {};
  // The pressure holds the liquid's weight, so that nothing else lifts bodies.
  yielding_.find_terms(ex_, domain, faces, walls.nodes(), motions_, walls.all(), {}, Vec3d{});
  return yielding_.terms();
}

void BodiesInLiquid::add_film(double factor, Span<Real> divergence) const {
  if (!empty()) yielding_.add_film(ex_, motions_, factor, divergence);
}

void BodiesInLiquid::push(World& world, GridWalls& walls, double h, Poisson& poisson) {
  if (empty()) return;
  yielding_.push(motions_, walls.all(), h, poisson.pushes(), {});
  walls.set_motion(world, motions_.motions());
}

void BodiesInLiquid::move(World& world, GridWalls& walls, double h, double before_end) {
  if (empty()) return;
  motions_.go(h);
  walls.predict(motions_.motions());
  walls.update(world, before_end, 0);
}

void BodiesInLiquid::hand_over(World& world, const GridWalls& walls) const {
  if (!empty()) motions_.hand_over(world, walls.all());
}

}  // namespace rtsim
