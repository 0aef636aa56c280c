#pragma once
#include "rigid/contacts/push.h"
#include "rigid/joints/joint_island.h"

namespace rtsim::rigid {

RTSIM_HD inline Turn<2> turned_by(const Spin<2>& angle, const Turn<2>& q) {
  return product(Turn<2>{{std::cos(angle[0]), std::sin(angle[0])}}, q);
}
RTSIM_HD inline Turn<3> turned_by(const Spin<3>& angle, const Turn<3>& q) {
  const Turn<3> by{{0.5 * angle[0], 0.5 * angle[1], 0.5 * angle[2], 1}};
  return product((1 / norm(by)) * by, q);
}
// The rotation vector from a to b [rad].
RTSIM_HD inline Spin<2> turn_between(const Turn<2>& a, const Turn<2>& b) {
  const Turn<2> r = product(b, back(a));
  return {{std::atan2(r[1], r[0])}};
}
RTSIM_HD inline Spin<3> turn_between(const Turn<3>& a, const Turn<3>& b) {
  return rotation_vector(product(b, back(a)));
}

// Bodies of an island on their way through a substep, in doubles, by RATTLE: Andersen, "Rattle: a
// velocity version of the Shake algorithm for molecular dynamics calculations", J. Comput. Phys.
// 52, 1983. In each part of h,
//   u = v + 1/M J(x0)^T p with C(x1) = 0,  x1: x0 moved and turned freely with u for h,
//   v1 = u + 1/M J(x1)^T r with J(x1) v1 = 0,
// which may be run backwards and is symplectic (Hairer, Lubich & Wanner, "Geometric Numerical
// Integration", 2006, section VII.1.4): energy swings by the square of the angle in a part, but
// does not drift. p comes by Newton's method with the matrix of x0, each round of which leaves
// about the angle's share of the error. Both impulses act on either body at one point, so that
// momentum and angular momentum stay what they are.
template <int D>
struct IslandRattle {
  static constexpr int n = freedoms<D>;
  Island<D> i;
  Kick kick;
  Loads<D> loads;
  bool fails = false;  // places were not found

  RTSIM_HD void negate() {
    i.recall();
    for (Index k = i.begin; k < i.end; ++k)
      for (int r = 0; r < n; ++r) i.s.answer[k].at[r] = -i.s.answer[k].at[r];
  }
  RTSIM_HD void undo() { negate(), i.apply_impulses(); }
  // The impulses of the last substep: what cancels in loops of joints may turn bodies as much as it
  // likes until the solve.
  RTSIM_HD void take_back() {
    negate(), i.add_up();
    for (Index k = i.begin; k < i.end; ++k)
      if (i.s.nodes[k].body >= 0) i.speed_up(k);
  }
  // From the columns, less half of the kick that all have had: velocities between substeps are
  // those of half of one before, in which the next one kicks them.
  RTSIM_HD void leave() {
    for (Index k = i.begin; k < i.end; ++k) {
      const Index body = i.s.nodes[k].body;
      if (body < 0) continue;
      collect<D>(i.solver_body(body), i.bodies.orientation[body], i.bodies.inertia[body],
                 i.pushes[body]);
      const Place<D> at = place_of(i.bodies, i.s.rest, i.solver_bodies, body);
      i.s.rattle[k] = {at, at, {}, at, {}};
    }
    i.flies = true;
    push(-0.5 * double(kick.h), kick.linear_kept, kick.angular_kept);
    prepare_joints();
  }
  RTSIM_HD void save() {
    for (Index k = i.begin; k < i.end; ++k) {
      const Index joint = i.s.nodes[k].joint;
      RattleState<D>& f = i.s.rattle[k];
      f.start = f.from, f.leaving = i.s.twist[k];
      for (int a = 0; joint >= 0 && a < 3; ++a) f.leaving.at[a] = i.s.coordinate[joint][a];
    }
  }
  RTSIM_HD void restore() {
    fails = false;
    i.forget();
    for (Index k = i.begin; k < i.end; ++k) {
      const Index joint = i.s.nodes[k].joint;
      RattleState<D>& f = i.s.rattle[k];
      f.from = f.start;
      if (joint < 0) i.s.twist[k] = f.leaving;
      if (joint >= 0) i.s.rattle_impulse[joint] = {};
      for (int a = 0; joint >= 0 && a < 3; ++a) i.s.coordinate[joint][a] = f.leaving.at[a];
    }
    prepare_joints();
  }
  // As if no joint held, and then brought together. What that moves bodies by is part of their
  // velocities where it takes energy, which else grew with every substep while places cannot
  // follow: a chain that is drawn taut between two points has velocities across it that no joint
  // takes back.
  RTSIM_HD void go_apart(bool undriven) {
    const double h = double(kick.h);
    restore(), relax(h, undriven), push(h, 1, 1), i.fly(h);
    for (Index k = i.begin; k < i.end; ++k)
      if (i.s.nodes[k].body >= 0) land(k), i.s.rattle[k].start = i.s.rattle[k].from;
    prepare_joints(), close();
    const double flown = energy();
    follow(h);
    if (energy() > flown) follow(-h);
    relax(h, undriven);
  }
  // From `start`, in h.
  RTSIM_HD void follow(double h) {
    for (Index k = i.begin; k < i.end; ++k) {
      if (i.s.nodes[k].body < 0) continue;
      const RattleState<D>& f = i.s.rattle[k];
      const Spin<D> turn = turn_between(f.start.q, f.from.q);
      for (int a = 0; a < D; ++a) i.s.twist[k].at[a] += (f.from.x[a] - f.start.x[a]) / h;
      for (int a = 0; a < spins<D>; ++a) i.s.twist[k].at[D + a] += turn[a] / h;
    }
  }
  // Of motion and springs [J].
  RTSIM_HD double energy() const {
    double sum = 0;
    for (Index k = i.begin; k < i.end; ++k)
      sum += i.s.nodes[k].joint < 0 ? kinetic(i.weight(k), i.s.twist[k])
                                    : energy_of_springs(i.s.nodes[k].joint);
    return sum;
  }
  RTSIM_HD double energy_of_springs(Index joint) const {
    double sum = 0;
    for (int r = 0; r < n; ++r) {
      const JointRow<D>& e = i.row(joint, r);
      if (e.mode != JointRow<D>::driven) continue;
      const Drive& d = i.s.joints[joint].drive[e.drive];
      if (d.kind == DriveKind::spring) sum += energy_of(d, e.value);
    }
    return sum;
  }
  // Takes back what joints are off by before anything moves, where that is much: blows of bounces
  // shift bodies by themselves, and as a velocity that would be far more in a part than in a
  // substep. (Angular momentum changes by as much as shifts are to arms; of what is less the first
  // part makes a velocity, which keeps it.) By Newton's method, in steps that turn no body far and
  // leave less of the gap: where links are nearly in line, or more is held than can move, whole
  // ones would fling bodies away.
  RTSIM_HD void close() {
    constexpr int rounds = 8;
    constexpr double much = 1e-5;
    const JointSolve how{1, false, false, true};
    double open = i.gap();
    for (int round = 0; round < rounds && open > much; ++round) {
      see_limits(), i.assemble(how), i.factor(), i.solve(how), i.add_up();
      const double left = come_closer(open);
      if (!(left < open)) return;
      open = left;
    }
  }
  // The gap that is left.
  RTSIM_HD double come_closer(double open) {
    constexpr double far = 0.25;  // [rad]
    constexpr int halvings = 4;
    double turn = 0;
    for (Index k = i.begin; k < i.end; ++k) {
      i.s.rattle[k].to = i.s.rattle[k].from;
      if (i.s.nodes[k].body >= 0) turn = larger(turn, norm(i.turn_asked(k)));
    }
    double share = turn > far ? far / turn : 1;
    for (int k = 0;; ++k, share *= 0.5) {
      const bool last = k == halvings;  // stays where it was
      for (Index at = i.begin; at < i.end; ++at)
        if (i.s.nodes[at].body >= 0) shift(at, last ? 0 : share);
      prepare_joints();
      const double left = i.gap();
      if (last || left < open) return left;
    }
  }
  // Limits hold what is beyond them.
  RTSIM_HD void see_limits() {
    for (Index k = i.begin; k < i.end; ++k) {
      const Index joint = i.s.nodes[k].joint;
      for (int r = 0; joint >= 0 && r < n; ++r) {
        const JointRow<D>& e = i.row(joint, r);
        if (e.mode != JointRow<D>::driven) continue;
        const Drive& d = i.s.joints[joint].drive[e.drive];
        i.s.acting[joint][e.drive] = e.value < d.low    ? DriveState::lowest
                                     : e.value > d.high ? DriveState::highest
                                                        : DriveState::acting;
      }
    }
  }
  // By a share of the answer, from where it was.
  RTSIM_HD void shift(Index node, double share) {
    RattleState<D>& f = i.s.rattle[node];
    f.from = f.to, i.weigh(node);
    const double step = share * i.weight(node).inverse_mass;
    for (int a = 0; a < D; ++a) f.from.x[a] += step * i.s.answer[node].at[a];
    f.from.q = turned_by(share * i.turn_asked(node), f.to.q);
  }
  // v += h (g + F / m), w += h I^-1 T. Returns the work, less what is of second order [J].
  RTSIM_HD double push(double h, double linear, double angular) {
    double work = 0;
    for (Index k = i.begin; k < i.end; ++k) {
      const Index body = i.s.nodes[k].body;
      if (body < 0) continue;
      const Weight<D>& w = i.weight(k);
      const Spin<D> torque = wide(loads.torque[body]), turn = product(w.inverse_inertia, torque);
      for (int a = 0; a < D; ++a) {
        const double force = w.mass * kick.gravity[a] + double(loads.force[body][a]);
        work += h * force * i.s.twist[k].at[a];
        i.s.twist[k].at[a] += linear * h * w.inverse_mass * force;
      }
      for (int a = 0; a < spins<D>; ++a) {
        work += h * torque[a] * i.s.twist[k].at[D + a];
        i.s.twist[k].at[D + a] += angular * h * turn[a];
      }
    }
    return work;
  }

  // Returns the work of loads [J].
  RTSIM_HD double go(double h, bool undriven) {
    double work = push(0.5 * h, 1, 1);
    i.forget(), hold(h, undriven);
    for (Index k = i.begin; k < i.end; ++k)
      if (i.s.nodes[k].body >= 0) land(k);
    prepare_joints();
    relax(h, undriven);
    work += push(0.5 * h, 1, 1);
    return work;
  }
  RTSIM_HD void relax(double h, bool undriven) { i.answer_all({h, true, false}, undriven); }
  RTSIM_HD void hold(double h, bool undriven) {
    fails = !i.hold_places({h, false, false}, undriven);
  }
  RTSIM_HD void land(Index k) {
    RattleState<D>& f = i.s.rattle[k];
    f.from = f.to;
    for (int a = 0; a < spins<D>; ++a) i.s.twist[k].at[D + a] = f.spin[a];
  }

  RTSIM_HD void prepare_joints() {
    for (Index k = i.begin; k < i.end; ++k)
      if (i.s.nodes[k].body >= 0) i.weigh(k);
    for (Index k = i.begin; k < i.end; ++k) {
      const Index joint = i.s.nodes[k].joint;
      if (joint < 0) continue;
      prepare(i.s, joint, i.pose(joint, false));
      i.s.geometric_stiffness[joint] = {};
    }
  }
  // Into the columns.
  RTSIM_HD void arrive() {
    push(-0.5 * double(kick.h), 1, 1);
    for (Index k = i.begin; k < i.end; ++k) {
      const Index body = i.s.nodes[k].body;
      if (body < 0) continue;
      SolverBody<D, Real> m = i.solver_body(body);
      const Place<D> was = place_of(i.bodies, i.s.rest, i.solver_bodies, body),
                     &is = i.s.rattle[k].from;
      const Turn<D> all = product(product(is.q, back(was.q)), wide(m.turned));
      const Turn<D> now = (1 / norm(all)) * all;
      for (int a = 0; a < D; ++a) {
        m.moved[a] = Real(double(m.moved[a]) + (is.x[a] - was.x[a]));
        m.twist.velocity[a] = Real(i.s.twist[k].at[a]);
      }
      for (int a = 0; a < spins<D>; ++a) m.twist.angular[a] = Real(i.s.twist[k].at[D + a]);
      Orientation<D> q;
      for (int a = 0; a < int(sizeof now / sizeof now[0]); ++a)
        q[a] = Real(is.q[a]), m.turned[a] = Real(now[a]);
      i.bodies.orientation[body] = q;
      m.inertia = inverse_inertia(q, regularised_inertia(i.bodies.inertia[body]));
      i.pushes[body].since = m.twist;
      store_solver_body(i.solver_bodies + solver_body_rows<D> * body, m);
    }
  }
};

}  // namespace rtsim::rigid
