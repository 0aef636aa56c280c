#include "contact/face_contact.h"

#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

// The place of a face that lies deepest: the least distance over weights u, v, 1 - u - v of its
// corners, by a search that halves its steps. Distances are 1-Lipschitz: it ends where nothing
// that is left to see can come as near as `level`.
struct Deepest {
  const Solid& solid;
  const Vec<3>* x;
  Real level;
  Real u = 0, v = 0;
  Nearest q{};

  RTSIM_HD Vec<3> at(Real s, Real t) const { return s * x[0] + t * x[1] + (1 - s - t) * x[2]; }
  RTSIM_HD bool improve(Real s, Real t) {
    constexpr Real outside = Real(-1e-6);
    if (s < outside || t < outside || s + t > 1 - outside) return false;
    const Nearest there = nearest(solid, at(s, t));
    if (!(there.distance < q.distance)) return false;
    u = s, v = t, q = there;
    return true;
  }
  RTSIM_HD Real size() const {
    Real longest = 0;
    for (int k = 0; k < 3; ++k) {
      const Real side = norm(x[k] - x[(k + 1) % 3]);
      longest = side > longest ? side : longest;
    }
    return longest;
  }
  // Whether it is below the level.
  RTSIM_HD bool find() {
    const Real third = Real(1) / 3, half = Real(0.5), length = size();
    u = v = third, q = nearest(solid, at(u, v));
    if (q.distance > level + Real(2) / 3 * length) return false;
    const Real start[6][2] = {{1, 0}, {0, 1}, {0, 0}, {half, half}, {half, 0}, {0, half}};
    for (const auto& s : start) improve(s[0], s[1]);
    for (Real step = Real(0.25); step > Real(0.01); step *= half)
      for (bool moved = true; moved;) {
        if (q.distance > level + 2 * step * length) return false;
        moved = improve(u + step, v) || improve(u - step, v) || improve(u, v + step) ||
                improve(u, v - step) || improve(u + step, v - step) || improve(u - step, v + step);
      }
    return q.distance < level;
  }
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
    Vec<3> from[3], to[3];
    for (int k = 0; k < 3; ++k)
      from[k] = to_local(begin, p.before[f[k]]), to[k] = to_local(end, p.x[f[k]]);
    Deepest deep{solid, to, rules.thickness};
    if (!deep.find()) return;
    const Real b[3] = {deep.u, deep.v, 1 - deep.u - deep.v};
    Real mobility = 0;
    for (int k = 0; k < 3; ++k) mobility += p.w[f[k]] * b[k] * b[k];
    if (!(mobility > 0)) return;
    Vec<3> start;
    for (int k = 0; k < 3; ++k) start = start + b[k] * from[k];
    const Real reachable = nearest(solid, start).distance + rules.recovery;
    const Real keep = rules.thickness < reachable ? rules.thickness : reachable;
    const Real missing = keep - deep.q.distance;
    if (!(missing > 0)) return;
    const Vec<3>& n = deep.q.normal;
    const Vec<3> way = deep.at(deep.u, deep.v) - start, slid = way - dot(n, way) * n;
    const Real length = norm(slid), most = rules.friction * missing;
    const Real held = length > 0 ? (most < length ? most / length : Real(1)) : 0;
    const Vec<3> push = Real(1) / mobility * turned(end, missing * n - held * slid);
    for (int k = 0; k < 3; ++k) {
      const Vec<3> d = p.w[f[k]] * b[k] * push;
      moves[3 * i + k] = {{d[0], d[1], d[2], b[k] > 0 ? Real(1) : Real(0)}};
    }
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

}  // namespace rtsim::contact
