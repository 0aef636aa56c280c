#include "rigid/collision.h"

#include "exec/parallel.h"
#include "rigid/collide.h"
#include "rigid/field.h"

namespace rtsim::rigid {

namespace {

constexpr Real far = Real(1e30);

RTSIM_HD void axes_of(const Orientation<2>& q, Vec<2>* axes) {
  axes[0] = {{q[0], q[1]}}, axes[1] = {{-q[1], q[0]}};
}
RTSIM_HD void axes_of(const Orientation<3>& q, Vec<3>* axes) {
  const Vec<3> unit[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  for (int a = 0; a < 3; ++a) axes[a] = rotated(q, unit[a]);
}

template <int D>
struct FrameBody {
  Bodies<D> bodies;
  Span<Frame<D>> frames;
  RTSIM_HD void operator()(Index i) const {
    Frame<D>& f = frames[i];
    f.x = f.centre = bodies.position[i];
    axes_of(bodies.orientation[i], f.axes);
    f.velocity = bodies.velocity[i], f.omega = bodies.angular_velocity[i];
  }
};

template <int D>
RTSIM_HD Box<D> around_box(const Frame<D>& f, const Part<D>& p) {
  Vec<D> out;
  for (int a = 0; a < D; ++a) {
    const Vec<D> axis = turned(f.axes, p.axes[a]);
    for (int k = 0; k < D; ++k) out[k] += p.half[a] * size_of(axis[k]);
  }
  const Vec<D> c = placed(f, p.centre);
  return {c - out, c + out};
}

template <int D>
RTSIM_HD Box<D> around_points(const Frame<D>& f, const Part<D>& p, Span<const Vec<D>> points) {
  Box<D> b;
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
  Scene<D> scene;
  Real dt, margin;
  Span<Box<D>> boxes;
  RTSIM_HD void operator()(Index i) const {
    const Item& item = scene.items[i];
    const Frame<D>& f = scene.frames[item.body];
    const Part<D>& p = scene.parts.parts[item.part];
    Box<D> b;
    if (p.kind == PartKind::plane || p.kind == PartKind::field) {
      for (int k = 0; k < D; ++k) b.low[k] = -far, b.high[k] = far;
    } else {
      b = p.kind == PartKind::box || p.kind == PartKind::mesh
              ? around_box(f, p)
              : around_points(f, p, scene.parts.points);
      // A point at an arm r moves by less than |omega| r dt, or 2 r.
      const Real turn = lesser(dt * norm(f.omega), 2) * (p.reach + norm(f.centre - f.x));
      for (int k = 0; k < D; ++k) {
        const Real go = dt * f.velocity[k];
        b.low[k] += lesser(go, 0) - turn - margin, b.high[k] += greater(go, 0) + turn + margin;
      }
    }
    boxes[i] = b;
  }
};

template <int D>
struct Escaped {
  Span<const Box<D>> boxes, fat;
  RTSIM_HD std::int32_t operator()(Index i) const {
    for (int k = 0; k < D; ++k)
      if (!(boxes[i].low[k] >= fat[i].low[k] && boxes[i].high[k] <= fat[i].high[k])) return 1;
    return 0;
  }
};

template <int D>
struct TouchPair {
  Scene<D> scene;
  Span<const Box<D>> boxes;
  Span<const ItemPair> pairs;
  Real dt, margin;
  Span<Manifold<D>> found;
  Span<Index> counts;

  RTSIM_HD void operator()(Index i) const {
    const ItemPair& pair = pairs[i];
    counts[i] = 0;
    if (!overlap(boxes[pair.a], boxes[pair.b])) return;
    const Item &a = scene.items[pair.a], &b = scene.items[pair.b];
    const Frame<D>&fa = scene.frames[a.body], &fb = scene.frames[b.body];
    const Part<D>&pa = scene.parts.parts[a.part], &pb = scene.parts.parts[pair.part];
    const Real speed = norm(fb.velocity - fa.velocity) + norm(fa.omega) * pa.reach +
                       norm(fb.omega) * (norm(fa.x - fb.centre) + pa.reach);
    int number = int(pair.part - b.part);
    const PlacedPart<D> first{fa, pa, scene.parts}, second{fb, pb, scene.parts};
    const Real reach = margin + dt * speed;
    const Touching<D> t = pb.kind == PartKind::field
                              ? touch_field(Feelers<D>{fa, pa, scene.parts.points}, fb,
                                            scene.solids[pb.solid], pair.group, reach, number)
                              : touch(first, second, reach);
    Manifold<D>& m = found[i];
    m.a = a.body, m.b = b.body, m.part_a = a.number, m.part_b = b.number + std::uint32_t(number);
    m.normal = t.normal, m.points = 0;
    for (int k = 0; k < t.points; ++k) {
      const Vec<D> arm_a = t.point[k] - fa.centre, arm_b = t.point[k] - fb.centre;
      const Vec<D> apart =
          fb.velocity + turning(fb.omega, arm_b) - fa.velocity - turning(fa.omega, arm_a);
      const Real closing = greater(-dot(apart, t.normal), 0);
      if (t.separation[k] > margin + dt * closing) continue;
      m.arm_a[m.points] = arm_a, m.arm_b[m.points] = arm_b;
      m.separation[m.points] = t.separation[k], m.feature[m.points] = t.feature[k];
      ++m.points;
    }
    counts[i] = m.points > 0;
  }
};

template <int D>
struct Pack {
  Span<const Manifold<D>> found;
  Span<const Index> first;
  Span<Manifold<D>> packed;
  RTSIM_HD void operator()(Index i) const {
    const Index end = i + 1 < first.size ? first[i + 1] : packed.size;
    if (end > first[i]) packed[first[i]] = found[i];
  }
};

}  // namespace

template <int D>
void frame_bodies(const Exec& ex, const Bodies<D>& bodies, Span<Frame<D>> frames) {
  parallel_for(ex, "rigid.frames", bodies.position.size, FrameBody<D>{bodies, frames});
}

template <int D>
void bound_items(const Exec& ex, const Scene<D>& scene, double dt, double margin,
                 Span<Box<D>> boxes) {
  parallel_for(ex, "rigid.bounds", boxes.size, BoundItem<D>{scene, Real(dt), Real(margin), boxes});
}

template <int D>
bool all_within(const Exec& ex, Span<const Box<D>> boxes, Span<const Box<D>> fat) {
  return reduce(ex, "rigid.escaped", boxes.size, std::int32_t(0), Escaped<D>{boxes, fat}, Max{}) ==
         0;
}

template <int D>
void touch_pairs(const Exec& ex, const Scene<D>& scene, Span<const Box<D>> boxes,
                 Span<const ItemPair> pairs, double dt, double margin, Span<Manifold<D>> found,
                 Span<Index> counts) {
  parallel_for(ex, "rigid.touch", pairs.size,
               TouchPair<D>{scene, boxes, pairs, Real(dt), Real(margin), found, counts});
}

template <int D>
void pack(const Exec& ex, Span<const Manifold<D>> found, Span<const Index> first,
          Span<Manifold<D>> packed) {
  parallel_for(ex, "rigid.pack", found.size, Pack<D>{found, first, packed});
}

#define INSTANTIATE(D)                                                                      \
  template void frame_bodies<D>(const Exec&, const Bodies<D>&, Span<Frame<D>>);             \
  template void bound_items<D>(const Exec&, const Scene<D>&, double, double, Span<Box<D>>); \
  template bool all_within<D>(const Exec&, Span<const Box<D>>, Span<const Box<D>>);         \
  template void touch_pairs<D>(const Exec&, const Scene<D>&, Span<const Box<D>>,            \
                               Span<const ItemPair>, double, double, Span<Manifold<D>>,     \
                               Span<Index>);                                                \
  template void pack<D>(const Exec&, Span<const Manifold<D>>, Span<const Index>, Span<Manifold<D>>);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE

}  // namespace rtsim::rigid
