#include "contact/self_contact.h"

#include "contact/features.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

constexpr Real far = Real(1e30);

struct SlotKey {
  Span<const Pair> pairs;
  Span<std::uint32_t> keys;
  RTSIM_HD void operator()(Index i) const {
    for (int k = 0; k < 4; ++k) keys[4 * i + k] = std::uint32_t(pairs[i].p[k]);
  }
};

RTSIM_HD void places(const Pair& p, Span<const Vec<3>> x, Vec3d* out) {
  for (int k = 0; k < 4; ++k) out[k] = widen(x[p.p[k]]);
}

struct Face {
  SelfRules rules;
  Fans fans;
  Span<const Pair> pairs;
  Span<const Vec<3>> rest, from;
  Span<Facing> facing;

  RTSIM_HD void operator()(Index i) const {
    const Pair& p = pairs[i];
    Vec3d x[4];
    places(p, rest, x);
    const Real at_rest = Real(0.8 * gap_of(p.kind, x).distance());
    places(p, from, x);
    const Gap gap = gap_of(p.kind, x);
    const double d = gap.distance();
    Facing f;
    f.distance = Real(d);
    f.normal = d > 0 ? narrow<3>(1 / d * gap.vector) : Vec<3>{};
    for (int k = 0; k < 4; ++k) f.weight[k] = Real(gap.weight[k]);
    const Real full = rules.thickness < at_rest ? rules.thickness : at_rest;
    const Real reachable = f.distance + rules.recovery;
    f.keep = full < reachable ? full : reachable;
    if (fans.first.size > 0 && !least_gap(fans, from, p.kind, p.p, gap)) f.keep = -far;
    facing[i] = f;
  }
};

struct PushPair {
  SelfRules rules;
  Span<const Pair> pairs;
  Span<const Facing> facing;
  Span<const Real> w;
  Span<const Vec<3>> from, x;
  Span<Vec<4>> moves;

  RTSIM_HD void operator()(Index i) const {
    const Pair& p = pairs[i];
    const Facing& f = facing[i];
    Vec<3> gap, slid;
    for (int k = 0; k < 4; ++k) {
      const Vec<3>& at = x[p.p[k]];
      gap = gap + f.weight[k] * at;
      slid = slid + f.weight[k] * (at - from[p.p[k]]);
    }
    const Real missing = f.keep - dot(f.normal, gap);
    const Real gives = mobility<4>(p.p, f.weight, w);
    const bool acts = missing > 0 && gives > 0;
    Vec<3> push;
    if (acts) {
      slid = slid - dot(f.normal, slid) * f.normal;
      const Real length = norm(slid), most = rules.friction * missing;
      const Real held = length > 0 ? (most < length ? most / length : Real(1)) : 0;
      push = Real(1) / gives * (missing * f.normal - held * slid);
    }
    for (int k = 0; k < 4; ++k) {
      const Vec<3> d = w[p.p[k]] * f.weight[k] * push;
      moves[4 * i + k] = {
          {d[0], d[1], d[2], acts && f.weight[k] != 0 && w[p.p[k]] > 0 ? Real(1) : Real(0)}};
    }
  }
};

struct Meets {
  double separation;
  Span<const Pair> pairs;
  Span<const Facing> facing;
  Ways ways;
  Span<const std::uint32_t> marked;
  Span<std::uint32_t> meets;

  RTSIM_HD Index operator()(Index i) const {
    meets[i] = 0;
    const Pair& p = pairs[i];
    bool all = true;
    for (int k = 0; k < 4; ++k) all = all && (marked[p.p[k]] & self_mark) != 0;
    if (all) return 0;
    Vec3d x[4], way[4];
    places(p, ways.from, x), places(p, ways.to, way);
    for (int k = 0; k < 4; ++k) way[k] = way[k] - x[k];
    const double distance = facing[i].distance, half = 0.5 * distance;
    const double nearest = separation < half ? separation : half;
    meets[i] = meet(p.kind, x, way, distance - nearest, nearest) ? 1 : 0;
    return Index(meets[i]);
  }
};

struct MarkPoint {
  Slots slots;
  Span<const std::uint32_t> meets;
  Span<std::uint32_t> marked;
  RTSIM_HD void operator()(Index i) const {
    for (Index s = slots.first[i]; s < slots.first[i + 1]; ++s)
      if (meets[slots.order[s] / 4]) marked[i] |= self_mark;
  }
};

struct Mark {
  Span<std::uint32_t> marked;
  RTSIM_HD void operator()(Index i) const { marked[i] = ~0u; }
};

struct Shorten {
  Slots slots;
  Span<const Facing> facing;
  Span<const std::uint32_t> marked;
  Span<const Real> w;
  Span<const Vec<3>> from;
  Real inv_h;
  Span<Vec<3>> x, v;

  // Of the place where the point ends, at most.
  RTSIM_HD static Real rounding(const Vec<3>& at) {
    constexpr Real ulp = sizeof(Real) == 4 ? Real(1.2e-7) : Real(2.3e-16);
    return 2 * ulp * norm(at);
  }

  RTSIM_HD void operator()(Index i) const {
    if (!(marked[i] & self_mark) || !(w[i] > 0)) return;
    Real least = far;
    for (Index s = slots.first[i]; s < slots.first[i + 1]; ++s) {
      const Real d = facing[slots.order[s] / 4].distance;
      if (d < least) least = d;
    }
    const Vec<3> way = x[i] - from[i];
    const Real room = Real(0.45) * least - rounding(from[i]);
    const Real length = norm(way), most = room > 0 ? room : 0;
    if (length <= most) return;
    const Vec<3> d = (most / length - 1) * way;
    x[i] = from[i] + most / length * way;
    v[i] = v[i] + inv_h * d;
  }
};

}  // namespace

void slot_keys(const Exec& ex, Span<const Pair> pairs, Span<std::uint32_t> keys) {
  parallel_for(ex, "contact.slots", pairs.size, SlotKey{pairs, keys});
}

void face(const Exec& ex, const SelfRules& rules, const Fans& fans, Span<const Pair> pairs,
          Span<const Vec<3>> rest, Span<const Vec<3>> from, Span<Facing> facing) {
  parallel_for(ex, "contact.face", pairs.size, Face{rules, fans, pairs, rest, from, facing});
}

void repel(const Exec& ex, const SelfRules& rules, Span<const Pair> pairs,
           Span<const Facing> facing, const Slots& slots, Span<const Real> w,
           Span<const Vec<3>> from, Span<Vec<4>> moves, Span<Real> count, Real h, Span<Vec<3>> x,
           Span<Vec<3>> v) {
  parallel_for(ex, "contact.push", pairs.size, PushPair{rules, pairs, facing, w, from, x, moves});
  parallel_for(ex, "contact.count", x.size, CountPoint{slots, moves, count});
  parallel_for(ex, "contact.move", x.size,
               MovePoint<4, Pair>{slots, pairs, moves, count, Real(1) / h, x, v});
}

Index mark_meeting(const Exec& ex, Real separation, Span<const Pair> pairs, const Slots& slots,
                   Span<const Facing> facing, const Ways& ways, Span<std::uint32_t> meets,
                   Span<std::uint32_t> marked) {
  const Index n = reduce(ex, "contact.meet", pairs.size, Index(0),
                         Meets{separation, pairs, facing, ways, marked, meets}, Plus{});
  if (n > 0) parallel_for(ex, "contact.mark", marked.size, MarkPoint{slots, meets, marked});
  return n;
}

void mark_all(const Exec& ex, Span<std::uint32_t> marked) {
  parallel_for(ex, "contact.mark", marked.size, Mark{marked});
}

void shorten(const Exec& ex, const Slots& slots, Span<const Facing> facing,
             Span<const std::uint32_t> marked, Span<const Real> w, Span<const Vec<3>> from, Real h,
             Span<Vec<3>> x, Span<Vec<3>> v) {
  parallel_for(ex, "contact.shorten", x.size,
               Shorten{slots, facing, marked, w, from, Real(1) / h, x, v});
}

}  // namespace rtsim::contact
