#include "contact/touching.h"

#include "contact/placed.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

struct Touching {
  Solid solid;
  Index number;
  Real thickness;
  Pose begin, end;
  Real h;
  Span<const Vec<3>> x, v;
  Span<const Real> w;
  Span<Touch> to;
  RTSIM_HD void operator()(Index i) const {
    if (!(w[i] > 0) || to[i].any()) return;
    const Vec<3> local = to_local(begin, x[i]);
    const Nearest q = nearest(solid, local);
    const Real gap = q.distance - thickness;
    if (!(gap <= thickness)) return;
    const Vec<3> normal = turned(begin, q.normal);
    const Vec<3> velocity = Real(1) / h * (placed(end, local) - placed(begin, local));
    if (h * dot(normal, v[i] - velocity) > thickness) return;
    to[i] = {normal, gap > 0 ? velocity - (gap / h) * normal : velocity, number};
  }
};

}  // namespace

void touching(const Exec& ex, const Solid& solid, Index number, Real thickness, const Pose& begin,
              const Pose& end, Real h, Span<const Vec<3>> x, Span<const Vec<3>> v,
              Span<const Real> w, Span<Touch> to) {
  parallel_for(ex, "contact.touching", x.size,
               Touching{solid, number, thickness, begin, end, h, x, v, w, to});
}

}  // namespace rtsim::contact
