#include "rigid/narrow_phase/collision.h"

#include "exec/parallel.h"
#include "exec/sort.h"
#include "rigid/motion/for_bodies.h"
#include "rigid/narrow_phase/narrow_phase.h"

namespace rtsim::rigid {

namespace {

constexpr Real far = Real(1e30);

RTSIM_HD void axes_of(const Orientation<2>& q, Vec<2>* axes) {
  axes[0] = {{q[0], q[1]}}, axes[1] = {{-q[1], q[0]}};
}
RTSIM_HD void axes_of(const Orientation<3>& q, Vec<3>* axes) {
  const Vec<3> unit[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  for (int a = 0; a < 3; ++a) axes[a] = turned(q, unit[a]);
}

template <int D>
struct PoseBody {
  BodyStates<D> bodies;
  Span<BodyPose<D>> poses;
  RTSIM_HD void operator()(Index i) const {
    BodyPose<D>& f = poses[i];
    f.x = f.centre = bodies.position[i];
    axes_of(bodies.orientation[i], f.axes);
    f.velocity = bodies.velocity[i], f.omega = bodies.angular_velocity[i];
    f.spin = norm(f.omega);
  }
};

template <int D>
RTSIM_HD Aabb<D> around_box(const BodyPose<D>& f, const Part<D>& p) {
  Vec<D> out;
  for (int a = 0; a < D; ++a) {
    const Vec<D> axis = turned(f.axes, p.axes[a]);
    for (int k = 0; k < D; ++k) out[k] += p.half[a] * size_of(axis[k]);
  }
  const Vec<D> c = placed(f, p.centre);
  return {c - out, c + out};
}

template <int D>
RTSIM_HD Aabb<D> around_points(const BodyPose<D>& f, const Part<D>& p, Span<const Vec<D>> points) {
  Aabb<D> b;
  for (int k = 0; k < D; ++k) b.low[k] = far, b.high[k] = -far;
  for (Index i = 0; i < p.points; ++i) {
    const Vec<D> x = placed(f, points[p.first_point + i]);
    for (int k = 0; k < D; ++k)
      b.low[k] = lesser(b.low[k], x[k]), b.high[k] = greater(b.high[k], x[k]);
  }
  for (int k = 0; k < D; ++k) b.low[k] -= p.radius, b.high[k] += p.radius;
  return b;
}

template <int D>
struct BoundItem {
  CollisionWorld<D> world;
  Real dt, margin;
  Span<Aabb<D>> aabbs;
  RTSIM_HD void operator()(Index i) const {
    const Item& item = world.items[i];
    const BodyPose<D>& f = world.poses[item.body];
    const Part<D>& p = world.parts.parts[item.part];
    if (p.kind == PartKind::box) world.box(i) = placed_box(f, p);
    Aabb<D> b;
    if (p.kind == PartKind::plane || p.kind == PartKind::field) {
      for (int k = 0; k < D; ++k) b.low[k] = -far, b.high[k] = far;
    } else {
      b = p.kind == PartKind::box || p.kind == PartKind::mesh
              ? around_box(f, p)
              : around_points(f, p, world.parts.points);
      // A point at an arm r moves by less than |omega| r dt, or 2 r.
      const Real turn = lesser(dt * f.spin, 2) * (p.reach + norm(f.centre - f.x));
      for (int k = 0; k < D; ++k) {
        const Real go = dt * f.velocity[k];
        b.low[k] += lesser(go, 0) - turn - margin, b.high[k] += greater(go, 0) + turn + margin;
      }
    }
    aabbs[i] = b;
  }
};

template <int D>
struct Escaped {
  Span<const Aabb<D>> aabbs, fat;
  RTSIM_HD std::int32_t operator()(Index i) const {
    for (int k = 0; k < D; ++k)
      if (!(aabbs[i].low[k] >= fat[i].low[k] && aabbs[i].high[k] <= fat[i].high[k])) return 1;
    return 0;
  }
};

template <int D>
struct CollidePair {
  CollisionWorld<D> world;
  Span<const Aabb<D>> aabbs;
  Span<const ItemPair> pairs;
  Real dt, margin;
  Span<Manifold<D>> found;
  Span<Index> counts;
  RTSIM_HD void operator()(Index i) const {
    counts[i] = collide_pair(world, aabbs, pairs[i], dt, margin, found[i]) == Found::manifold;
  }
};

template <int D>
struct Pack {
  Span<const Manifold<D>> found;
  Span<const Index> first;
  Index all;
  Row4* packed;
  RTSIM_HD void operator()(Index i) const {
    const Index end = i + 1 < first.size ? first[i + 1] : all;
    if (end == first[i]) return;
    *reinterpret_cast<Manifold<D>*>(packed + manifold_rows<D> * first[i]) = found[i];
  }
};

}  // namespace

template <int D>
void pose_bodies(const Exec& ex, const Rows& rows, const BodyStates<D>& bodies,
                 Span<BodyPose<D>> poses) {
  for_bodies(ex, "rigid.frames", rows, PoseBody<D>{bodies, poses});
}

template <int D>
void bound_items(const Exec& ex, const Rows& items, const CollisionWorld<D>& world, double dt,
                 double margin, Span<Aabb<D>> aabbs) {
  for_bodies(ex, "rigid.bounds", items, BoundItem<D>{world, Real(dt), Real(margin), aabbs});
}

template <int D>
bool all_within(const Exec& ex, const Rows& items, Span<const Aabb<D>> aabbs,
                Span<const Aabb<D>> fat) {
  return reduce_bodies(ex, "rigid.escaped", items, std::int32_t(0), Escaped<D>{aabbs, fat},
                       Max{}) == 0;
}

template <int D>
void collide_pairs(const Exec& ex, const CollisionWorld<D>& world, Span<const Aabb<D>> aabbs,
                   Span<const ItemPair> pairs, double dt, double margin, Manifolds<D>& out) {
  if (ex.cpu_shaped())
    return collide_pairs_lanes(ex, world, aabbs, pairs, Real(dt), Real(margin), out);
  out.found.resize(std::size_t(pairs.size)), out.counts.resize(std::size_t(pairs.size));
  parallel_for(ex, "rigid.touch", pairs.size,
               CollidePair<D>{world, aabbs, pairs, Real(dt), Real(margin), out.found.span(),
                              out.counts.span()});
  out.size = exclusive_scan(ex, "rigid.pack", out.counts.span(), out.counts.span());
  out.rows.resize(std::size_t(manifold_rows<D> * out.size));
  parallel_for(ex, "rigid.pack", pairs.size,
               Pack<D>{out.found.span(), out.counts.span(), out.size, out.rows.data()});
}

#define INSTANTIATE(D)                                                                             \
  template void pose_bodies<D>(const Exec&, const Rows&, const BodyStates<D>&, Span<BodyPose<D>>); \
  template void bound_items<D>(const Exec&, const Rows&, const CollisionWorld<D>&, double, double, \
                               Span<Aabb<D>>);                                                     \
  template bool all_within<D>(const Exec&, const Rows&, Span<const Aabb<D>>, Span<const Aabb<D>>); \
  template void collide_pairs<D>(const Exec&, const CollisionWorld<D>&, Span<const Aabb<D>>,       \
                                 Span<const ItemPair>, double, double, Manifolds<D>&);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE

}  // namespace rtsim::rigid
