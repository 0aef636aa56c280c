#include "pbd/motion.h"

#include "exec/parallel.h"

namespace rtsim::pbd {

namespace {

RTSIM_HD Vec<3> xyz(const Row4& r) { return {{r.x, r.y, r.z}}; }
RTSIM_HD Row4 row(const Vec<3>& x, Real w) { return {x[0], x[1], x[2], w}; }

// a + s b, of all four numbers at once.
RTSIM_HD Row4 plus(const Row4& a, Real s, const Row4& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
}
RTSIM_HD Row4 times(Real s, const Row4& a) { return {s * a.x, s * a.y, s * a.z, s * a.w}; }

// Motion has no fourth number, so the inverse mass goes along unchanged.
RTSIM_HD Row4 settled(Real h, Real per_h, const Row4& place, const Row4& begin,
                      const Row4& motion) {
  const Row4 predicted = plus(begin, h, motion);
  return plus(motion, per_h, plus(place, -1, predicted));
}

struct Predict {
  Substep s;
  Points p;
  Moving m;
  RTSIM_HD void operator()(Index i) const {
    const Real w = p.inverse_mass[i];
    const Vec<3> x = p.position[i];
    const Vec<3> v = w > 0 ? s.kept * p.velocity[i] + s.h * s.gravity
                           : Real(1) / (s.left * s.h) * (p.target[i] - x);
    m.begin[i] = row(x, w);
    m.motion[i] = row(v, 0);
    m.place[i] = row(x + s.h * v, w);
  }
};

struct Settle {
  Substep s;
  Real per_h;
  Points p;
  Moving m;
  RTSIM_HD void operator()(Index i) const {
    const Row4 x = m.place[i];
    p.velocity[i] = xyz(x.w > 0 ? settled(s.h, per_h, x, m.begin[i], m.motion[i]) : m.motion[i]);
    p.position[i] = x.w > 0 || s.left > 1 ? xyz(x) : p.target[i];
  }
};

struct SettleAndPredict {
  Real h, per_h, kept;
  Row4 push;  // h g
  Moving m;
  RTSIM_HD void operator()(Index i) const {
    const Row4 x = m.place[i];
    Row4 v = m.motion[i];
    if (x.w > 0) v = plus(push, kept, settled(h, per_h, x, m.begin[i], v));
    m.begin[i] = x;
    m.motion[i] = v;
    m.place[i] = plus(x, h, v);
  }
};

struct PlacePoint {
  Points p;
  Span<Row4> at;
  RTSIM_HD void operator()(Index i) const { at[i] = row(p.position[i], p.inverse_mass[i]); }
};

struct Shift {
  Real h;
  Span<const Row4> from;
  Span<const Vec<3>> impulse;
  Span<Row4> to;
  RTSIM_HD void operator()(Index i) const {
    const Row4 x = from[i];
    to[i] = impulse.size == 0 ? x : plus(x, h * x.w, row(impulse[i], 0));
  }
};

struct FindVelocity {
  Real per_h;
  Span<const Row4> from, to;
  Span<Vec<3>> v;
  RTSIM_HD void operator()(Index i) const { v[i] = per_h * (xyz(to[i]) - xyz(from[i])); }
};

constexpr Index none = 0x7fffffff;
struct Astray {
  Span<const Vec<3>> velocity;
  RTSIM_HD Index operator()(Index i) const {
    const Vec<3>& v = velocity[i];
    const Real sum = v[0] + v[1] + v[2];
    return sum - sum == 0 ? none : i;
  }
};
struct Lowest {
  RTSIM_HD Index operator()(Index a, Index b) const { return a < b ? a : b; }
};

}  // namespace

void predict(const Exec& ex, const Substep& s, const Points& p, const Moving& m) {
  parallel_for(ex, "pbd.predict", m.place.size, Predict{s, p, m});
}

void settle(const Exec& ex, const Substep& s, const Points& p, const Moving& m) {
  parallel_for(ex, "pbd.settle", m.place.size, Settle{s, 1 / s.h, p, m});
}

void settle_and_predict(const Exec& ex, const Substep& s, const Moving& m) {
  const Row4 push = times(s.h, row(s.gravity, 0));
  parallel_for(ex, "pbd.settle_and_predict", m.place.size,
               SettleAndPredict{s.h, 1 / s.h, s.kept, push, m});
}

void place(const Exec& ex, const Points& p, Span<Row4> at) {
  parallel_for(ex, "pbd.place", at.size, PlacePoint{p, at});
}

void shift(const Exec& ex, Real h, Span<const Row4> from, Span<const Vec<3>> impulse,
           Span<Row4> to) {
  parallel_for(ex, "pbd.shift", to.size, Shift{h, from, impulse, to});
}

void velocities(const Exec& ex, Real h, Span<const Row4> from, Span<const Row4> to,
                Span<Vec<3>> v) {
  parallel_for(ex, "pbd.velocities", v.size, FindVelocity{1 / h, from, to, v});
}

Index first_astray(const Exec& ex, Span<const Vec<3>> velocity) {
  const Index i = reduce(ex, "pbd.watch", velocity.size, none, Astray{velocity}, Lowest{});
  return i == none ? -1 : i;
}

}  // namespace rtsim::pbd
