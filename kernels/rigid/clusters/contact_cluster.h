#pragma once
#include "rigid/clusters/contact_clusters.h"
#include "rigid/clusters/direct_contact.h"

namespace rtsim::rigid {

// The equations of one group, with P >= 0 and v + bias + soft P >= 0 of points, of which one is
// zero: a linear complementarity problem. Block principal pivoting: all points that are on the
// wrong side change it at once; where that does not lead on, the last one does, which always ends
// (Judice & Pires, "A block principal pivoting algorithm for large-scale strictly monotone linear
// complementarity problems", Computers & Operations Research 21, 1994). Then friction that its
// limit does not hold is given what it was, within the limit, and all is solved again. One worker
// takes a group.
template <int D>
struct ContactCluster {
  Clusters<D> all;
  ContactBlock<D>* blocks;
  Row4* solver_bodies;
  Index group;
  LcpRow<D>* rows = nullptr;
  Index n = 0;

  // The lower triangle within its envelope: from a row's first on. No line is empty, so what begins
  // at `begin` lies behind as many numbers at least as the row has none for.
  RTSIM_HD double* line(Index r) const {
    return all.numbers.data + all.first_number[group] + (rows[r].begin - rows[r].first);
  }
  RTSIM_HD Index first_body() const { return all.first_body[group]; }
  RTSIM_HD Index end_body() const { return all.first_body[group + 1]; }
  RTSIM_HD Index body_of(Index solver_body) const {
    for (Index k = first_body(); k < end_body(); ++k)
      if (all.bodies[k].solver_body == solver_body) return k;
    return -1;
  }

  template <class LawOf>
  RTSIM_HD void gather(const LawOf& law_of) {
    rows = all.rows.data + Clusters<D>::most_rows * all.first_slot[group];
    for (Index k = all.first_slot[group]; k < all.first_slot[group + 1]; ++k) {
      const Index slot = all.slots[k], l = slot % lane_count;
      const ContactBlock<D>& b = blocks[slot / lane_count];
      LcpRow<D> blank{};
      blank.slot = slot;
      blank.body[0] = body_of(b.i[l]), blank.body[1] = body_of(b.j[l]);
      const auto law = law_of(slot);
      n = DirectContact(law, b, l, solver_bodies, blank).gather(rows, n);
    }
    for (Index k = first_body(); k < end_body(); ++k) all.bodies[k].first = n;
    for (Index r = 0, begin = 0; r < n; ++r) {
      rows[r].first = r;
      for (const Index k : rows[r].body) {
        if (k < 0) continue;
        all.bodies[k].first = min(all.bodies[k].first, r);
        rows[r].first = min(rows[r].first, all.bodies[k].first);
      }
      rows[r].begin = begin, begin += r - rows[r].first + 1;
    }
  }

  // ---- equations of rows whose change is not given ----
  RTSIM_HD void assemble() {
    for (Index r = 0; r < n; ++r) rows[r].change = rows[r].known ? rows[r].change : rows[r].asked;
    for (Index r = 0; r < n; ++r) {
      LcpRow<D>& a = rows[r];
      for (Index s = a.first; s < r; ++s) {
        LcpRow<D>& o = rows[s];
        line(r)[s] = 0;
        if (a.known && o.known) continue;
        const double v = a.by(o);
        if (!a.known && !o.known) line(r)[s] = v;
        if (a.known) o.change -= v * a.change;
        if (o.known) a.change -= v * o.change;
      }
      line(r)[r] = a.known ? 1 : a.by(a) + a.soft;
    }
  }
  // In four sums, so that none waits for the one before.
  RTSIM_HD static double product(const double* a, const double* o, Index from, Index to) {
    double sums[4] = {};
    for (; from + 4 <= to; from += 4)
      for (int l = 0; l < 4; ++l) sums[l] += a[from + l] * o[from + l];
    for (; from < to; ++from) sums[0] += a[from] * o[from];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  // L D L^T in place, within its envelope, and both substitutions.
  RTSIM_HD void eliminate() {
    for (Index r = 0; r < n; ++r) {
      double* const a = line(r);
      const Index from = rows[r].first;
      for (Index s = from; s < r; ++s) {
        const double* const o = line(s);
        a[s] -= product(a, o, max(from, rows[s].first), s);
      }
      for (Index s = from; s < r; ++s) {
        const double l = a[s] / line(s)[s];
        a[r] -= l * a[s], a[s] = l;
        rows[r].change -= l * rows[s].change;
      }
    }
    for (Index r = 0; r < n; ++r) rows[r].change /= line(r)[r];
    for (Index r = n - 1; r >= 0; --r)
      for (Index s = rows[r].first; s < r; ++s) rows[s].change -= line(r)[s] * rows[r].change;
  }
  // The changes of the bodies' twists by those of the impulses.
  RTSIM_HD void add_up() {
    for (Index k = first_body(); k < end_body(); ++k) all.bodies[k].change = {};
    for (Index r = 0; r < n; ++r)
      for (int s = 0; s < 2; ++s) {
        if (rows[r].body[s] < 0) continue;
        WideTwist<D>& change = all.bodies[rows[r].body[s]].change;
        change = change + rows[r].change * rows[r].response[s];
      }
  }

  // ---- points on the wrong side ----
  RTSIM_HD bool is_wrong(const LcpRow<D>& r, double little) const {
    if (!r.known) return r.before + r.change < -little;
    double v = r.soft * r.change - r.asked;
    for (int s = 0; s < 2; ++s)
      if (r.body[s] >= 0) v += dot(r.along[s], all.bodies[r.body[s]].change);
    return v < -little * r.own();
  }
  RTSIM_HD Index count_wrong() {
    add_up();
    double most = 0;
    for (Index r = 0; r < n; ++r) most = max(most, rows[r].before);
    Index count = 0;
    for (Index r = 0; r < n; ++r) {
      rows[r].wrong = rows[r].at < direct_points<D> && is_wrong(rows[r], 1e-7 * most);
      count += rows[r].wrong;
    }
    return count;
  }
  RTSIM_HD void exchange(bool last_only) {
    for (Index r = n - 1; r >= 0; --r) {
      LcpRow<D>& a = rows[r];
      if (!a.wrong) continue;
      a.known = !a.known, a.change = -a.before;
      if (last_only) return;
    }
  }
  RTSIM_HD bool solve_points() {
    constexpr int most_rounds = 1000;
    Index least = n + 1;
    int left = 3;
    for (int round = 0; round < most_rounds; ++round) {
      assemble(), eliminate();
      const Index wrong = count_wrong();
      if (wrong == 0) return true;
      if (wrong < least)
        least = wrong, left = 3;
      else
        --left;
      exchange(left < 0);
    }
    return false;
  }

  // ---- friction ----
  // Of rows of one contact, from r on, to where the next begins: its pressure and friction.
  RTSIM_HD Index read(Index r, Real& pressure, FrictionImpulse<D>& before,
                      FrictionImpulse<D>& q) const {
    const Index slot = rows[r].slot;
    pressure = 0;
    before = q = lane<Real>(blocks[slot / lane_count].friction, slot % lane_count);
    for (; r < n && rows[r].slot == slot; ++r) {
      const double p = rows[r].before + rows[r].change;
      if (rows[r].at < direct_points<D>) pressure += Real(max(p, 0.0));
      if (rows[r].at >= direct_points<D>) q[rows[r].at - direct_points<D>] = Real(p);
    }
    return r;
  }
  template <class LawOf>
  RTSIM_HD bool let_slide(const LawOf& law_of) {
    bool any = false;
    for (Index r = 0, next = 0; r < n; r = next) {
      Real pressure;
      FrictionImpulse<D> before, q;
      next = read(r, pressure, before, q);
      const LcpRow<D>& last = rows[next - 1];
      if (last.at < direct_points<D>) continue;
      const ContactBlock<D>& b = blocks[last.slot / lane_count];
      const Index l = last.slot % lane_count;
      const auto law = law_of(last.slot);
      // Given friction stays within the limit of the pressures that it brings about. While contacts
      // relax it stays what it was: what jams would else gain by every answer.
      const FrictionImpulse<D> may =
          law.relaxes ? before : allowed_friction(law, b, l, last.known ? q : before, pressure);
      const bool holds = last.known ? law.relaxes || !(dot(q, q) > Real(1.01) * dot(may, may))
                                    : sticks(law, b, l, q, pressure);
      if (holds) continue;
      for (Index s = r; s < next; ++s) {
        if (rows[s].at < direct_points<D>) continue;
        rows[s].known = any = true;
        rows[s].change = double(may[rows[s].at - direct_points<D>]) - rows[s].before;
      }
    }
    return any;
  }

  // ---- back ----
  RTSIM_HD void apply_impulses() {
    for (Index r = 0; r < n; ++r) {
      ContactBlock<D>& b = blocks[rows[r].slot / lane_count];
      const Index l = rows[r].slot % lane_count;
      const int e = rows[r].at - direct_points<D>;
      if (e < 0) rows[r].change = max(rows[r].change, -rows[r].before);
      (e < 0 ? b.point[rows[r].at].impulse[l] : b.friction[e][l]) =
          Real(rows[r].before + rows[r].change);
    }
    add_up();
    for (Index k = first_body(); k < end_body(); ++k) {
      const ClusterBody<D>& body = all.bodies[k];
      SolverBody<D, Real> m;
      load_solver_body(solver_bodies, &body.solver_body, m);
      const WideTwist<D> t = WideSolverBody<D>(m).twist + body.change;
      for (int a = 0; a < D; ++a) m.twist.velocity[a] = Real(t[a]);
      for (int a = D; a < freedoms<D>; ++a) m.twist.angular[a - D] = Real(t[a]);
      store_twist(solver_bodies, &body.solver_body, m);
    }
  }

  // ---- loads ----
  // The part of the impulses that stops bodies, without taking overlaps back. The rest is of
  // overlaps alone, as of a ball that is wedged between walls. Friction that slides is looked for
  // as well: what it is, is a part of the pressure that wedges, which would bear itself.
  RTSIM_HD void weigh() {
    constexpr double least_soft = 1e-9;  // what bears 1e7 times its own mass would notice more
    for (Index r = 0; r < n; ++r) rows[r].known &= rows[r].at < direct_points<D>;
    for (Index k = first_body(); k < end_body(); ++k) all.bodies[k].change = {};
    for (Index r = 0; r < n; ++r)
      for (int s = 0; s < 2; ++s)
        if (rows[r].body[s] >= 0 && !rows[r].known) {
          WideTwist<D>& change = all.bodies[rows[r].body[s]].change;
          change = change + rows[r].before * rows[r].response[s];
        }
    for (Index r = 0; r < n; ++r) {
      LcpRow<D>& a = rows[r];
      if (a.known) continue;
      a.asked = a.still, a.soft = least_soft * a.own();
      for (int s = 0; s < 2; ++s)
        if (a.body[s] >= 0) a.asked += dot(a.along[s], all.bodies[a.body[s]].change);
    }
    assemble(), eliminate();
    constexpr Real known = Real(1e-30);  // 0: not weighed yet
    for (Index k = all.first_slot[group]; k < all.first_slot[group + 1]; ++k)
      blocks[all.slots[k] / lane_count].borne[all.slots[k] % lane_count] = known;
    for (Index r = 0, next = 0; r < n; r = next) {
      const Index slot = rows[r].slot;
      double borne = 0;
      for (next = r; next < n && rows[next].slot == slot; ++next)
        if (rows[next].at < direct_points<D> && !rows[next].known) borne += rows[next].change;
      blocks[slot / lane_count].borne[slot % lane_count] = max(Real(borne), known);
    }
  }

  // Friction may make pressure, and pressure friction, without end: then there is none here.
  RTSIM_HD void let_all_slide() {
    for (Index r = 0; r < n; ++r)
      if (rows[r].at >= direct_points<D>) rows[r].known = true, rows[r].change = -rows[r].before;
  }

  template <class LawOf>
  RTSIM_HD void solve(const LawOf& law_of) {
    gather(law_of);
    constexpr int most_rounds = 20;
    bool solved = solve_points();
    for (int round = 0; solved && let_slide(law_of); ++round) {
      if (round == most_rounds) let_all_slide();
      solved = solve_points();
      if (round == most_rounds) break;
    }
    if (!solved) return;  // left to the passes
    apply_impulses();
    if (all.weighs) weigh();
  }
};

}  // namespace rtsim::rigid
