#pragma once
#include "rigid/collide.h"
#include "rigid/collision.h"
#include "rigid/field.h"

namespace rtsim::rigid {

// Whether a triangle of a mesh that stands is near an item: pairs that were searched for earlier
// may have come apart, and what is found must not show when that was.
template <int D>
RTSIM_HD bool near_triangle(const Scene<D>& scene, const Box<D>& box, const Frame<D>& f,
                            const Part<D>& t) {
  Box<D> own;
  own.low = own.high = placed(f, scene.parts.points[t.first_point]);
  for (Index k = 1; k < 3; ++k) {
    const Vec<D> x = placed(f, scene.parts.points[t.first_point + k]);
    for (int a = 0; a < D; ++a)
      own.low[a] = lesser(own.low[a], x[a]), own.high[a] = greater(own.high[a], x[a]);
  }
  return overlap(box, own);
}

// The points of `t` that are nearer than `margin` [m] or may come so near within dt [s].
template <int D>
RTSIM_HD void keep_near(const Touching<D>& t, const Frame<D>& fa, const Frame<D>& fb, Real dt,
                        Real margin, Manifold<D>& m) {
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
}

// Whether the pair touches, and how.
template <int D>
RTSIM_HD bool touch_pair(const Scene<D>& scene, Span<const Box<D>> boxes, const ItemPair& pair,
                         Real dt, Real margin, Manifold<D>& m) {
  if (!overlap(boxes[pair.a], boxes[pair.b])) return false;
  const Item &a = scene.items[pair.a], &b = scene.items[pair.b];
  const Frame<D>&fa = scene.frames[a.body], &fb = scene.frames[b.body];
  const Part<D>&pa = scene.parts.parts[a.part], &pb = scene.parts.parts[pair.part];
  if (pb.kind == PartKind::triangle && !near_triangle(scene, boxes[pair.a], fb, pb)) return false;
  const Real speed = norm(fb.velocity - fa.velocity) + norm(fa.omega) * pa.reach +
                     norm(fb.omega) * (norm(fa.x - fb.centre) + pa.reach);
  const Real reach = margin + dt * speed;
  int number = int(pair.part - b.part);
  Touching<D> t;
  if (pb.kind == PartKind::field)
    t = touch_field(Feelers<D>{fa, pa, scene.parts.points}, fb, scene.solids[pb.solid], pair.group,
                    reach, number);
  else
    t = touch(PlacedPart<D>{fa, pa, scene.parts}, PlacedPart<D>{fb, pb, scene.parts}, reach);
  if (t.points == 0) return false;
  m.a = a.body, m.b = b.body, m.part_a = a.number, m.part_b = b.number + std::uint32_t(number);
  keep_near(t, fa, fb, dt, margin, m);
  return m.points > 0;
}

}  // namespace rtsim::rigid
