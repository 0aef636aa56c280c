#include "cloth_implicit/hold.h"
#include "exec/parallel.h"
#include "mass_spring/network.h"

namespace rtsim::cloth {

namespace {

using contact::Touch;
using mass_spring::row;
using mass_spring::vec;

RTSIM_HD Vec<3> across(const Vec<3>& v, const Vec<3>& n) { return v - dot(n, v) * n; }

struct Grip {
  Span<const Touch> touches;
  Span<const Vec<3>> velocity;
  Real friction, slow;
  Span<Hold> holds;
  RTSIM_HD void operator()(Index i) const {
    const Touch& t = touches[i];
    Hold& to = holds[i];
    to = {t.normal, t.velocity, {}, Hold::Kind::none};
    if (!t.any()) return;
    const bool sticks = friction > 0 && norm(across(velocity[i] - t.velocity, t.normal)) <= slow;
    to.kind = sticks ? Hold::Kind::stuck : Hold::Kind::slides;
  }
};

struct Follow {
  Span<const Hold> holds;
  Span<const Vec<3>> velocity;
  Span<Row4> dv;
  RTSIM_HD void operator()(Index i) const {
    dv[i] = {};
    if (i >= holds.size || holds[i].kind == Hold::Kind::none) return;
    const Hold& t = holds[i];
    const Vec<3> change = t.velocity - velocity[i];
    dv[i] = row(t.kind == Hold::Kind::stuck ? change : dot(t.normal, change) * t.normal);
  }
};

struct Revise {
  Revision k;

  RTSIM_HD Index operator()(Index i) const {
    Hold& t = k.holds[i];
    if (t.kind == Hold::Kind::none) return 0;
    const Vec<3> reaction = -vec(k.r[i]);
    const Real push = dot(t.normal, reaction);
    if (push < 0) return change(i, t, Hold::Kind::none, {});
    const Real most = k.friction * push;
    if (t.kind == Hold::Kind::stuck) {
      const Vec<3> rub = across(reaction, t.normal);
      const Real size = norm(rub);
      return size > most ? change(i, t, Hold::Kind::slides, most / size * rub) : 0;
    }
    const Vec<3> way = across(k.velocity[i] + vec(k.dv[i]) - t.velocity, t.normal);
    const Real speed = norm(way);
    if (!(speed > 0 && most > 0)) return 0;
    if (dot(t.friction, way) > 0) {
      k.dv[i] = row(t.velocity - k.velocity[i]);
      return change(i, t, Hold::Kind::stuck, {});
    }
    const bool first = t.friction == Vec<3>{};
    change(i, t, Hold::Kind::slides, -(most / speed) * way);
    return first;
  }

  RTSIM_HD Index change(Index i, Hold& t, Hold::Kind kind, const Vec<3>& friction) const {
    k.b[i] = row(vec(k.b[i]) + (friction - t.friction));
    t.kind = kind, t.friction = friction;
    return 1;
  }
};

struct React {
  Span<const Hold> holds;
  Span<const Row4> r;
  Span<Vec<3>> impulse;
  RTSIM_HD void operator()(Index i) const {
    const Hold& t = holds[i];
    impulse[i] = t.kind == Hold::Kind::none ? Vec<3>{} : t.friction - vec(r[i]);
  }
};

struct WorkOfBoundaries {
  Span<const Hold> holds;
  Span<const Touch> touches;
  Index boundaries;
  Span<const Vec<3>> impulse;
  RTSIM_HD double operator()(Index i) const {
    if (holds[i].kind == Hold::Kind::none || touches[i].solid >= boundaries) return 0;
    return dot(widen(holds[i].velocity), widen(impulse[i]));
  }
};

}  // namespace

double work_of_boundaries(const Exec& ex, Span<const Hold> holds, Span<const Touch> touches,
                          Index boundaries, Span<const Vec<3>> impulse) {
  return reduce(ex, "cloth.work_of_boundaries", holds.size, 0.0,
                WorkOfBoundaries{holds, touches, boundaries, impulse}, Plus{});
}

void reactions(const Exec& ex, Span<const Hold> holds, Span<const Row4> r, Span<Vec<3>> impulse) {
  parallel_for(ex, "cloth.react", holds.size, React{holds, r, impulse});
}

void grip(const Exec& ex, Span<const Touch> touches, Span<const Vec<3>> velocity, Real friction,
          Real slow, Span<Hold> holds) {
  parallel_for(ex, "cloth.grip", holds.size, Grip{touches, velocity, friction, slow, holds});
}

void follow(const Exec& ex, Span<const Hold> holds, Span<const Vec<3>> velocity, Span<Row4> dv) {
  parallel_for(ex, "cloth.follow", dv.size, Follow{holds, velocity, dv});
}

Index revise(const Exec& ex, const Revision& k) {
  return reduce(ex, "cloth.revise", k.holds.size, Index(0), Revise{k}, Plus{});
}

}  // namespace rtsim::cloth
