#include "cloth_implicit/contact_constraint.h"

#include "exec/parallel.h"
#include "mass_spring/network.h"

namespace rtsim::cloth {

namespace {

using contact::PointContact;
using mass_spring::row;
using mass_spring::vec;

RTSIM_HD Vec<3> across(const Vec<3>& v, const Vec<3>& n) { return v - dot(n, v) * n; }

struct InitialActiveSet {
  Span<const PointContact> contacts;
  Span<const Vec<3>> velocity;
  Real friction, slow;
  Span<ContactConstraint> constraints;
  RTSIM_HD void operator()(Index i) const {
    const PointContact& t = contacts[i];
    ContactConstraint& to = constraints[i];
    to = {t.normal, t.velocity, {}, ContactConstraint::Kind::none};
    if (!t.any()) return;
    const bool sticks = friction > 0 && norm(across(velocity[i] - t.velocity, t.normal)) <= slow;
    to.kind = sticks ? ContactConstraint::Kind::stuck : ContactConstraint::Kind::slides;
  }
};

struct ConstrainedChange {
  Span<const ContactConstraint> constraints;
  Span<const Vec<3>> velocity;
  Span<Row4> dv;
  RTSIM_HD void operator()(Index i) const {
    dv[i] = {};
    if (i >= constraints.size || constraints[i].kind == ContactConstraint::Kind::none) return;
    const ContactConstraint& t = constraints[i];
    const Vec<3> change = t.velocity - velocity[i];
    dv[i] =
        row(t.kind == ContactConstraint::Kind::stuck ? change : dot(t.normal, change) * t.normal);
  }
};

struct UpdateActiveSet {
  ActiveSetUpdate k;

  RTSIM_HD Index operator()(Index i) const {
    ContactConstraint& t = k.constraints[i];
    if (t.kind == ContactConstraint::Kind::none) return 0;
    const Vec<3> reaction = -vec(k.r[i]);
    const Real push = dot(t.normal, reaction);
    if (push < 0) return change(i, t, ContactConstraint::Kind::none, {});
    const Real most = k.friction * push;
    if (t.kind == ContactConstraint::Kind::stuck) {
      const Vec<3> friction = across(reaction, t.normal);
      const Real size = norm(friction);
      return size > most ? change(i, t, ContactConstraint::Kind::slides, most / size * friction)
                         : 0;
    }
    const Vec<3> way = across(k.velocity[i] + vec(k.dv[i]) - t.velocity, t.normal);
    const Real speed = norm(way);
    if (!(speed > 0 && most > 0)) return 0;
    if (dot(t.friction, way) > 0) {
      k.dv[i] = row(t.velocity - k.velocity[i]);
      return change(i, t, ContactConstraint::Kind::stuck, {});
    }
    const bool first = t.friction == Vec<3>{};
    change(i, t, ContactConstraint::Kind::slides, -(most / speed) * way);
    return first;
  }

  RTSIM_HD Index change(Index i, ContactConstraint& t, ContactConstraint::Kind kind,
                        const Vec<3>& friction) const {
    k.b[i] = row(vec(k.b[i]) + (friction - t.friction));
    t.kind = kind, t.friction = friction;
    return 1;
  }
};

struct FindReaction {
  Span<const ContactConstraint> constraints;
  Span<const Row4> r;
  Span<Vec<3>> impulse;
  RTSIM_HD void operator()(Index i) const {
    const ContactConstraint& t = constraints[i];
    impulse[i] = t.kind == ContactConstraint::Kind::none ? Vec<3>{} : t.friction - vec(r[i]);
  }
};

struct WorkOfBoundaries {
  Span<const ContactConstraint> constraints;
  Span<const PointContact> contacts;
  Index boundaries;
  Span<const Vec<3>> impulse;
  RTSIM_HD double operator()(Index i) const {
    if (constraints[i].kind == ContactConstraint::Kind::none || contacts[i].solid >= boundaries)
      return 0;
    return dot(widen(constraints[i].velocity), widen(impulse[i]));
  }
};

}  // namespace

double work_of_boundaries(const Exec& ex, Span<const ContactConstraint> constraints,
                          Span<const PointContact> contacts, Index boundaries,
                          Span<const Vec<3>> impulse) {
  return reduce(ex, "cloth.work_of_boundaries", constraints.size, 0.0,
                WorkOfBoundaries{constraints, contacts, boundaries, impulse}, Plus{});
}

void reactions(const Exec& ex, Span<const ContactConstraint> constraints, Span<const Row4> r,
               Span<Vec<3>> impulse) {
  parallel_for(ex, "cloth.react", constraints.size, FindReaction{constraints, r, impulse});
}

void initial_active_set(const Exec& ex, Span<const PointContact> contacts,
                        Span<const Vec<3>> velocity, Real friction, Real slow,
                        Span<ContactConstraint> constraints) {
  parallel_for(ex, "cloth.grip", constraints.size,
               InitialActiveSet{contacts, velocity, friction, slow, constraints});
}

void constrained_change(const Exec& ex, Span<const ContactConstraint> constraints,
                        Span<const Vec<3>> velocity, Span<Row4> dv) {
  parallel_for(ex, "cloth.follow", dv.size, ConstrainedChange{constraints, velocity, dv});
}

Index update_active_set(const Exec& ex, const ActiveSetUpdate& k) {
  return reduce(ex, "cloth.revise", k.constraints.size, Index(0), UpdateActiveSet{k}, Plus{});
}

}  // namespace rtsim::cloth
