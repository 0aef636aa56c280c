#include "attach/reactions.h"

#include "exec/parallel.h"

namespace rtsim::attach {

namespace {

struct Push {
  HeldPoints p;
  Real scale;
  Span<const Row4> left;
  Loads loads;
  RTSIM_HD Vec<3> on(Index i) const {
    const Row4 r = left[i];
    const Vec<3> push = scale * Vec<3>{{r.x, r.y, r.z}} + (loads.h * p.mass[i]) * loads.gravity;
    return loads.force.size > 0 ? push + loads.h * loads.force[i] : push;
  }
};

struct React {
  Push push;
  Span<Vec<3>> sum;
  RTSIM_HD void operator()(Index i) const {
    if (!(push.p.inverse_mass[i] > 0)) sum[i] = sum[i] - push.on(i);
  }
};

struct WorkOf {
  Push push;
  RTSIM_HD double operator()(Index i) const {
    if (push.p.inverse_mass[i] > 0) return 0;
    return -dot(widen(push.on(i)), widen(push.p.velocity[i]));
  }
};

struct Conclude {
  HeldPoints p;
  Span<const Vec<3>> sum;
  Span<Vec<3>> load, R;
  RTSIM_HD void operator()(Index i) const {
    R[i] = p.inverse_mass[i] > 0 ? Vec<3>{} : sum[i] - load[i];
    load[i] = {};
  }
};

struct HeldRow {
  Span<const Index> rows;
  Span<const Vec<3>> before;
  Span<const std::uint32_t> holders;
  HeldPoints p;
  Span<const Vec<3>> R, velocity;
  RTSIM_HD Held operator()(Index k) const {
    const Index i = rows[k];
    const double share = 1 / double(holders[i] > 1 ? holders[i] : 1), m = double(p.mass[i]);
    const VecT<double, 3> v0 = widen(before[k]), v = widen(velocity[i]), r = widen(R[i]);
    Held h;
    for (int a = 0; a < 3; ++a) h.impulse[a] = share * (r[a] + m * (v[a] - v0[a]));
    h.work = share * (dot(r, v) + 0.5 * m * (dot(v, v) - dot(v0, v0)));
    return h;
  }
};
struct AddHeld {
  RTSIM_HD Held operator()(Held a, const Held& b) const {
    for (int k = 0; k < 3; ++k) a.impulse[k] += b.impulse[k];
    a.work += b.work;
    return a;
  }
};

struct Remember {
  Span<const Index> rows;
  Span<const Vec<3>> velocity;
  Span<Vec<3>> before;
  RTSIM_HD void operator()(Index k) const { before[k] = velocity[rows[k]]; }
};

}  // namespace

void react(const Exec& ex, const HeldPoints& p, Real scale, Span<const Row4> left,
           const Loads& loads, Span<Vec<3>> sum) {
  parallel_for(ex, "attach.react", sum.size, React{{p, scale, left, loads}, sum});
}
double work(const Exec& ex, const HeldPoints& p, Real scale, Span<const Row4> left,
            const Loads& loads) {
  return reduce(ex, "attach.work", p.mass.size, 0.0, WorkOf{{p, scale, left, loads}}, Plus{});
}
void conclude(const Exec& ex, const HeldPoints& p, Span<const Vec<3>> sum, Span<Vec<3>> load,
              Span<Vec<3>> R) {
  parallel_for(ex, "attach.conclude", R.size, Conclude{p, sum, load, R});
}

Held held(const Exec& ex, Span<const Index> rows, Span<const Vec<3>> before,
          Span<const std::uint32_t> holders, const HeldPoints& p, Span<const Vec<3>> R,
          Span<const Vec<3>> velocity) {
  return reduce(ex, "attach.held", rows.size, Held{},
                HeldRow{rows, before, holders, p, R, velocity}, AddHeld{});
}

void remember(const Exec& ex, Span<const Index> rows, Span<const Vec<3>> velocity,
              Span<Vec<3>> before) {
  parallel_for(ex, "attach.remember", rows.size, Remember{rows, velocity, before});
}

}  // namespace rtsim::attach
