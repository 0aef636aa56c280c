#include "contact/point_contact.h"

#include "contact/placed.h"
#include "contact/swept_point.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

struct Touching {
  Solid solid;
  Index number;
  Rules rules;
  Course course;
  Real h;
  Span<const Vec<3>> x, v;
  Span<const Real> w;
  Span<PointContact> to;
  RTSIM_HD void operator()(Index i) const {
    if (!(w[i] > 0) || to[i].any()) return;
    const Vec<3> local = course.local(i, x[i]);
    const Nearest q = nearest(solid, local);
    const Real gap = q.distance - rules.thickness;
    if (!(gap <= rules.thickness)) return;
    const Vec<3> normal = turned(course.begin, q.normal);
    const Vec<3> velocity = Real(1) / h * course.way(i, local);
    if (h * dot(normal, v[i] - velocity) > rules.thickness) return;
    const Real missing = q.distance - rules.leads_to(i);
    // What is within the slack touches: a sweep would not let it come nearer.
    if (gap > slack_at(local, rules.thickness))
      to[i] = {normal, velocity - (gap / h) * normal, number, gap};
    else
      to[i] = {normal, velocity, number, missing < 0 ? missing : Real(0)};
  }
};

struct FoundTouching {
  Index number;
  Real slack;
  Course course, expected;
  Points p;
  Span<const Vec<3>> earlier;
  Span<const Index> by;
  Span<PointContact> to;
  RTSIM_HD Index operator()(Index i) const {
    if (by[i] != number + 1 || to[i].any()) return 0;
    const Vec<3> push = p.v[i] - earlier[i];
    const Real size = norm(push);
    if (!(size * p.h > slack)) return 0;
    const Vec<3> n = Real(1) / size * push, local = course.local(i, p.before[i]);
    const Vec<3> pushed_at = Real(1) / p.h * course.way(i, local);
    const Vec<3> at = Real(1) / p.h * expected.way(i, local);
    const Real parting = dot(n, p.v[i] - pushed_at);
    const Real towards = parting < 0 ? parting : Real(0);
    to[i] = {n, at + towards * n, number, -p.h * towards};
    return 1;
  }
};

}  // namespace

Index add_contacts(const Exec& ex, Index number, Real slack, const Course& course,
                   const Course& expected, const Points& p, Span<const Vec<3>> earlier,
                   Span<const Index> by, Span<PointContact> to) {
  return reduce(ex, "contact.found_touching", to.size, Index(0),
                FoundTouching{number, slack, course, expected, p, earlier, by, to}, Plus{});
}

void find_contacts(const Exec& ex, const Solid& solid, Index number, const Rules& rules,
                   const Course& course, Real h, Span<const Vec<3>> x, Span<const Vec<3>> v,
                   Span<const Real> w, Span<PointContact> to) {
  parallel_for(ex, "contact.touching", x.size,
               Touching{solid, number, rules, course, h, x, v, w, to});
}

}  // namespace rtsim::contact
