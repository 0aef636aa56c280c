#include "contact/respond.h"

#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

struct FindImpulse {
  Span<const Real> w;
  Span<const Vec<3>> before, after;
  Real s;
  Span<Vec<3>> impulse;
  RTSIM_HD double operator()(Index i) const {
    impulse[i] = Vec<3>{};
    if (!(w[i] > 0)) return 0;
    const Vec<3> change = s * (after[i] - before[i]);
    impulse[i] = Real(1) / w[i] * change;
    return dot(widen(impulse[i]), widen(change));
  }
};

struct RespondAlone {
  Span<const Real> w;
  Span<const Vec<3>> impulse;
  Span<Vec<3>> change;
  RTSIM_HD void operator()(Index i) const { change[i] = w[i] * impulse[i]; }
};

struct Work {
  Span<const Vec<3>> impulse, v;
  RTSIM_HD double operator()(Index i) const { return dot(widen(impulse[i]), widen(v[i])); }
};

struct TakeRound {
  Round round;
  Real s, h;
  Span<Vec<3>> x, v, total;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> d = s * round.change[i];
    v[i] = v[i] + d;
    x[i] = x[i] + h * d;
    total[i] = total[i] + s * round.impulse[i];
  }
};

}  // namespace

double find_impulses(const Exec& ex, Span<const Real> w, Span<const Vec<3>> before,
                     Span<const Vec<3>> after, Real s, Span<Vec<3>> impulse) {
  return reduce(ex, "contact.impulses", impulse.size, 0., FindImpulse{w, before, after, s, impulse},
                Plus{});
}

void respond_alone(const Exec& ex, Span<const Real> w, Span<const Vec<3>> impulse,
                   Span<Vec<3>> change) {
  parallel_for(ex, "contact.respond", change.size, RespondAlone{w, impulse, change});
}

double work(const Exec& ex, Span<const Vec<3>> impulse, Span<const Vec<3>> v) {
  return reduce(ex, "contact.work", v.size, 0., Work{impulse, v}, Plus{});
}

void take_round(const Exec& ex, const Round& round, Real s, Real h, Span<Vec<3>> x, Span<Vec<3>> v,
                Span<Vec<3>> total) {
  parallel_for(ex, "contact.round", x.size, TakeRound{round, s, h, x, v, total});
}

}  // namespace rtsim::contact
