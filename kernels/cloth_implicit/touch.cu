#include "cloth_implicit/cloth_implicit.h"
#include "exec/parallel.h"

namespace rtsim::cloth {

namespace {

using contact::Touch;
using mass_spring::row;
using mass_spring::vec;

struct Follow {
  Points p;
  Span<const Touch> touches;
  Span<Row4> dv;
  RTSIM_HD void operator()(Index i) const {
    dv[i] = {};
    if (i >= touches.size || !touches[i].any()) return;
    const Touch& t = touches[i];
    dv[i] = row(dot(t.normal, t.velocity - p.velocity[i]) * t.normal);
  }
};

struct LetGo {
  Span<const Row4> r;
  Span<Touch> touches;
  RTSIM_HD Index operator()(Index i) const {
    if (!touches[i].any() || dot(touches[i].normal, vec(r[i])) <= 0) return 0;
    touches[i] = {};
    return 1;
  }
};

struct Rub {
  Points p;
  Span<const Touch> touches;
  Real friction;
  Span<const Row4> r;
  Span<Row4> v;
  RTSIM_HD void operator()(Index i) const {
    const Touch& t = touches[i];
    if (!t.any()) return;
    const Real impulse = -dot(t.normal, vec(r[i]));
    const Vec<3> over = vec(v[i]) - t.velocity, along = over - dot(t.normal, over) * t.normal;
    const Real speed = norm(along), lost = friction * impulse * p.inverse_mass[i];
    if (!(impulse > 0 && speed > 0)) return;
    v[i] = row(vec(v[i]) - (lost < speed ? lost / speed : Real(1)) * along);
  }
};

}  // namespace

void follow(const Exec& ex, const Points& p, Span<const Touch> touches, Span<Row4> dv) {
  parallel_for(ex, "cloth.follow", dv.size, Follow{p, touches, dv});
}

Index let_go(const Exec& ex, Span<const Row4> r, Span<Touch> touches) {
  return reduce(ex, "cloth.let_go", touches.size, Index(0), LetGo{r, touches}, Plus{});
}

void rub(const Exec& ex, const Points& p, Span<const Touch> touches, Real friction,
         Span<const Row4> r, Span<Row4> v) {
  parallel_for(ex, "cloth.rub", touches.size, Rub{p, touches, friction, r, v});
}

}  // namespace rtsim::cloth
