#include "contact/boundary_contact.h"

#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

struct KeepOut {
  Solid solid;
  Rules rules;
  Bounce bounce;
  Course course;
  Points p;

  RTSIM_HD void operator()(Index i) const {
    if (!(p.w[i] > 0)) return;
    const Pose& end = course.end;
    const Vec<3> from = course.local(i, p.before[i]), to = to_local(end, p.x[i]);
    const Swept s = sweep(solid, rules, rules.leads_to(i), from, to);
    if (!s.touched) return;
    p.x[i] = placed(end, s.end);
    p.v[i] = p.v[i] + turned(end, Real(1) / p.h * s.change + rebound(s, to - from));
  }

  // What the substep after the touch leaves of the approach, and e times the approach, which rubs
  // like any other push.
  RTSIM_HD Vec<3> rebound(const Swept& s, const Vec<3>& way) const {
    const Real approach = -dot(way, s.normal) / p.h;
    if (!(bounce.restitution > 0 && approach > bounce.above)) return {};
    const Real more = (bounce.restitution + s.part) * approach;
    const Real rest = (1 - s.part) * p.h;
    const Real speed = rest > 0 ? norm(s.along) / rest : 0, lost = rules.friction * more;
    const Real slower = speed > 0 ? (lost < speed ? lost / speed : Real(1)) : 0;
    return more * s.normal - (rest > 0 ? slower / rest : Real(0)) * s.along;
  }
};

struct Begin {
  Solid solid;
  Real thickness;
  Pose pose;
  Span<const Vec<3>> x;
  Span<Real> began;
  RTSIM_HD void operator()(Index i) const {
    const Real d = nearest(solid, to_local(pose, x[i])).distance;
    if (d < -slack_at(x[i], thickness)) return;
    const Real start = d > 0 ? d : Real(0);
    if (start < began[i]) began[i] = start;
  }
};

struct Carry {
  SurfaceMesh mesh;
  Span<const Vec<3>> velocity;
  Real h;
  Span<const Vec<3>> x;
  Span<Vec<3>> carried;
  RTSIM_HD void operator()(Index i) const {
    Vec<3> way{};
    for (int pass = 0; pass < 2; ++pass) {
      const NearestTriangle q = nearest_triangle(mesh, x[i] + way);
      way = {};
      for (int k = 0; k < 3; ++k)
        way = way + h * q.on.weight[k] * velocity[mesh.triangles[q.triangle][k]];
    }
    carried[i] = way;
  }
};

struct Past {
  Solid solid;
  Real thickness;
  Pose begin, end;
  Real h;
  Span<const Vec<3>> x, v;
  Span<const Real> w;
  RTSIM_HD Real operator()(Index i) const {
    if (!(w[i] > 0)) return 0;
    const Vec<3> local = to_local(begin, x[i]);
    const Real way = norm(h * v[i] - (placed(end, local) - x[i]));
    return nearest(solid, local).distance <= way + thickness ? way : Real(0);
  }
};

template <int N>
struct Inside {
  Solid solid;
  Real depth;
  Pose pose;
  Span<const VecT<std::int32_t, N>> cells;
  Span<const Vec<3>> x;
  RTSIM_HD Index operator()(Index i) const {
    Vec<3> sum{};
    for (int k = 0; k < N; ++k) sum = sum + x[cells[i][k]];
    return nearest(solid, to_local(pose, Real(1) / N * sum)).distance < -depth ? 1 : 0;
  }
};

}  // namespace

void begin_distances(const Exec& ex, const Solid& solid, Real thickness, const Pose& pose,
                     Span<const Vec<3>> x, Span<Real> began) {
  parallel_for(ex, "contact.begin", x.size, Begin{solid, thickness, pose, x, began});
}

Real farthest_past(const Exec& ex, const Solid& solid, Real thickness, const Pose& begin,
                   const Pose& end, Real h, Span<const Vec<3>> x, Span<const Vec<3>> v,
                   Span<const Real> w) {
  return reduce(ex, "contact.past", x.size, Real(0), Past{solid, thickness, begin, end, h, x, v, w},
                Max{});
}

template <int N>
Index count_inside(const Exec& ex, const Solid& solid, Real depth, const Pose& pose,
                   Span<const VecT<std::int32_t, N>> cells, Span<const Vec<3>> x) {
  return reduce(ex, "contact.inside", cells.size, Index(0), Inside<N>{solid, depth, pose, cells, x},
                Plus{});
}
template Index count_inside<2>(const Exec&, const Solid&, Real, const Pose&,
                               Span<const VecT<std::int32_t, 2>>, Span<const Vec<3>>);
template Index count_inside<3>(const Exec&, const Solid&, Real, const Pose&,
                               Span<const VecT<std::int32_t, 3>>, Span<const Vec<3>>);
template Index count_inside<4>(const Exec&, const Solid&, Real, const Pose&,
                               Span<const VecT<std::int32_t, 4>>, Span<const Vec<3>>);

void carry(const Exec& ex, const SurfaceMesh& mesh, Span<const Vec<3>> velocity, Real h,
           Span<const Vec<3>> x, Span<Vec<3>> carried) {
  parallel_for(ex, "contact.carry", x.size, Carry{mesh, velocity, h, x, carried});
}

void keep_out(const Exec& ex, const Solid& solid, const Rules& rules, const Bounce& bounce,
              const Course& course, const Points& p) {
  parallel_for(ex, "contact.boundary", p.x.size, KeepOut{solid, rules, bounce, course, p});
}

}  // namespace rtsim::contact
