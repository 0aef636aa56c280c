#include "contact/face_contact.h"

#include "contact/deepest.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

RTSIM_HD FaceWay way_of(const Face& f, Span<const Vec<3>> from, Span<const Vec<3>> to,
                        const Pose& begin, const Pose& end) {
  FaceWay way;
  for (int k = 0; k < 3; ++k) {
    way.from[k] = to_local(begin, from[f.p[k]]);
    way.to[k] = to_local(end, to[f.p[k]]);
  }
  return way;
}

// What presses on a face, in the solid's frame: the place with corner weights u, v is to be moved
// by `missing` along n.
struct Pressure {
  Real u, v;
  Vec<3> n;
  Real missing;  // [m]
};

struct Press {
  Solid solid;
  Rules rules;
  Pose begin, end;
  Span<const Face> faces;
  Points p;
  Span<Vec<4>> moves;

  RTSIM_HD void operator()(Index i) const {
    for (int k = 0; k < 3; ++k) moves[3 * i + k] = {};
    const std::int32_t* f = faces[i].p;
    const FaceWay way = way_of(faces[i], p.before, p.x, begin, end);
    Real leads_to = rules.thickness;
    for (int k = 0; k < 3; ++k)
      leads_to = rules.leads_to(f[k]) < leads_to ? rules.leads_to(f[k]) : leads_to;
    const Pressure c =
        way.longest() > Real(0.5) * rules.thickness ? on_way(way, leads_to) : at_end(way, leads_to);
    if (!(c.missing > 0)) return;
    const Real b[3] = {c.u, c.v, 1 - c.u - c.v};
    const Real gives = mobility<3>(f, b, p.w);
    if (!(gives > 0)) return;
    const Vec<3> moved = placed_on(way.to, c) - placed_on(way.from, c);
    const Vec<3> slid = moved - dot(c.n, moved) * c.n;
    const Real length = norm(slid), most = rules.friction * c.missing;
    const Real held = length > 0 ? (most < length ? most / length : Real(1)) : 0;
    const Vec<3> push = Real(1) / gives * turned(end, c.missing * c.n - held * slid);
    for (int k = 0; k < 3; ++k) {
      const Vec<3> d = p.w[f[k]] * b[k] * push;
      moves[3 * i + k] = {{d[0], d[1], d[2], b[k] > 0 ? Real(1) : Real(0)}};
    }
  }

  RTSIM_HD static Vec<3> placed_on(const Vec<3>* x, const Pressure& c) {
    return c.u * x[0] + c.v * x[1] + (1 - c.u - c.v) * x[2];
  }
  RTSIM_HD Pressure at_end(const FaceWay& way, Real leads_to) const {
    Deepest deep{solid, way.to, rules.thickness};
    if (!deep.find()) return {};
    const Real start = nearest(solid, deep.place_on(way.from)).distance;
    const Real reached = start + rules.recovery, led = leads_to < reached ? leads_to : reached;
    const Real kept = start < rules.thickness ? start : rules.thickness;
    const Real keep = kept > led ? kept : led;
    return {deep.u, deep.v, deep.q.normal, keep - deep.q.distance};
  }
  // What moves far is looked for on its way, and may go no further than the plane of its first
  // touch; where that is at the start, or none is found, the end decides.
  RTSIM_HD Pressure on_way(const FaceWay& way, Real leads_to) const {
    const Real slack = slack_of(way, Real(0.01) * rules.thickness);
    const FaceTouch t = touch_on(solid, way, rules.thickness, slack);
    if (!t.touched) return {};
    const Pressure ended = at_end(way, leads_to);
    if (!(t.part > 0)) return ended;
    Vec<3> x[3];
    way.at(t.part, x);
    Pressure c{t.u, t.v, t.q.normal, 0};
    const Real beyond = dot(c.n, placed_on(way.to, c) - placed_on(x, c));
    c.missing = rules.thickness - t.q.distance - beyond;
    return c.missing > ended.missing ? c : ended;
  }
};

// How far a face may come towards the solid, at the least: not below four fifths of the thickness,
// nor, where it starts there, nearer than it is; none where it starts inside.
struct Room {
  Solid solid;
  Real thickness;
  Pose begin;
  Span<const Face> faces;
  Span<const Vec<3>> from;
  Span<Vec<2>> room;

  RTSIM_HD void operator()(Index i) const {
    Vec<3> x[3];
    for (int k = 0; k < 3; ++k) x[k] = to_local(begin, from[faces[i].p[k]]);
    Deepest deep{solid, x, thickness};
    const Real d = deep.find() ? deep.q.distance : thickness, least = Real(0.8) * thickness;
    const Real level = d < least ? d : least;
    room[i] = {{level, d - level}};
  }
};

struct Enters {
  Solid solid;
  Real thickness;
  Pose begin, end;
  Span<const Face> faces;
  Span<const Vec<2>> room;
  Span<const Vec<3>> from, x;
  Span<const std::uint32_t> marked;
  std::uint32_t bit;
  Span<std::uint32_t> enters;

  RTSIM_HD Index operator()(Index i) const {
    enters[i] = 0;
    bool all = true;
    for (int k = 0; k < 3; ++k) all = all && (marked[faces[i].p[k]] & bit) != 0;
    const Real level = room[i][0];
    if (all || !(level > 0)) return 0;
    const FaceWay way = way_of(faces[i], from, x, begin, end);
    Deepest ended{solid, way.to, level - slack_of(way, Real(2e-4) * thickness)};
    const Real slack = slack_of(way, Real(0.01) * thickness);
    const bool in = ended.find() || touch_on(solid, way, level - 2 * slack, slack).touched;
    enters[i] = in ? 1 : 0;
    return Index(enters[i]);
  }
};

struct MarkCorner {
  Slots slots;
  Span<const std::uint32_t> enters;
  Span<std::uint32_t> marked;
  std::uint32_t bit;
  RTSIM_HD void operator()(Index i) const {
    for (Index s = slots.first[i]; s < slots.first[i + 1]; ++s)
      if (enters[slots.order[s] / 3]) marked[i] |= bit;
  }
};

// Ways and velocities relative to the solid, which would carry the point with the velocity u.
struct Shorten {
  Pose begin, end;
  Slots slots;
  Span<const Vec<2>> room;
  Span<const std::uint32_t> marked;
  std::uint32_t bit;
  Points p;

  RTSIM_HD void operator()(Index i) const {
    if (!(marked[i] & bit) || !(p.w[i] > 0)) return;
    Real most = Real(1e30);
    for (Index s = slots.first[i]; s < slots.first[i + 1]; ++s) {
      const Vec<2>& r = room[slots.order[s] / 3];
      if (r[0] > 0 && r[1] < most) most = r[1];
    }
    const Vec<3> from = to_local(begin, p.before[i]), way = to_local(end, p.x[i]) - from;
    const Real length = norm(way);
    if (length <= most) return;
    const Real share = most / length;
    const Vec<3> u = Real(1) / p.h * (placed(end, from) - p.before[i]);
    p.x[i] = p.x[i] + turned(end, (share - 1) * way);
    p.v[i] = u + share * (p.v[i] - u);
  }
};

}  // namespace

void press(const Exec& ex, const Solid& solid, const Rules& rules, const Pose& begin,
           const Pose& end, Span<const Face> faces, const Slots& slots, const Points& p,
           Span<Vec<4>> moves, Span<Real> count) {
  parallel_for(ex, "contact.press", faces.size, Press{solid, rules, begin, end, faces, p, moves});
  parallel_for(ex, "contact.count", p.x.size, CountPoint{slots, moves, count});
  parallel_for(ex, "contact.move", p.x.size,
               MovePoint<3, Face>{slots, faces, moves, count, Real(1) / p.h, p.x, p.v});
}

void room_of(const Exec& ex, const Solid& solid, Real thickness, const Pose& begin,
             Span<const Face> faces, Span<const Vec<3>> from, Span<Vec<2>> room) {
  parallel_for(ex, "contact.room", faces.size, Room{solid, thickness, begin, faces, from, room});
}

Index mark_entering(const Exec& ex, const Solid& solid, Real thickness, const Pose& begin,
                    const Pose& end, const FaceRooms& r, Span<const Vec<3>> from,
                    Span<const Vec<3>> x, Span<std::uint32_t> enters, Span<std::uint32_t> marked,
                    std::uint32_t bit) {
  const Index n = reduce(
      ex, "contact.enter", r.faces.size, Index(0),
      Enters{solid, thickness, begin, end, r.faces, r.room, from, x, marked, bit, enters}, Plus{});
  if (n > 0)
    parallel_for(ex, "contact.mark", marked.size, MarkCorner{r.slots, enters, marked, bit});
  return n;
}

void shorten(const Exec& ex, const Pose& begin, const Pose& end, const FaceRooms& r,
             Span<const std::uint32_t> marked, std::uint32_t bit, const Points& p) {
  parallel_for(ex, "contact.shorten", p.x.size,
               Shorten{begin, end, r.slots, r.room, marked, bit, p});
}

}  // namespace rtsim::contact
