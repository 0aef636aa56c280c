#pragma once
#include "rigid/joints/joint_bodies.h"
#include "rigid/joints/joint_drive.h"
#include "rigid/joints/joint_geometric_stiffness.h"
#include "rigid/joints/joints.h"

namespace rtsim::rigid {

RTSIM_HD inline double larger(double a, double b) { return a > b ? a : b; }

// The equations of joint k between bodies that are there.
template <int D>
RTSIM_HD void prepare(const JointSystem<D>& s, Index k, const JointPose<D>& pose) {
  const Joint<D>& j = s.joints[k];
  const JointLink& l = s.links[k];
  const Weight<D>*const a = l.node_a < 0 ? nullptr : &s.weights[l.node_a], &b = s.weights[l.node_b];
  JointRows<D> rows;
  fill_rows(j, pose, s.coordinate[k][0], rows);
  for (int r = 0; r < freedoms<D>; ++r) {
    JointRow<D>& row = rows.row[r];
    if (row.mode == JointRow<D>::driven) {
      s.coordinate[k][row.drive] = row.value;
      if (!has_effect(j.drive[row.drive])) row.mode = JointRow<D>::absent;
    }
    if (row.mode != JointRow<D>::absent) row.compliance = compliance_of(row, a, b);
    s.equations[freedoms<D> * k + r] = row;
  }
  s.arms[k] = rows.arms;
  s.second_order[k] = {};
}

// What an impulse p in a row is on body b, and along its coordinate.
template <int D>
RTSIM_HD void add(const JointRow<D>& row, const JointArms<D>& arms, double p,
                  JointImpulse<D>& sum) {
  sum.force = sum.force + p * row.along;
  sum.torque = sum.torque + p * (row.about_b - moment(arms.b, row.along));
  if (row.drive >= 0) sum.drive[row.drive] += p;
}

// The equations of bodies that joints hold together, [M -J^T; -J -G] [dv; dp] = [J^T fixed; J v +
// offset], a block for each body and each joint, eliminated in the order of the nodes. One worker
// takes an island.
template <int D>
struct Island {
  static constexpr int n = freedoms<D>;
  JointSystem<D> s;
  Bodies<D> bodies;
  Push<D>* pushes;
  Row4* solver_bodies;
  bool flies = false;        // bodies are where s.rattle says (the state of RATTLE)
  bool pushed = true;        // velocities are others than the last solve left
  Index begin = 0, end = 0;  // nodes

  RTSIM_HD void find(Index island) { begin = s.islands[island], end = s.islands[island + 1]; }
  // False of one that is asleep.
  RTSIM_HD bool open(Index island) {
    find(island);
    pushed = false;
    for (Index k = begin; k < end; ++k) {
      if (s.nodes[k].body < 0) continue;
      const SolverBody<D, Real> m = solver_body(s.nodes[k].body);
      if (!(m.inverse_mass > 0)) return false;
      for (int a = 0; a < n; ++a) {
        const Real now = a < D ? m.twist.velocity[a] : m.twist.angular[a - D];
        pushed = pushed || now != Real(s.twist[k].at[a]);
        s.twist[k].at[a] = double(now);
      }
    }
    return true;
  }
  RTSIM_HD bool carried() const {
    for (Index k = begin; k < end; ++k)
      if (s.nodes[k].body >= 0) return s.carried[s.nodes[k].body] != 0;
    return false;
  }
  RTSIM_HD SolverBody<D, Real> solver_body(Index body) const {
    SolverBody<D, Real> m;
    const Index first = solver_body_rows<D> * body;
    load_solver_body(solver_bodies, &first, m);
    return m;
  }

  RTSIM_HD const Weight<D>& weight(Index node) const { return s.weights[node]; }
  // Where it is.
  RTSIM_HD void weigh(Index node) {
    const Index body = s.nodes[node].body;
    const Turn<D> q = flies ? s.rattle[node].from.q : wide(bodies.orientation[body]);
    s.weights[node] = weight_of(bodies, body, q);
  }

  // From the impulses of the last substep.
  RTSIM_HD void load(double h) {
    const bool loops = has_loops();
    for (Index k = begin; k < end; ++k) {
      const Index joint = s.nodes[k].joint;
      if (joint < 0) continue;
      s.geometric_stiffness[joint] = {};
      if (is_undetermined(joint, loops)) continue;
      VecT<double, D> p;
      for (int r = 0; r < n; ++r) p = p + s.impulse[joint][r] * row(joint, r).along;
      s.geometric_stiffness[joint] = most(lacking(h, s.links[joint].node_a, -p, s.arms[joint].a),
                                          lacking(h, s.links[joint].node_b, p, s.arms[joint].b));
    }
  }
  // Hinges of a loop in space say more than is needed: what they press against one another is no
  // tension.
  RTSIM_HD bool is_undetermined(Index joint, bool loops) const {
    return D == 3 && loops && s.joints[joint].kind == JointKind::hinge;
  }
  // The world is a body too, if any joint is to it.
  RTSIM_HD bool has_loops() const {
    Index joints = 0, ends = 0;
    bool anchored = false;
    for (Index k = begin; k < end; ++k) {
      const Index joint = s.nodes[k].joint;
      if (joint < 0) ++ends;
      if (joint >= 0) ++joints, anchored = anchored || s.links[joint].node_a < 0;
    }
    return joints >= ends + (anchored ? 1 : 0);
  }
  RTSIM_HD GeometricStiffness lacking(double h, Index node, const VecT<double, D>& p,
                                      const VecT<double, D>& arm) const {
    if (node < 0) return {};
    return lacking_inertia(h, p, arm, weight(node));
  }
  RTSIM_HD bool has_geometric_stiffness() const {
    for (Index k = begin; k < end; ++k)
      if (s.nodes[k].joint >= 0 && s.geometric_stiffness[s.nodes[k].joint].inertia > 0) return true;
    return false;
  }

  RTSIM_HD const JointRow<D>& row(Index joint, int r) const { return s.equations[n * joint + r]; }
  RTSIM_HD ActingRow acting(const JointSolve& how, Index joint, int r) const {
    const JointRow<D>& e = row(joint, r);
    ActingRow a{false, 0, 0, 0};
    if (e.mode == JointRow<D>::stiff)
      a = hold(drive_case(how, joint, r), e.value);
    else if (e.mode == JointRow<D>::driven && !idle(joint, e))
      a = acting_row(s.joints[joint].drive[e.drive], s.acting[joint][e.drive],
                     drive_case(how, joint, r));
    else if (turns_freely(e, s.geometric_stiffness[joint]))
      a = weigh(s.geometric_stiffness[joint], dot(e.about_b, s.mass_weighted_spin[joint]),
                how.relax || how.again);
    if (how.correct) a.share = 0, a.offset = holds(joint, e) ? a.offset : 0;
    return a;
  }
  // A place, not a velocity.
  RTSIM_HD bool holds(Index joint, const JointRow<D>& e) const {
    if (e.mode == JointRow<D>::stiff) return true;
    if (e.mode != JointRow<D>::driven) return false;
    const std::int32_t state = s.acting[joint][e.drive];
    return state == DriveState::lowest || state == DriveState::highest;
  }
  // The inertia gets the joint's spin from its own; damped once a substep.
  RTSIM_HD static ActingRow weigh(const GeometricStiffness& b, double mass_weighted, bool damped) {
    const double own = mass_weighted / std::sqrt(b.inertia);
    return {true, -own, 1 / b.inertia, 0, 1 + (damped ? 0 : b.damping / b.inertia)};
  }
  RTSIM_HD bool is_weighed(Index joint, const JointRow<D>& e) const {
    if (!turns_freely(e, s.geometric_stiffness[joint]) || e.mode == JointRow<D>::stiff)
      return false;
    return e.mode == JointRow<D>::absent || idle(joint, e);
  }
  // Between its limits, with nothing to drive it.
  RTSIM_HD bool idle(Index joint, const JointRow<D>& e) const {
    return s.joints[joint].drive[e.drive].kind == DriveKind::none &&
           s.acting[joint][e.drive] == DriveState::acting;
  }
  RTSIM_HD DriveCase drive_case(const JointSolve& how, Index joint, int r) const {
    const JointRow<D>& e = row(joint, r);
    return {e.value, e.compliance, s.impulse[joint][r],
            how.h,   how.relax,    s.second_order[joint].at[r]};
  }

  RTSIM_HD void assemble(const JointSolve& how) {
    for (Index k = begin; k < end; ++k) {
      for (Index e = s.first[k]; e < s.first[k + 1]; ++e) clear(s.entry[e]);
      if (s.nodes[k].body >= 0) fill(weight(k), s.diagonal[k]);
    }
    for (Index k = begin; k < end; ++k)
      if (s.nodes[k].joint >= 0) assemble_joint(how, k, s.nodes[k].joint);
  }
  RTSIM_HD void assemble_joint(const JointSolve& how, Index node, Index joint) {
    const JointLink& l = s.links[joint];
    clear(s.diagonal[node]);
    for (int r = 0; r < n; ++r) {
      const ActingRow a = acting(how, joint, r);
      s.diagonal[node].at[r][r] = a.solved ? -a.compliance : -1;
      if (!a.solved) continue;
      for (int k = 0; k < n; ++k) {
        if (l.node_a >= 0) put(l.entry_a, l.a_first, r, k, -entry_of(row(joint, r), false, k));
        if (l.node_b >= 0) put(l.entry_b, l.b_first, r, k, -entry_of(row(joint, r), true, k));
      }
    }
  }
  RTSIM_HD void put(Index entry, bool body_first, int r, int k, double value) {
    (body_first ? s.entry[entry].at[r][k] : s.entry[entry].at[k][r]) = value;
  }

  RTSIM_HD void factor() {
    for (Index k = begin; k < end; ++k) {
      invert(s.diagonal[k]);
      Index u = s.first_update[k];
      for (Index j = s.first[k]; j < s.first[k + 1]; ++j) {
        const Block<n> by = times_transposed(s.diagonal[k], s.entry[j]);
        for (Index i = j; i < s.first[k + 1]; ++i, ++u) {
          const Index to = s.updates[u];
          take_product(s.entry[i], by, to < 0 ? s.diagonal[-1 - to] : s.entry[to]);
        }
      }
    }
  }

  // The answers: changes of velocity and, of joints, of impulse.
  RTSIM_HD void solve(const JointSolve& how) {
    for (Index k = begin; k < end; ++k)
      for (int r = 0; r < n; ++r) s.answer[k].at[r] = 0;
    for (Index k = begin; k < end; ++k)
      if (s.nodes[k].joint >= 0) ask(how, k, s.nodes[k].joint);
    for (Index k = begin; k < end; ++k) {
      const BlockColumn<n> x = product(s.diagonal[k], s.answer[k]);
      for (Index i = s.first[k]; i < s.first[k + 1]; ++i)
        take_product(s.entry[i], x, s.answer[s.rows[i]]);
    }
    for (Index k = end - 1; k >= begin; --k) {
      for (Index i = s.first[k]; i < s.first[k + 1]; ++i)
        take_transposed(s.entry[i], s.answer[s.rows[i]], s.answer[k]);
      s.answer[k] = product(s.diagonal[k], s.answer[k]);
    }
  }
  // Where a row is not solved -1 stands for it alone.
  RTSIM_HD void ask(const JointSolve& how, Index node, Index joint) {
    for (int r = 0; r < n; ++r) {
      const ActingRow a = acting(how, joint, r);
      const double change = a.fixed - s.impulse[joint][r];
      s.answer[node].at[r] = a.solved ? a.share * speed(joint, r, s.twist) + a.offset : -change;
      if (!a.solved) pass(joint, r, change);
    }
  }
  // J v of velocities.
  RTSIM_HD double speed(Index joint, int r, const Span<BlockColumn<n>>& v) const {
    const JointLink& l = s.links[joint];
    double sum = 0;
    if (l.node_a >= 0) sum += times(row(joint, r), false, v[l.node_a]);
    if (l.node_b >= 0) sum += times(row(joint, r), true, v[l.node_b]);
    return sum;
  }
  // J^T p onto the nodes of the bodies.
  RTSIM_HD void pass(Index joint, int r, double p) {
    const JointLink& l = s.links[joint];
    if (p == 0) return;
    for (int k = 0; k < n; ++k) {
      if (l.node_a >= 0) s.answer[l.node_a].at[k] += p * entry_of(row(joint, r), false, k);
      if (l.node_b >= 0) s.answer[l.node_b].at[k] += p * entry_of(row(joint, r), true, k);
    }
  }

  // Solves until what drives do goes with the answers.
  RTSIM_HD void settle(const JointSolve& how, bool undriven) {
    // More rounds than states have ever taken to settle; later ones let go of nothing, so that they
    // end.
    constexpr int rounds = 16, releasing = 8;
    int round = 0;
    for (bool known = how.again || (how.factored && undriven); round < rounds; ++round) {
      if (!known) assemble(how), factor();
      solve(how);
      if (how.relax || undriven || !switch_states(how, round < releasing)) break;
      known = false;
    }
    if (round == rounds) assemble(how), factor();  // of the states that it ends with
  }
  // Whether any changed.
  RTSIM_HD bool switch_states(const JointSolve& how, bool may_release) {
    bool changed = false;
    for (Index k = begin; k < end; ++k) {
      const Index joint = s.nodes[k].joint;
      for (int r = 0; joint >= 0 && r < n; ++r) {
        const JointRow<D>& e = row(joint, r);
        if (e.mode != JointRow<D>::driven) continue;
        std::int32_t& state = s.acting[joint][e.drive];
        const double v = speed(joint, r, s.twist) + speed(joint, r, s.answer);
        const std::int32_t next =
            next_state(s.joints[joint].drive[e.drive], state, drive_case(how, joint, r),
                       s.impulse[joint][r] + s.answer[k].at[r], v, may_release);
        changed = changed || next != state;
        state = next;
      }
    }
    return changed;
  }

  // Settles, and velocities and impulses get the answers.
  RTSIM_HD void answer_all(const JointSolve& how, bool undriven) {
    settle(how, undriven);
    keep();
    apply_impulses();
    keep_spins();
  }

  // hold_places() from where bodies are; where that fails all is as it was.
  RTSIM_HD bool find_places(Index island, const JointSolve& how, bool undriven) {
    for (Index k = begin; k < end; ++k) {
      const Index body = s.nodes[k].body, joint = s.nodes[k].joint;
      if (body >= 0) s.rattle[k].from = place_of(bodies, s.rest, solver_bodies, body);
      if (joint < 0) continue;
      s.rattle[k].spin = s.mass_weighted_spin[joint];
      for (int r = 0; r < n; ++r) s.rattle[k].leaving.at[r] = s.impulse[joint][r];
    }
    if (hold_places(how, undriven)) return store(), true;
    open(island);
    for (Index k = begin; k < end; ++k) {
      const Index joint = s.nodes[k].joint;
      if (joint < 0) continue;
      s.second_order[joint] = {}, s.mass_weighted_spin[joint] = s.rattle[k].spin;
      for (int r = 0; r < n; ++r) s.impulse[joint][r] = s.rattle[k].leaving.at[r];
    }
    return false;
  }

  // To where velocities bring them.
  RTSIM_HD void fly(double h) {
    for (Index k = begin; k < end; ++k) {
      if (s.nodes[k].body < 0) continue;
      RattleState<D>& f = s.rattle[k];
      f.to = f.from, f.spin = spin_of(k);
      for (int a = 0; a < D; ++a) f.to.x[a] += h * s.twist[k].at[a];
      fly_round(h, weight(k).moments, f.to.q, f.spin);
    }
  }
  RTSIM_HD VecT<double, D> velocity_at(Index node, const VecT<double, D>& arm) const {
    VecT<double, D> v = turning(spin_of(node), arm);
    for (int a = 0; a < D; ++a) v[a] += s.twist[node].at[a];
    return v;
  }
  RTSIM_HD Spin<D> spin_of(Index node) const {
    Spin<D> w;
    for (int a = 0; a < spins<D>; ++a) w[a] = s.twist[node].at[D + a];
    return w;
  }
  RTSIM_HD Place<D> place(Index node, bool flown) const {
    if (node < 0) return origin(static_cast<Place<D>*>(nullptr));
    return flown ? s.rattle[node].to : s.rattle[node].from;
  }
  RTSIM_HD JointPose<D> pose(Index joint, bool flown) const {
    const JointLink& l = s.links[joint];
    return {s.joints[joint], place(l.node_a, flown), place(l.node_b, flown)};
  }
  // Velocities that bring bodies where joints hold, C(x(h, v)) = 0, by Newton's method with the
  // matrix of the start, each round of which leaves about the share of the error that bodies turn
  // by [rad]. Whether they were found.
  RTSIM_HD bool hold_places(JointSolve how, bool undriven) {
    constexpr int rounds = 20;
    double open = turns_little(how.h) ? 0 : look_ahead(how.h);
    for (int round = 0; round < rounds; ++round) {
      answer_all(how, undriven), how.again = true;
      if (turns_little(how.h)) return true;
      const double left = look_ahead(how.h);
      if (left <= enough) return true;
      if (round > 0 && !(left < open)) break;
      open = left;
    }
    return false;
  }
  static constexpr double enough = 1e-7;  // of arms: as velocities round
  // What is not linear in turns, and in shifts along axes that turn, is less than that: each is at
  // most the product of two of them.
  RTSIM_HD bool turns_little(double h) const {
    for (Index k = begin; k < end; ++k)
      if (!(h * h * square_of_turn(k) < enough)) return false;
    return true;
  }
  // [1/s^2]
  RTSIM_HD double square_of_turn(Index node) const {
    const Index joint = s.nodes[node].joint;
    const Spin<D> w = joint < 0 ? spin_of(node) : Spin<D>{};
    if (joint < 0) return dot(w, w);
    if (!(length_of(joint) > 0)) return 0;
    const JointLink& l = s.links[joint];
    VecT<double, D> v = velocity_at(l.node_b, s.arms[joint].b);
    if (l.node_a >= 0) v = v - velocity_at(l.node_a, s.arms[joint].a);
    const double size = reach(joint), length = length_of(joint);
    return dot(v, v) / (length < size ? length * length : size * size);
  }
  // What a distance holds apart; of sliders infinite, and of others nothing [m].
  RTSIM_HD double length_of(Index joint) const {
    const Joint<D>& j = s.joints[joint];
    if (j.kind == JointKind::distance) return row(joint, 0).value + (j.stays ? j.length : 0);
    return j.kind == JointKind::slider ? 1e300 : 0;
  }
  // What joints will be off by, as in gap(), but for what they give; what of that is not linear
  // goes into the equations.
  RTSIM_HD double look_ahead(double h) {
    fly(h);
    double most = 0;
    for (Index k = begin; k < end; ++k) {
      const Index joint = s.nodes[k].joint;
      if (joint < 0) continue;
      JointRows<D> rows;
      fill_rows(s.joints[joint], pose(joint, true), s.coordinate[joint][0], rows);
      const double size = reach(joint);
      for (int r = 0; r < n; ++r) {
        JointRow<D> e = row(joint, r);
        if (e.mode == JointRow<D>::absent) continue;
        s.second_order[joint].at[r] = (rows.row[r].value - e.value) / h - speed(joint, r, s.twist);
        e.value = rows.row[r].value;
        if (holds(joint, e)) e.value += h * e.compliance * s.impulse[joint][r];
        most = larger(most, off(joint, e, size));
      }
    }
    return most;
  }
  // To arms and radii of gyration, or [rad].
  RTSIM_HD double gap() const {
    double most = 0;
    for (Index k = begin; k < end; ++k) {
      const Index joint = s.nodes[k].joint;
      const double size = joint < 0 ? 0 : reach(joint);
      for (int r = 0; joint >= 0 && r < n; ++r)
        most = larger(most, off(joint, row(joint, r), size));
    }
    return most;
  }
  RTSIM_HD double off(Index joint, const JointRow<D>& e, double size) const {
    if (e.mode == JointRow<D>::absent) return 0;
    double by = std::abs(e.value);
    if (e.mode == JointRow<D>::driven) {
      const Drive& d = s.joints[joint].drive[e.drive];
      by = larger(0, larger(d.low - e.value, e.value - d.high));
    }
    return dot(e.along, e.along) > 0 ? by / size : by;
  }
  RTSIM_HD double reach(Index joint) const {
    const JointLink& l = s.links[joint];
    const double a = l.node_a < 0 ? 0 : norm(s.arms[joint].a) + weight(l.node_a).least_radius;
    return a + norm(s.arms[joint].b) + weight(l.node_b).least_radius;
  }

  // The answers of joints become part of their impulses, or are these again.
  RTSIM_HD void keep() {
    for (Index k = begin; k < end; ++k)
      for (int r = 0; s.nodes[k].joint >= 0 && r < n; ++r)
        if (!is_weighed(s.nodes[k].joint, row(s.nodes[k].joint, r)))
          s.impulse[s.nodes[k].joint][r] += s.answer[k].at[r];
  }
  // Of b against a, times the root of the inertia that goes along.
  RTSIM_HD void keep_spins() {
    for (Index k = begin; k < end; ++k) {
      const Index joint = s.nodes[k].joint;
      if (joint < 0) continue;
      const JointLink& l = s.links[joint];
      const double root = std::sqrt(s.geometric_stiffness[joint].inertia);
      for (int a = 0; a < spins<D>; ++a) {
        const double of_a = l.node_a >= 0 ? s.twist[l.node_a].at[D + a] : 0;
        s.mass_weighted_spin[joint][a] = root * (s.twist[l.node_b].at[D + a] - of_a);
      }
    }
  }
  RTSIM_HD void recall() {
    for (Index k = begin; k < end; ++k)
      for (int r = 0; s.nodes[k].joint >= 0 && r < n; ++r)
        s.answer[k].at[r] = s.impulse[s.nodes[k].joint][r];
  }
  RTSIM_HD void forget() {
    for (Index k = begin; k < end; ++k)
      if (s.nodes[k].joint >= 0) s.impulse[s.nodes[k].joint] = {};
  }

  // Bodies get the impulses that joints answer, each and its opposite: what rounding there is in
  // the answers does not change their momentum.
  RTSIM_HD void add_up() {
    for (Index k = begin; k < end; ++k)
      for (int r = 0; s.nodes[k].body >= 0 && r < n; ++r) s.answer[k].at[r] = 0;
    for (Index k = begin; k < end; ++k)
      for (int r = 0; s.nodes[k].joint >= 0 && r < n; ++r)
        pass(s.nodes[k].joint, r, s.answer[k].at[r]);
  }
  RTSIM_HD void apply_impulses() {
    for (Index k = begin; flies && k < end; ++k) {
      const Index joint = s.nodes[k].joint;
      for (int r = 0; joint >= 0 && r < n; ++r)
        add(row(joint, r), s.arms[joint], s.answer[k].at[r], s.rattle_impulse[joint]);
    }
    add_up();
    for (Index k = begin; k < end; ++k)
      if (s.nodes[k].body >= 0) speed_up(k);
  }
  RTSIM_HD void speed_up(Index node) {
    const Weight<D>& w = weight(node);
    const Spin<D> turn = turn_asked(node);
    for (int a = 0; a < D; ++a) s.twist[node].at[a] += w.inverse_mass * s.answer[node].at[a];
    for (int a = 0; a < spins<D>; ++a) s.twist[node].at[D + a] += turn[a];
  }
  RTSIM_HD Spin<D> turn_asked(Index node) const {
    Spin<D> l;
    for (int a = 0; a < spins<D>; ++a) l[a] = s.answer[node].at[D + a];
    return product(weight(node).inverse_inertia, l);
  }
  // What contacts have given since then stays a body's push.
  RTSIM_HD void store() {
    for (Index k = begin; k < end; ++k) {
      const Index body = s.nodes[k].body;
      if (body < 0) continue;
      SolverBody<D, Real> m = solver_body(body);
      const Twist<D, Real> given{m.twist.velocity - pushes[body].since.velocity,
                                 m.twist.angular - pushes[body].since.angular};
      for (int a = 0; a < D; ++a) m.twist.velocity[a] = Real(s.twist[k].at[a]);
      for (int a = 0; a < spins<D>; ++a) m.twist.angular[a] = Real(s.twist[k].at[D + a]);
      pushes[body].since = {m.twist.velocity - given.velocity, m.twist.angular - given.angular};
      const Index first = solver_body_rows<D> * body;
      store_twist(solver_bodies, &first, m);
    }
  }
};

}  // namespace rtsim::rigid
