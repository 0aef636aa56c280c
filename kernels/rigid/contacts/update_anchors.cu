#include "rigid/contacts/update_anchors.h"

#include "base/quaternion.h"
#include "exec/parallel.h"
#include "rigid/contacts/contact_law.h"
#include "rigid/motion/slender.h"

namespace rtsim::rigid {

namespace {

template <int D>
struct FollowLane {
  Bodies<D> bodies;
  Span<const Manifold<D>> manifolds;
  const Row4* solver_bodies;
  bool turns;
  Span<ContactBlock<D>> blocks;

  // The swing of a body since the step began, if it is thin, and its length.
  RTSIM_HD bool swings(Index row, const SolverBody<D, Real>& m, Orientation<D>& by,
                       Vec<D>& along) const {
    if (row >= bodies.position.size) return false;
    const int axis = slender_axis(bodies.inertia[row]);
    if (axis < 0) return false;
    Vec<D> own;
    own[axis] = 1;
    const Vec<D> before = turned(back(m.turned), turned(bodies.orientation[row], own));
    by = swing_of(m.turned, before), along = turned(by, before);
    return true;
  }
  RTSIM_HD void operator()(Index at) const {
    ContactBlock<D>& b = blocks[at / lane_count];
    const Index l = at % lane_count;
    if (b.manifold[l] < 0) return;
    const ContactPair<D, Real> pair(solver_bodies, b, l);
    const Index i = b.i[l] / solver_body_rows<D>, j = b.j[l] / solver_body_rows<D>;
    Orientation<D> by_i, by_j;
    Vec<D> along_i{}, along_j{};
    const bool thin_i = swings(i, pair.i, by_i, along_i), thin_j = swings(j, pair.j, by_j, along_j);
    if (!thin_i && !thin_j) {
      if (turns && (far_turned(pair.i.turned) || far_turned(pair.j.turned)))
        weigh_again(pair, b, l);
      return;
    }
    const Manifold<D>& m = manifolds[b.manifold[l]];
    const bool swap = i != m.a;
    const Separation<D, Real> separation(pair);
    for (int k = 0; k < m.points; ++k) {
      const Vec<D> ri = swap ? m.arm_b[k] : m.arm_a[k], rj = swap ? m.arm_a[k] : m.arm_b[k];
      const Vec<D> now_i = turns && thin_i ? turned(by_i, ri) : ri;
      const Vec<D> now_j = turns && thin_j ? turned(by_j, rj) : rj;
      auto& point = b.point[k];
      set_lane(point.arm_i, l, now_i), set_lane(point.arm_j, l, now_j);
      point.separation[l] = m.separation[k] + separation(0, ri, rj) - separation(0, now_i, now_j);
    }
    if (!turns) return;
    turn_pivot(b, l, along_i, along_j);
    weigh_again(pair, b, l);
  }

 private:
  // Across both lengths, 0 of what is not thin, and as much along the normal as that allows.
  RTSIM_HD static void turn_pivot(ContactBlock<D>& b, Index l, const Vec<D>& along_i,
                                  const Vec<D>& along_j) {
    if constexpr (D == 3) {
      const Vec<3> pivot = lane<Real>(b.pivot, l), n = lane<Real>(b.normal, l);
      const Vec<3> other = along_j - dot(along_j, along_i) * along_i;
      const Real size = dot(other, other);
      Vec<3> across = n - dot(n, along_i) * along_i;
      if (size > Real(1e-6)) across = across - (dot(across, other) / size) * other;
      const Real left = norm(across);
      const bool any = left > Real(0.1);
      set_lane(b.pivot, l, (any ? norm(pivot) / left : Real(0)) * across);
      if (!any) b.friction[2][l] = 0;
    }
  }
  // An inertia in the world's axes that has turned by so much answers otherwise than the masses of
  // contacts have it: past twice that, what they do grows from pass to pass.
  RTSIM_HD static bool far_turned(const VecT<Real, D == 2 ? 2 : 4>& turned) {
    if constexpr (D == 2) {
      return false;  // one inertia for all axes
    } else {
      const Real half = Real(0.5 * far_turn);
      return turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2] > half * half;
    }
  }
  RTSIM_HD static void weigh_again(const ContactPair<D, Real>& pair, ContactBlock<D>& b, Index l) {
    weigh_points(pair, b, l);
    turn_friction<Real>(b, l);
    weigh_friction(pair, b, l);
  }
};

}  // namespace

template <int D>
void update_anchors(const Exec& ex, const Bodies<D>& bodies, Span<const Manifold<D>> manifolds,
                    Span<const Row4> solver_bodies, bool turned, Span<ContactBlock<D>> blocks) {
  parallel_for(ex, "rigid.update_anchors", blocks.size * lane_count,
               FollowLane<D>{bodies, manifolds, solver_bodies.data, turned, blocks});
}

template void update_anchors<3>(const Exec&, const Bodies<3>&, Span<const Manifold<3>>,
                                Span<const Row4>, bool, Span<ContactBlock<3>>);
template void update_anchors<2>(const Exec&, const Bodies<2>&, Span<const Manifold<2>>,
                                Span<const Row4>, bool, Span<ContactBlock<2>>);

}  // namespace rtsim::rigid
