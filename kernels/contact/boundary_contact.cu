#include "contact/boundary_contact.h"

#include "contact/pose_frame.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

struct KeepOut {
  Solid solid;
  Rules rules;
  Bounce bounce;
  Pose begin, end;
  Points p;

  RTSIM_HD void operator()(Index i) const {
    if (!(p.w[i] > 0)) return;
    const Vec<3> from = to_local(begin, p.before[i]), to = to_local(end, p.x[i]);
    const Slide s = slide(solid, rules, from, to);
    if (!s.touched) return;
    p.x[i] = placed(end, s.end);
    p.v[i] = p.v[i] + turned(end, Real(1) / p.h * s.change + rebound(s, to - from));
  }

  // What the substep after the touch leaves of the approach, and e times the approach, which rubs
  // like any other push.
  RTSIM_HD Vec<3> rebound(const Slide& s, const Vec<3>& way) const {
    const Real approach = -dot(way, s.normal) / p.h;
    if (!(bounce.restitution > 0 && approach > bounce.above)) return {};
    const Real more = (bounce.restitution + s.part) * approach;
    const Real rest = (1 - s.part) * p.h;
    const Real speed = rest > 0 ? norm(s.along) / rest : 0, lost = rules.friction * more;
    const Real slower = speed > 0 ? (lost < speed ? lost / speed : Real(1)) : 0;
    return more * s.normal - (rest > 0 ? slower / rest : Real(0)) * s.along;
  }
};

}  // namespace

void keep_out(const Exec& ex, const Solid& solid, const Rules& rules, const Bounce& bounce,
              const Pose& begin, const Pose& end, const Points& p) {
  parallel_for(ex, "contact.boundary", p.x.size, KeepOut{solid, rules, bounce, begin, end, p});
}

}  // namespace rtsim::contact
