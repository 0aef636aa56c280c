#include "mass_spring/mass_spring.h"

#include "exec/parallel.h"
#include "mass_spring/lanes.h"
#include "mass_spring/spring.h"

namespace rtsim::mass_spring {

namespace {

struct Aim {
  Points p;
  Span<const Vec<3>> target;
  Real inv_dt;
  RTSIM_HD void operator()(Index i) const {
    if (!(p.inverse_mass[i] > 0)) p.velocity[i] = inv_dt * (target[i] - p.position[i]);
  }
};

struct Arrive {
  Points p;
  Span<const Vec<3>> target;
  RTSIM_HD void operator()(Index i) const {
    if (!(p.inverse_mass[i] > 0)) p.position[i] = target[i];
  }
};

struct MovesHeld {
  Points p;
  RTSIM_HD Index operator()(Index i) const {
    return !(p.inverse_mass[i] > 0) && !(p.velocity[i] == Vec<3>{}) ? 1 : 0;
  }
};

struct Pack {
  Span<const Vec<3>> from;
  Span<Row4> to;
  RTSIM_HD void operator()(Index i) const { to[i] = i < from.size ? row(from[i]) : Row4{}; }
};
struct Unpack {
  Span<const Row4> from;
  Span<Vec<3>> to;
  RTSIM_HD void operator()(Index i) const { to[i] = {{from[i].x, from[i].y, from[i].z}}; }
};

struct Accelerate {
  Acceleration k;
  RTSIM_HD void operator()(Index i) const {
    const Real w = k.inverse_mass[i];
    if (!(w > 0)) {
      k.a[i] = Vec<3>{};
      return;
    }
    const Vec<3> x_i = vec(k.x[i]), v_i = vec(k.v[i]);
    Vec<3> force{};
    for (Index e = first_slot(k.net, i); e < end_slot(k.net, i); ++e) {
      const Half s = half_of(k.net, e, i);
      force = force + spring_force(reach(vec(k.x[s.other]) - x_i), vec(k.v[s.other]) - v_i,
                                   s.stiffness, k.net.damping, s.rest);
    }
    k.a[i] = w * force + (k.field.gravity - k.field.drag * v_i);
  }
};

struct ForceOnHeld {
  Acceleration k;
  Span<const Real> mass;
  plate::SlotForces bending;
  Span<Row4> to;
  RTSIM_HD void operator()(Index i) const {
    if (k.inverse_mass[i] > 0) return;
    const Vec<3> x_i = vec(k.x[i]), v_i = vec(k.v[i]);
    Vec<3> force = mass[i] * (k.field.gravity - k.field.drag * v_i) + bending.on(i);
    for (Index e = first_slot(k.net, i); e < end_slot(k.net, i); ++e) {
      const Half s = half_of(k.net, e, i);
      force = force + spring_force(reach(vec(k.x[s.other]) - x_i), vec(k.v[s.other]) - v_i,
                                   s.stiffness, k.net.damping, s.rest);
    }
    to[i] = row(force);
  }
};

struct AccelerateBending {
  plate::SlotForces bending;
  Span<const Real> inverse_mass;
  Span<Vec<3>> a;
  RTSIM_HD void operator()(Index i) const { a[i] = a[i] + inverse_mass[i] * bending.on(i); }
};

struct FirstStage {
  Points p;
  Stages s;
  RTSIM_HD void operator()(Index i) const {
    const Staged<Vec<3>> at = mass_spring::first_stage(p.position[i], p.velocity[i]);
    s.x[i] = at.x, s.v[i] = at.v, s.sum_x[i] = at.sum_x, s.sum_v[i] = at.sum_v;
  }
};

struct NextStage {
  Points p;
  Span<const Vec<3>> a;
  Real hb, hc;
  Stages s;
  RTSIM_HD void operator()(Index i) const {
    const Staged<Vec<3>> now{s.x[i], s.v[i], s.sum_x[i], s.sum_v[i]};
    const Staged<Vec<3>> next =
        mass_spring::next_stage(p.position[i], p.velocity[i], a[i], hb, hc, now);
    s.x[i] = next.x, s.v[i] = next.v, s.sum_x[i] = next.sum_x, s.sum_v[i] = next.sum_v;
  }
};

struct AddStages {
  Points p;
  Stages s;
  RTSIM_HD void operator()(Index i) const {
    p.position[i] = p.position[i] + s.sum_x[i];
    p.velocity[i] = p.velocity[i] + s.sum_v[i];
  }
};

struct SymplecticEuler {
  Points p;
  Span<const Vec<3>> a;
  Real h;
  RTSIM_HD void operator()(Index i) const {
    mass_spring::symplectic_euler(p.position[i], p.velocity[i], a[i], h);
  }
};

struct VerletStart {
  Points p;
  Span<const Vec<3>> a;
  Real h;
  RTSIM_HD void operator()(Index i) const {
    p.velocity[i] = mass_spring::verlet_start(p.velocity[i], a[i], h);
  }
};

struct HalfKickAndDrift {
  Points p;
  Span<const Vec<3>> a;
  Real h;
  Span<Vec<3>> predicted;
  RTSIM_HD void operator()(Index i) const {
    mass_spring::half_kick_and_drift(p.position[i], p.velocity[i], predicted[i], a[i], h);
  }
};

struct HalfKick {
  Points p;
  Span<const Vec<3>> a;
  Real h;
  RTSIM_HD void operator()(Index i) const { mass_spring::half_kick(p.velocity[i], a[i], h); }
};

struct RowRates {
  Network net;
  Real drag;
  Span<const Real> inverse_mass, bending;
  RTSIM_HD Rates operator()(Index i) const {
    const double w = inverse_mass[i];
    if (!(w > 0)) return {};
    double k = bending.size > 0 ? double(bending[i]) : 0, springs = 0;
    for (Index e = first_slot(net, i); e < end_slot(net, i); ++e) {
      const Half s = half_of(net, e, i);
      if (s.other == i) continue;
      const double ends = inverse_mass[s.other] > 0 ? 2 : 1;
      k += ends * s.stiffness, springs += ends;
    }
    return {w * k, w * springs * net.damping + drag};
  }
};
struct Greatest {
  RTSIM_HD Rates operator()(const Rates& a, const Rates& b) const {
    return {a.omega2 < b.omega2 ? b.omega2 : a.omega2,
            a.damping < b.damping ? b.damping : a.damping};
  }
};

struct RowTotals {
  Network net;
  Points p;
  Vec<3> gravity;
  RTSIM_HD Totals operator()(Index i) const {
    const Vec<3> x = p.position[i], v = p.velocity[i];
    const double m = p.mass[i];
    Totals t;
    t.mass = m;
    const Vec3d angular_momentum = m * cross(widen(x), widen(v));
    for (int k = 0; k < 3; ++k) {
      t.angular_momentum[k] = angular_momentum[k];
      t.kinetic += 0.5 * m * double(v[k]) * double(v[k]);
      t.potential -= m * double(gravity[k]) * double(x[k]);
      t.momentum[k] = m * double(v[k]);
    }
    for (Index e = first_slot(net, i); e < end_slot(net, i); ++e) {
      const Half s = half_of(net, e, i);
      const Reach<Real> r = reach(p.position[s.other] - x);
      t.elastic += 0.5 * double(spring_energy(r, s.stiffness, s.rest));  // the other half has half
      const double strain = s.rest > 0 ? double(r.length) / double(s.rest) - 1 : 0;
      t.strain += strain;
      if (strain > t.greatest_strain) t.greatest_strain = strain;
    }
    return t;
  }
};
struct AddTotals {
  RTSIM_HD Totals operator()(Totals a, const Totals& b) const {
    a.kinetic += b.kinetic, a.elastic += b.elastic, a.potential += b.potential;
    for (int k = 0; k < 3; ++k)
      a.momentum[k] += b.momentum[k], a.angular_momentum[k] += b.angular_momentum[k];
    a.mass += b.mass, a.strain += b.strain;
    if (a.greatest_strain < b.greatest_strain) a.greatest_strain = b.greatest_strain;
    return a;
  }
};

struct RowStrain {
  Network net;
  Span<const Vec<3>> x;
  Span<Real> strain;
  RTSIM_HD void operator()(Index i) const {
    Real sum = 0, springs = 0;
    for (Index e = first_slot(net, i); e < end_slot(net, i); ++e) {
      const Half s = half_of(net, e, i);
      if (s.rest > 0) sum += norm(x[s.other] - x[i]) / s.rest - 1, springs += 1;
    }
    strain[i] = springs > 0 ? sum / springs : 0;
  }
};

}  // namespace

void aim(const Exec& ex, const Points& p, Span<const Vec<3>> target, Real dt) {
  parallel_for(ex, "mass_spring.aim", target.size, Aim{p, target, 1 / dt});
}

void arrive(const Exec& ex, const Points& p, Span<const Vec<3>> target) {
  parallel_for(ex, "mass_spring.arrive", target.size, Arrive{p, target});
}

bool moves_held(const Exec& ex, const Points& p) {
  return reduce(ex, "mass_spring.moves_held", p.position.size, Index(0), MovesHeld{p}, Plus{}) > 0;
}

void pack(const Exec& ex, Span<const Vec<3>> from, Span<Row4> to) {
  parallel_for(ex, "mass_spring.pack", to.size, Pack{from, to});
}
void unpack(const Exec& ex, Span<const Row4> from, Span<Vec<3>> to) {
  parallel_for(ex, "mass_spring.unpack", to.size, Unpack{from, to});
}

void accelerate(const Exec& ex, const Acceleration& k) {
  if (ex.cpu_shaped()) return accelerate_lanes(ex, k);
  parallel_for(ex, "mass_spring.accelerate", k.a.size, Accelerate{k});
}

void accelerate(const Exec& ex, const plate::SlotForces& bending, Span<const Real> inverse_mass,
                Span<Vec<3>> a) {
  parallel_for(ex, "mass_spring.accelerate", a.size, AccelerateBending{bending, inverse_mass, a});
}

void force_on_held(const Exec& ex, const Acceleration& k, Span<const Real> mass,
                   const plate::SlotForces& bending, Span<Row4> to) {
  parallel_for(ex, "mass_spring.force_on_held", mass.size, ForceOnHeld{k, mass, bending, to});
}

void first_stage(const Exec& ex, const Points& p, const Stages& s) {
  parallel_for(ex, "mass_spring.stage", s.x.size, FirstStage{p, s});
}
void next_stage(const Exec& ex, const Points& p, Span<const Vec<3>> a, Real hb, Real hc,
                const Stages& s) {
  parallel_for(ex, "mass_spring.stage", s.x.size, NextStage{p, a, hb, hc, s});
}
void add_stages(const Exec& ex, const Points& p, const Stages& s) {
  parallel_for(ex, "mass_spring.stage", s.x.size, AddStages{p, s});
}

void symplectic_euler(const Exec& ex, const Points& p, Span<const Vec<3>> a, Real h) {
  parallel_for(ex, "mass_spring.step", a.size, SymplecticEuler{p, a, h});
}
void verlet_start(const Exec& ex, const Points& p, Span<const Vec<3>> a, Real h) {
  parallel_for(ex, "mass_spring.step", a.size, VerletStart{p, a, h});
}
void half_kick_and_drift(const Exec& ex, const Points& p, Span<const Vec<3>> a, Real h,
                         Span<Vec<3>> predicted) {
  parallel_for(ex, "mass_spring.step", a.size, HalfKickAndDrift{p, a, h, predicted});
}
void half_kick(const Exec& ex, const Points& p, Span<const Vec<3>> a, Real h) {
  parallel_for(ex, "mass_spring.step", a.size, HalfKick{p, a, h});
}

Rates rates(const Exec& ex, const Network& net, Real drag, Span<const Real> inverse_mass,
            Span<const Real> bending) {
  return reduce(ex, "mass_spring.rates", inverse_mass.size, Rates{},
                RowRates{net, drag, inverse_mass, bending}, Greatest{});
}

Totals totals(const Exec& ex, const Network& net, const Points& p, const Vec<3>& gravity) {
  return reduce(ex, "mass_spring.totals", p.position.size, Totals{}, RowTotals{net, p, gravity},
                AddTotals{});
}

void strain(const Exec& ex, const Network& net, Span<const Vec<3>> x, Span<Real> strain) {
  parallel_for(ex, "mass_spring.strain", x.size, RowStrain{net, x, strain});
}

}  // namespace rtsim::mass_spring
