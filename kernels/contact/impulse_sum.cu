#include "contact/impulse_sum.h"

#include "contact/point_contact.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

RTSIM_HD ImpulseSum at(const Vec<3>& place, const Vec3d& impulse) {
  return {impulse, cross(widen(place), impulse)};
}

struct OfVelocities {
  Span<const Vec<3>> x;
  Span<const Real> w;
  Span<const Vec<3>> earlier, v;
  RTSIM_HD ImpulseSum operator()(Index i) const {
    if (!(w[i] > 0) || v[i] == earlier[i]) return {};
    return at(x[i], 1 / double(w[i]) * (widen(v[i]) - widen(earlier[i])));
  }
};

struct MarkPushed {
  Span<const Real> w;
  Span<const Vec<3>> earlier, v;
  Index mark;
  Span<Index> by;
  RTSIM_HD void operator()(Index i) const {
    if (w[i] > 0 && !(v[i] == earlier[i])) by[i] = mark;
  }
};

struct WorkOfSurface {
  Span<const Real> w;
  Span<const Vec<3>> earlier, v, x, carried;
  Real h;
  RTSIM_HD double operator()(Index i) const {
    if (!(w[i] > 0) || v[i] == earlier[i]) return 0;
    const Vec3d impulse = 1 / double(w[i]) * (widen(v[i]) - widen(earlier[i]));
    return dot(impulse, widen(carried[i]) - widen(x[i])) / double(h);
  }
};

struct OfTouches {
  Span<const Vec<3>> before;
  Span<const PointContact> contacts;
  Index solid;
  Span<const Vec<3>> impulse;
  RTSIM_HD ImpulseSum operator()(Index i) const {
    if (contacts[i].solid != solid || !contacts[i].any()) return {};
    return at(before[i], widen(impulse[i]));
  }
};

struct AddPushes {
  RTSIM_HD ImpulseSum operator()(const ImpulseSum& a, const ImpulseSum& b) const {
    return {a.impulse + b.impulse, a.moment + b.moment};
  }
};

struct OfMass {
  Span<const Vec<3>> x;
  Span<const Real> w;
  Span<const Vec<3>> earlier, v;
  Vec3d centre;
  RTSIM_HD PushedMass operator()(Index i) const {
    if (!(w[i] > 0) || v[i] == earlier[i]) return {};
    const double m = 1 / double(w[i]);
    const Vec3d r = widen(x[i]) - centre, change = widen(v[i]) - widen(earlier[i]);
    PushedMass p{{}, m * dot(widen(earlier[i]), change), 0.5 * m * dot(change, change)};
    for (int a = 0; a < 3; ++a) {
      Vec3d e;
      e[a] = 1;
      p.resists.add(m, r, e, e);
    }
    return p;
  }
};

struct AddMasses {
  RTSIM_HD PushedMass operator()(const PushedMass& a, const PushedMass& b) const {
    return {a.resists + b.resists, a.work + b.work, a.energy + b.energy};
  }
};

struct TakeShare {
  Real share;
  Span<const Vec<3>> earlier;
  Span<Vec<3>> now;
  RTSIM_HD void operator()(Index i) const { now[i] = earlier[i] + share * (now[i] - earlier[i]); }
};

}  // namespace

void take_share(const Exec& ex, Real share, Span<const Vec<3>> earlier, Span<Vec<3>> now) {
  parallel_for(ex, "contact.take_share", now.size, TakeShare{share, earlier, now});
}

ImpulseSum impulse_sum(const Exec& ex, Span<const Vec<3>> x, Span<const Real> w,
                       Span<const Vec<3>> earlier, Span<const Vec<3>> v) {
  return reduce(ex, "contact.push_of", v.size, ImpulseSum{}, OfVelocities{x, w, earlier, v},
                AddPushes{});
}

void mark_pushed(const Exec& ex, Span<const Real> w, Span<const Vec<3>> earlier,
                 Span<const Vec<3>> v, Index mark, Span<Index> by) {
  parallel_for(ex, "contact.mark_pushed", v.size, MarkPushed{w, earlier, v, mark, by});
}

double work_of_surface(const Exec& ex, Span<const Real> w, Span<const Vec<3>> earlier,
                       Span<const Vec<3>> v, Span<const Vec<3>> x, Span<const Vec<3>> carried,
                       Real h) {
  return reduce(ex, "contact.work_of_surface", v.size, 0.0,
                WorkOfSurface{w, earlier, v, x, carried, h}, Plus{});
}

PushedMass pushed_mass(const Exec& ex, Span<const Vec<3>> x, Span<const Real> w,
                       Span<const Vec<3>> earlier, Span<const Vec<3>> v, const Vec3d& centre) {
  return reduce(ex, "contact.pushed_mass", v.size, PushedMass{}, OfMass{x, w, earlier, v, centre},
                AddMasses{});
}

ImpulseSum impulse_sum(const Exec& ex, Span<const Vec<3>> before, Span<const PointContact> contacts,
                       Index solid, Span<const Vec<3>> impulse) {
  return reduce(ex, "contact.push_of", contacts.size, ImpulseSum{},
                OfTouches{before, contacts, solid, impulse}, AddPushes{});
}

}  // namespace rtsim::contact
