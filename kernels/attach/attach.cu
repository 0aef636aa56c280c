#include "attach/attach.h"

#include "attach/pull.h"
#include "exec/parallel.h"

namespace rtsim::attach {

namespace {

RTSIM_HD Vec<3> placed(const Pose& p, const Vec<3>& local) {
  return Vec<3>{{dot(p.rotation[0], local), dot(p.rotation[1], local), dot(p.rotation[2], local)}} +
         p.translation;
}

struct GripRow {
  Pose pose;
  Span<const Index> rows;
  Span<const Vec<3>> position;
  Span<Vec<3>> local;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> d = position[rows[i]] - pose.translation;
    local[i] = d[0] * pose.rotation[0] + d[1] * pose.rotation[1] + d[2] * pose.rotation[2];
  }
};

struct HoldRow {
  Pose pose;
  Span<const Index> rows;
  Span<const Vec<3>> local;
  Span<Vec<3>> target;
  Span<Real> inverse_mass;
  RTSIM_HD void operator()(Index i) const {
    target[rows[i]] = placed(pose, local[i]);
    inverse_mass[rows[i]] = 0;
  }
};

struct TakeRow {
  Span<const Index> rows;
  Span<std::uint32_t> holders;
  RTSIM_HD void operator()(Index i) const { ++holders[rows[i]]; }
};

struct ReleaseRow {
  Span<const Index> rows;
  Span<const Real> mass;
  Span<std::uint32_t> holders;
  Span<Real> inverse_mass;
  RTSIM_HD void operator()(Index i) const {
    const Index r = rows[i];
    if (--holders[r] == 0) inverse_mass[r] = Real(1) / mass[r];
  }
};

// Of a change dv by an impulse I the energy m (v' + v) dv / 2 is I (v + v') / 2.
struct PushRow {
  Vec<3> impulse;
  Span<const Index> rows;
  Span<const Real> inverse_mass;
  Span<Vec<3>> velocity;
  RTSIM_HD double operator()(Index i) const {
    const Index r = rows[i];
    if (!(inverse_mass[r] > 0)) return 0;
    const Vec<3> v = velocity[r];
    velocity[r] = v + inverse_mass[r] * impulse;
    return 0.5 * dot(widen(impulse), widen(v) + widen(velocity[r]));
  }
};

struct PullRow {
  Pose pose;
  Spring spring;
  Real dt;
  Span<const Index> rows;
  Span<const Vec<3>> local, position;
  Span<const Real> inverse_mass;
  Span<Vec<3>> velocity;
  RTSIM_HD double operator()(Index i) const {
    const Index r = rows[i];
    const Vec<3> p = placed(pose, local[i]), v = velocity[r];
    const Vec<3> v_p = pose.velocity + cross(pose.angular_velocity, p - pose.centre);
    const Real w = inverse_mass[r];
    if (!(w > 0)) return 0;
    velocity[r] = pulled(position[r], v, p, v_p, spring.stiffness * w, spring.damping * w, dt);
    return 0.5 / double(w) * dot(widen(velocity[r]) - widen(v), widen(velocity[r]) + widen(v));
  }
};

}  // namespace

void grip(const Exec& ex, const Pose& pose, Span<const Index> rows, Span<const Vec<3>> position,
          Span<Vec<3>> local) {
  parallel_for(ex, "attach.grip", rows.size, GripRow{pose, rows, position, local});
}

void hold(const Exec& ex, const Pose& pose, Span<const Index> rows, Span<const Vec<3>> local,
          Span<Vec<3>> target, Span<Real> inverse_mass) {
  parallel_for(ex, "attach.hold", rows.size, HoldRow{pose, rows, local, target, inverse_mass});
}

void take(const Exec& ex, Span<const Index> rows, Span<std::uint32_t> holders) {
  parallel_for(ex, "attach.take", rows.size, TakeRow{rows, holders});
}

void release(const Exec& ex, Span<const Index> rows, Span<const Real> mass,
             Span<std::uint32_t> holders, Span<Real> inverse_mass) {
  parallel_for(ex, "attach.release", rows.size, ReleaseRow{rows, mass, holders, inverse_mass});
}

double push(const Exec& ex, const Vec<3>& impulse, Span<const Index> rows,
            Span<const Real> inverse_mass, Span<Vec<3>> velocity) {
  return reduce(ex, "attach.push", rows.size, 0.0, PushRow{impulse, rows, inverse_mass, velocity},
                Plus{});
}

double pull(const Exec& ex, const Pose& pose, const Spring& spring, Real dt, Span<const Index> rows,
            Span<const Vec<3>> local, Span<const Vec<3>> position, Span<const Real> inverse_mass,
            Span<Vec<3>> velocity) {
  return reduce(ex, "attach.pull", rows.size, 0.0,
                PullRow{pose, spring, dt, rows, local, position, inverse_mass, velocity}, Plus{});
}

}  // namespace rtsim::attach
