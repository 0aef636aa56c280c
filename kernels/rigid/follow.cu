#include "rigid/follow.h"

#include "base/quaternion.h"
#include "exec/parallel.h"
#include "rigid/contact_law.h"
#include "rigid/thin.h"

namespace rtsim::rigid {

namespace {

template <int D>
struct FollowLane {
  Bodies<D> bodies;
  Span<const Manifold<D>> manifolds;
  const Row4* movers;
  bool turns;
  Span<ContactBlock<D>> blocks;

  // The swing of a body since the step began, if it is thin.
  RTSIM_HD bool swings(Index row, const Mover<D, Real>& m, Orientation<D>& by) const {
    if (row >= bodies.position.size) return false;
    const int axis = thin_axis(bodies.inertia[row]);
    if (axis < 0) return false;
    Vec<D> own;
    own[axis] = 1;
    const Vec<D> before = rotated_back(m.turned, rotated(bodies.orientation[row], own));
    by = swing_of(m.turned, before);
    return true;
  }
  RTSIM_HD void operator()(Index at) const {
    ContactBlock<D>& b = blocks[at / lane_count];
    const Index l = at % lane_count;
    if (b.manifold[l] < 0) return;
    const ContactPair<D, Real> pair(movers, b, l);
    const Index i = b.i[l] / mover_rows<D>, j = b.j[l] / mover_rows<D>;
    Orientation<D> by_i, by_j;
    const bool thin_i = swings(i, pair.i, by_i), thin_j = swings(j, pair.j, by_j);
    if (!thin_i && !thin_j) return;
    const Manifold<D>& m = manifolds[b.manifold[l]];
    const bool swap = i != m.a;
    const Separation<D, Real> separation(pair);
    for (int k = 0; k < m.points; ++k) {
      const Vec<D> ri = swap ? m.arm_b[k] : m.arm_a[k], rj = swap ? m.arm_a[k] : m.arm_b[k];
      const Vec<D> now_i = turns && thin_i ? rotated(by_i, ri) : ri;
      const Vec<D> now_j = turns && thin_j ? rotated(by_j, rj) : rj;
      auto& point = b.point[k];
      set_lane(point.arm_i, l, now_i), set_lane(point.arm_j, l, now_j);
      point.separation[l] = m.separation[k] + separation(0, ri, rj) - separation(0, now_i, now_j);
    }
    weigh_points(pair, b, l);
    turn_friction<Real>(b, l);
    weigh_friction(pair, b, l);
  }
};

}  // namespace

template <int D>
void follow_thin(const Exec& ex, const Bodies<D>& bodies, Span<const Manifold<D>> manifolds,
                 Span<const Row4> movers, bool turned, Span<ContactBlock<D>> blocks) {
  parallel_for(ex, "rigid.follow", blocks.size * lane_count,
               FollowLane<D>{bodies, manifolds, movers.data, turned, blocks});
}

template void follow_thin<3>(const Exec&, const Bodies<3>&, Span<const Manifold<3>>,
                             Span<const Row4>, bool, Span<ContactBlock<3>>);
template void follow_thin<2>(const Exec&, const Bodies<2>&, Span<const Manifold<2>>,
                             Span<const Row4>, bool, Span<ContactBlock<2>>);

}  // namespace rtsim::rigid
