#pragma once
#include "rigid/joints/joint_rattle.h"

// A substep of the joints: velocities that bring bodies where joints hold at its end. Newton's
// method takes the arms of joints as they stand when it begins. Where bodies turn by more than a
// fraction of a radian in it, they change too much: places are not found, or energy is made or
// lost. Such islands go through the substep in parts of a fraction of a radian.
namespace rtsim::rigid {

constexpr double fast_angle = 0.25;    // [rad] in a substep; slower islands take it in one part
constexpr double largest_angle = 1e4;  // [rad] in a substep; faster islands are left as they are
constexpr double torn = 0.1;           // of a joint's arms, or [rad]

template <int D>
struct FastRotation {
  IslandRattle<D> f;
  JointSolve how;

  RTSIM_HD void operator()(Index island) const {
    FastRotation w = *this;
    w.run(island);
  }
  RTSIM_HD void run(Index island) {
    const bool undriven = f.i.s.undriven[island] != 0, awake = f.i.open(island);
    bool carries = awake && (is_torn() || whirls());
    if (carries) {
      f.take_back(), carries = is_torn() || whirls();
      if (!carries) f.i.open(island);
    }
    if (awake && !carries) {
      carries = !f.i.find_places(island, how, undriven);
      if (carries) f.take_back();
    }
    f.i.s.answered_again[island] = 0;
    for (Index k = f.i.begin; k < f.i.end; ++k)
      if (f.i.s.nodes[k].body >= 0) f.i.s.carried[f.i.s.nodes[k].body] = carries;
    if (!carries) return;
    f.i.forget(), f.leave(), f.close(), f.save();
    fly(undriven);
    f.arrive();
    f.i.forget();
  }

  // In finer parts where Newton's method does not find places, or energy comes from nowhere.
  RTSIM_HD void fly(bool undriven) {
    constexpr int tries = 3, finer = 4;
    double more = 1;
    for (int k = 0; k < tries; ++k, more *= finer) {
      f.restore(), f.relax(double(f.kick.h), undriven);
      const double before = f.energy();
      const double work = fly_through(more * largest_turn(), undriven);
      if (!f.fails && f.energy() < 1.01 * before + work + work_of_motors()) return;
    }
    f.go_apart(undriven);
  }
  // At most, in the substep [J].
  RTSIM_HD double work_of_motors() const {
    double power = 0;
    for (Index k = f.i.begin; k < f.i.end; ++k) {
      const Index joint = f.i.s.nodes[k].joint;
      if (joint < 0) continue;
      for (const Drive& d : f.i.s.joints[joint].drive) power += d.strength * std::abs(d.speed);
    }
    return double(f.kick.h) * power;
  }

  // The composition of five steps S of second order that is of fourth, S(a) S(a) S(1 - 4 a) S(a)
  // S(a) with a = 1 / (4 - 4^(1/3)): Suzuki, "Fractal decomposition of exponential operators",
  // Phys. Lett. A 146, 1990. One of them goes back in time, which what is damped cannot.
  // Returns the work of loads [J].
  RTSIM_HD double fly_through(double angle, bool undriven) {
    constexpr double a = 0.41449077179437573714;
    constexpr double steps[] = {a, a, 1 - 4 * a, a, a};
    const double h = double(f.kick.h), swings = swing(h / (1 + angle / 0.1), undriven);
    const double most = swings > angle ? (swings < 30 * angle ? swings : 30 * angle) : angle;
    const int parts = 1 + int(most / (undriven ? 0.25 : 0.1));
    double work = 0;
    for (int part = 0; part < parts && !f.fails; ++part) {
      if (!undriven) work += f.go(h / parts, undriven);
      for (int k = 0; undriven && k < 5 && !f.fails; ++k)
        work += f.go(steps[k] * h / parts, undriven);
    }
    return work;
  }
  // How far tense joints let bodies swing about them in a substep [rad], by the geometric stiffness
  // of kernels/rigid/joints/joint_geometric_stiffness.h: that, too, wants parts.
  RTSIM_HD double swing(double h, bool undriven) {
    double most = 0;
    const bool loops = f.i.has_loops();
    f.hold(h, undriven);
    for (Index k = f.i.begin; k < f.i.end; ++k) {
      const Index joint = f.i.s.nodes[k].joint;
      if (joint < 0 || f.i.is_undetermined(joint, loops)) continue;
      VecT<double, D> p;
      for (int r = 0; r < freedoms<D>; ++r)
        p = p + f.i.s.impulse[joint][r] * f.i.row(joint, r).along;
      most = larger(most, stiffness(f.i.s.links[joint].node_a, -p, f.i.s.arms[joint].a));
      most = larger(most, stiffness(f.i.s.links[joint].node_b, p, f.i.s.arms[joint].b));
    }
    f.undo(), f.i.forget(), f.fails = false;
    // Half of the force of a part acts at its start.
    return double(f.kick.h) * std::sqrt(2 / h * most) / 5;
  }
  RTSIM_HD double stiffness(Index node, const VecT<double, D>& p, const VecT<double, D>& r) const {
    return node < 0 ? 0 : 0.5 * (norm(p) * norm(r) + dot(p, r)) / f.i.weight(node).least_moment;
  }

  // [rad] in the substep
  RTSIM_HD double largest_turn() const {
    double most = 0;
    for (Index k = f.i.begin; k < f.i.end; ++k) {
      const Index joint = f.i.s.nodes[k].joint;
      most = larger(most, joint < 0 ? double(f.kick.h) * norm(f.i.spin_of(k)) : turn_of_bar(joint));
    }
    return most;
  }
  // Between anchors that are held at a distance, also at the bodies' centres [rad].
  RTSIM_HD double turn_of_bar(Index joint) const {
    const Joint<D>& j = f.i.s.joints[joint];
    const JointRow<D>& row = f.i.row(joint, 0);
    if (j.kind != JointKind::distance || !f.i.holds(joint, row)) return 0;
    const JointLink& l = f.i.s.links[joint];
    VecT<double, D> v = f.i.velocity_at(l.node_b, f.i.s.arms[joint].b);
    if (l.node_a >= 0) v = v - f.i.velocity_at(l.node_a, f.i.s.arms[joint].a);
    const double length = row.value + (j.stays ? j.length : 0);
    return length > 0 ? double(f.kick.h) * norm(v - dot(v, row.along) * row.along) / length : 0;
  }
  // Joints are off by more than turns of `fast_angle` leave in a substep: taken back as a velocity
  // that would fling bodies away.
  RTSIM_HD bool is_torn() const { return f.i.gap() > torn; }
  RTSIM_HD bool whirls() const {
    bool fast = false;
    for (Index k = f.i.begin; k < f.i.end; ++k) {
      const Index joint = f.i.s.nodes[k].joint;
      if (joint < 0) continue;
      fast = fast || turn_of_bar(joint) > fast_angle ||
             whirls_about(f.i.s.links[joint].node_a, f.i.s.arms[joint].a) ||
             whirls_about(f.i.s.links[joint].node_b, f.i.s.arms[joint].b);
    }
    return fast && largest_turn() < largest_angle;
  }
  // What a joint holds at its centre, or on the axis of its turn, does not swing the joint.
  RTSIM_HD bool whirls_about(Index node, const VecT<double, D>& arm) const {
    if (node < 0) return false;
    const Spin<D> w = f.i.spin_of(node);
    const VecT<double, D> v = turning(w, arm);
    const Weight<D>& of = f.i.weight(node);
    return f.kick.h * norm(w) > fast_angle &&
           of.mass * dot(v, v) > 1e-6 * of.least_moment * dot(w, w);
  }
};

}  // namespace rtsim::rigid
