#include "grids/body_motions.h"

#include <algorithm>

#include "bodies/fluid_push.h"
#include "bodies/named_bodies.h"
#include "bodies/shapes/body_shape.h"
#include "rigid/motion/inverse_inertia.h"

namespace rtsim {

namespace {

double reach_of(const BodyShape& s) {
  double reach = 0;
  for (const ConvexPart& part : s.parts)
    for (const Vec3d& p : part.points) reach = std::max(reach, norm(p) + part.radius);
  return reach;
}

void set_inertia(double (&i)[6], const rigid::InverseInertia<2, Real>& inverse) {
  i[2] = double(inverse.zz);
}
void set_inertia(double (&i)[6], const rigid::InverseInertia<3, Real>& inverse) {
  i[0] = double(inverse.xx), i[1] = double(inverse.yy), i[2] = double(inverse.zz);
  i[3] = double(inverse.xy), i[4] = double(inverse.xz), i[5] = double(inverse.yz);
}

}  // namespace

Vec3d BodyMotions::Body::turned_by(const Vec3d& t) const {
  const double* i = inverse_inertia;
  return {{i[0] * t[0] + i[3] * t[1] + i[4] * t[2], i[3] * t[0] + i[1] * t[1] + i[5] * t[2],
           i[4] * t[0] + i[5] * t[1] + i[2] * t[2]}};
}

BodyMotions::BodyMotions(World& world, const std::string& fluid,
                         const std::vector<std::string>& objects, bool yields)
    : fluid_(fluid) {
  for (const std::string& name : objects) {
    if (world.object(name).kind != Kind::bodies) continue;
    objects_.push_back(name);
    const auto offer = [&](const auto& push) {
      if (yields) push.offer_strong(world, 0);
    };
    world.dim == 2 ? offer(FluidPush<2>::make(world, name, fluid))
                   : offer(FluidPush<3>::make(world, name, fluid));
  }
}

template <int D>
void BodyMotions::begin_object(World& world, const std::string& name, std::size_t member) {
  Table& t = world.table(name);
  const auto v = t.download<Vec<D>>("velocity");
  const auto w = t.download<rigid::Angular<D>>("angular_velocity");
  const auto q = t.download<rigid::Orientation<D>>("orientation");
  const auto mass = t.download<Real>("mass");
  const auto inertia = t.download<rigid::Angular<D>>("inertia");
  const auto shape = t.download<std::int32_t>("shape");
  const auto& shapes = world.object(name).bodies->shapes;
  const auto push = FluidPush<D>::find(world, name, fluid_);
  const bool yields = push->strong(world);
  typename FluidPush<D>::Motion other;
  if (yields) other = push->other_accelerations(world, dt_);
  const Vec3d g{{world.gravity[0], world.gravity[1], world.gravity[2]}};
  for (std::size_t b = 0; b < v.size(); ++b) {
    motions_[member + b] = {widen(v[b]), turning_of(w[b]), {}, {}};
    Body body{};
    body.member = member + b, body.yields = yields;
    body.volume = shapes[std::size_t(shape[b])].volume;
    body.reach = reach_of(shapes[std::size_t(shape[b])]);
    body.inverse_mass = double(rigid::inverse_or_zero(mass[b]));
    set_inertia(body.inverse_inertia, rigid::inverse_inertia(q[b], inertia[b]));
    if (yields && body.inverse_mass > 0)
      body.gravity = g + widen(other.velocity[b]), body.turn = turning_of(other.angular[b]);
    bodies_.push_back(body);
  }
}

void BodyMotions::begin(World& world, const std::vector<Solids::Member>& members, double dt) {
  dt_ = dt;
  bodies_.clear();
  motions_.assign(members.size(), {});
  for (std::size_t k = 0; k < motions_.size(); ++k) {
    const Solids::Member& m = members[k];
    if (m.body != 0) continue;
    world.dim == 2 ? begin_object<2>(world, m.object, k) : begin_object<3>(world, m.object, k);
  }
}

void BodyMotions::fall(double h) {
  for (const Body& b : bodies_) {
    SolidMotion& m = motions_[b.member];
    m.velocity = m.velocity + h * b.gravity, m.angular = m.angular + h * b.turn;
  }
}

void BodyMotions::lift(const Solids& solids, const GridShape& box, double h, double density,
                       const Vec3d& gravity) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Solids::Part in = solids.part_in(bodies_[b].member, box);
    const Vec3d impulse = -h * density * bodies_[b].volume * in.share * gravity;
    push(b, impulse, cross(in.middle - solids.centre(bodies_[b].member), impulse));
  }
}

void BodyMotions::push(std::size_t body, const Vec3d& impulse, const Vec3d& moment) {
  Body& b = bodies_[body];
  b.impulse = b.impulse + impulse, b.moment = b.moment + moment;
  if (!b.yields) return;
  SolidMotion& m = motions_[b.member];
  m.velocity = m.velocity + b.inverse_mass * impulse;
  m.angular = m.angular + b.turned_by(moment);
}

void BodyMotions::go(double h) {
  for (const Body& b : bodies_) {
    SolidMotion& m = motions_[b.member];
    m.way = m.way + h * m.velocity, m.turn = m.turn + h * m.angular;
  }
}

template <int D>
void BodyMotions::hand_over_object(World& world, const std::string& name, std::size_t body) const {
  const auto x = world.table(name).download<Vec<D>>("position");
  const auto v = world.table(name).download<Vec<D>>("velocity");
  std::vector<typename FluidPush<D>::Force> force(x.size());
  std::vector<typename FluidPush<D>::Torque> torque(x.size());
  constexpr int turns = FluidPush<D>::turns;
  for (std::size_t b = 0; b < x.size(); ++b) {
    const Vec3d f = (1 / dt_) * bodies_[body + b].impulse;
    const Vec3d at = FluidPush<D>::mean_place(widen(x[b]), widen(v[b]), world, dt_);
    const Vec3d about = (1 / dt_) * bodies_[body + b].moment + cross(at, f);
    for (int a = 0; a < D; ++a) force[b][a] = f[a];
    for (int a = 0; a < turns; ++a) torque[b][a] = about[a + 3 - turns];
  }
  FluidPush<D>::find(world, name, fluid_)->write(world, force, torque);
}

void BodyMotions::hand_over(World& world, const std::vector<Solids::Member>& members) const {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Solids::Member& m = members[bodies_[b].member];
    if (m.body != 0) continue;
    world.dim == 2 ? hand_over_object<2>(world, m.object, b)
                   : hand_over_object<3>(world, m.object, b);
  }
}

}  // namespace rtsim
