#include "contact/push.h"

#include "contact/touching.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

RTSIM_HD Push at(const Vec<3>& place, const Vec3d& impulse) {
  return {impulse, cross(widen(place), impulse)};
}

struct OfVelocities {
  Span<const Vec<3>> before;
  Span<const Real> w;
  Span<const Vec<3>> earlier, v;
  RTSIM_HD Push operator()(Index i) const {
    if (!(w[i] > 0) || v[i] == earlier[i]) return {};
    return at(before[i], 1 / double(w[i]) * (widen(v[i]) - widen(earlier[i])));
  }
};

struct OfTouches {
  Span<const Vec<3>> before;
  Span<const Touch> touches;
  Index solid;
  Span<const Vec<3>> impulse;
  RTSIM_HD Push operator()(Index i) const {
    if (touches[i].solid != solid || !touches[i].any()) return {};
    return at(before[i], widen(impulse[i]));
  }
};

struct AddPushes {
  RTSIM_HD Push operator()(const Push& a, const Push& b) const {
    return {a.impulse + b.impulse, a.moment + b.moment};
  }
};

}  // namespace

Push push_of(const Exec& ex, Span<const Vec<3>> before, Span<const Real> w,
             Span<const Vec<3>> earlier, Span<const Vec<3>> v) {
  return reduce(ex, "contact.push_of", v.size, Push{}, OfVelocities{before, w, earlier, v},
                AddPushes{});
}

Push push_of(const Exec& ex, Span<const Vec<3>> before, Span<const Touch> touches, Index solid,
             Span<const Vec<3>> impulse) {
  return reduce(ex, "contact.push_of", touches.size, Push{},
                OfTouches{before, touches, solid, impulse}, AddPushes{});
}

}  // namespace rtsim::contact
