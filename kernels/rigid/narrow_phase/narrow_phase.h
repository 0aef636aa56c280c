#pragma once
#include "rigid/narrow_phase/collide.h"
#include "rigid/narrow_phase/collision.h"
#include "rigid/shapes/field.h"

// Contacts of a pair that the broad phase found: `collide_pair`, below, sends it to the pair of
// shapes that it is, whose files lie beside this one.
namespace rtsim::rigid {

// Whether a triangle of a mesh that stands is near an item: pairs that were searched for earlier
// may have come apart, and what is found must not show when that was.
template <int D>
RTSIM_HD bool near_triangle(const CollisionWorld<D>& world, const Aabb<D>& box,
                            const BodyPose<D>& f, const Part<D>& t) {
  Aabb<D> own;
  own.low = own.high = placed(f, world.parts.points[t.first_point]);
  for (Index k = 1; k < 3; ++k) {
    const Vec<D> x = placed(f, world.parts.points[t.first_point + k]);
    for (int a = 0; a < D; ++a)
      own.low[a] = lesser(own.low[a], x[a]), own.high[a] = greater(own.high[a], x[a]);
  }
  return overlap(box, own);
}

// Two parts and how they move.
template <int D>
struct MovingPair {
  const CollisionWorld<D>& world;
  const ItemPair& pair;
  const BodyPose<D>&a, &b;
  const Part<D>&part_a, &part_b;
  Real reach = 0;  // [m]

  RTSIM_HD MovingPair(const CollisionWorld<D>& all, const ItemPair& both)
      : world(all),
        pair(both),
        a(all.poses[all.items[both.a].body]),
        b(all.poses[all.items[both.b].body]),
        part_a(all.parts.parts[all.items[both.a].part]),
        part_b(all.parts.parts[both.part]) {}

  // `number` is that of b's part behind the item's.
  RTSIM_HD ContactGeometry<D> collide(const BodyPose<D>& fa, const BodyPose<D>& fb,
                                      const PlacedBox<D>* box_a, const PlacedBox<D>* box_b,
                                      int& number) const {
    number = int(pair.part - world.items[pair.b].part);
    if (part_b.kind == PartKind::field)
      return collide_sdf(SdfSamplePoints<D>{fa, part_a, world.parts.points}, fb,
                         world.solids[part_b.solid], pair.group, part_b.deep, reach, number);
    return rigid::collide(PlacedPart<D>{fa, part_a, world.parts, box_a},
                          PlacedPart<D>{fb, part_b, world.parts, box_b}, reach);
  }
  RTSIM_HD ContactGeometry<D> collide(int& number) const {
    return collide(a, b, &world.box(pair.a), &world.box(pair.b), number);
  }
  // How they touch a time [s] later, if they went on as they do without turning.
  RTSIM_HD ContactGeometry<D> collide_later(Real later, int& number) const {
    const Vec<D> go_a = later * a.velocity, go_b = later * b.velocity;
    BodyPose<D> fa = a, fb = b;
    fa.x = a.x + go_a, fb.x = b.x + go_b;
    PlacedBox<D> box_a = world.box(pair.a), box_b = world.box(pair.b);
    box_a.centre = box_a.centre + go_a, box_b.centre = box_b.centre + go_b;
    return collide(fa, fb, &box_a, &box_b, number);
  }
};

template <int D>
RTSIM_HD Real least_separation(const ContactGeometry<D>& t) {
  Real least = Real(1e30);
  for (int k = 0; k < t.points; ++k) least = lesser(least, t.separation[k]);
  return least;
}

// When the parts come nearer than `margin` [m], by conservative advancement (Mirtich,
// "Impulse-based dynamic simulation" (1996), 2.3.2): they cannot meet before the gap along its own
// normal is closed. Beyond dt [s]: never. What flies past then meets nothing.
template <int D>
RTSIM_HD Real time_of_nearness(const MovingPair<D>& p, Real dt, Real margin, ContactGeometry<D>& t,
                               int& number) {
  constexpr int most_iterations = 12;
  Real later = 0;
  for (int iteration = 0; iteration < most_iterations && t.points > 0; ++iteration) {
    const Real gap = least_separation(t);
    if (gap <= margin) return later;
    const Real turning_speed =
        p.a.spin * p.part_a.reach + p.b.spin * (norm(p.a.x - p.b.centre) + p.part_a.reach);
    const Real parting = dot(p.b.velocity - p.a.velocity, t.normal);
    const Real closing = turning_speed - parting;
    if (!(closing > 0)) return 2 * dt;
    // What does not come nearer but by turning is where it was each time.
    const int left = most_iterations - iteration;
    if (parting >= 0 && Real(left) * (gap - Real(0.5) * margin) > (dt - later) * closing)
      return 2 * dt;
    later += (gap - Real(0.5) * margin) / closing;
    if (later > dt) return later;
    t = p.collide_later(later, number);
  }
  return t.points > 0 ? later : 2 * dt;
}

// How far a part's turning brings the end of an arm along n within dt [s], at most: it reaches no
// farther than the part does. What spins above a floor then does not touch it.
template <int D>
RTSIM_HD Real turned_along(const BodyPose<D>& f, const Part<D>& part, const Vec<D>& arm,
                           const Vec<D>& n, Real dt) {
  const Real go = dt * dot(turning(f.omega, arm), n);
  if (!(part.reach > 0)) return go;
  return lesser(go, greater(part.reach + norm(f.centre - f.x) - dot(arm, n), 0));
}

// The points of `t`, found `later` [s], that are nearer than `margin` [m] or may come so near
// within dt [s].
template <int D>
[[gnu::always_inline]] RTSIM_HD inline void keep_near(const MovingPair<D>& p,
                                                      const ContactGeometry<D>& t, Real later,
                                                      Real dt, Real margin, Manifold<D>& m) {
  m.normal = t.normal, m.points = 0;
  const Vec<D> from_a = p.a.centre + later * p.a.velocity;
  const Vec<D> from_b = p.b.centre + later * p.b.velocity;
  // Those that were found later were moved there without turning.
  const Real together = dot(p.a.velocity - p.b.velocity, t.normal);
  for (int k = 0; k < t.points; ++k) {
    const Vec<D> arm_a = t.point[k] - from_a, arm_b = t.point[k] - from_b;
    const Real gap = t.separation[k] + later * together;
    if (gap > margin) {
      const Real closing = dt * together + turned_along(p.a, p.part_a, arm_a, t.normal, dt) +
                           turned_along(p.b, p.part_b, arm_b, -t.normal, dt);
      if (gap > margin + closing) continue;
    }
    m.arm_a(m.points) = arm_a, m.arm_b(m.points) = arm_b;
    m.separation(m.points) = gap, m.feature(m.points) = t.feature[k];
    ++m.points;
  }
}

// What a test found; of a group that there is not, that.
enum class Found { nothing, no_group, manifold };

// What is in spheres around the bodies' origins that are farther apart than the pair's reach.
template <int D>
[[gnu::always_inline]] RTSIM_HD inline bool apart_by_spheres(const MovingPair<D>& p) {
  const PartKind b = p.part_b.kind;
  if (b == PartKind::plane || b == PartKind::field || b == PartKind::triangle) return false;
  const Vec<D> r = p.b.x - p.a.x;
  const Real reaches = p.part_a.reach + p.part_b.reach + p.reach;
  return dot(r, r) > reaches * reaches;
}

template <int D>
RTSIM_HD bool both_rest(const CollisionWorld<D>& world, const ItemPair& pair) {
  return world.rests.size > 0 && world.rests[world.items[pair.a].body] &&
         world.rests[world.items[pair.b].body];
}

// Whether the pair may touch within dt [s], by its boxes and spheres; then how far apart its parts
// count.
template <int D>
RTSIM_HD bool may_collide(Span<const Aabb<D>> aabbs, Real dt, Real margin, MovingPair<D>& p) {
  const CollisionWorld<D>& world = p.world;
  const ItemPair& pair = p.pair;
  if (!overlap(aabbs[pair.a], aabbs[pair.b])) return false;
  if (both_rest(world, pair)) return false;
  if (p.part_b.kind == PartKind::triangle && !near_triangle(world, aabbs[pair.a], p.b, p.part_b))
    return false;
  p.reach = margin + dt * (norm(p.b.velocity - p.a.velocity) + p.a.spin * p.part_a.reach +
                           p.b.spin * (norm(p.a.x - p.b.centre) + p.part_a.reach));
  return !apart_by_spheres(p);
}

// The manifold of a contact geometry, if the parts touch within dt [s].
template <int D>
RTSIM_HD Found manifold_of(const MovingPair<D>& p, ContactGeometry<D> t, int number, Real dt,
                           Real margin, Manifold<D>& m) {
  if (t.points == 0) return number == no_group ? Found::no_group : Found::nothing;
  const Real later = time_of_nearness(p, dt, margin, t, number);
  if (later > dt) return Found::nothing;
  const Item &a = p.world.items[p.pair.a], &b = p.world.items[p.pair.b];
  m.a = a.body, m.b = b.body, m.part_a = a.number, m.part_b = b.number + std::uint32_t(number);
  keep_near(p, t, later, dt, margin, m);
  return m.points > 0 ? Found::manifold : Found::nothing;
}

// Whether the pair touches, and how.
template <int D>
RTSIM_HD Found collide_pair(const CollisionWorld<D>& world, Span<const Aabb<D>> aabbs,
                            const ItemPair& pair, Real dt, Real margin, Manifold<D>& m) {
  MovingPair<D> p(world, pair);
  if (!may_collide(aabbs, dt, margin, p)) return Found::nothing;
  int number = 0;
  const ContactGeometry<D> t = p.collide(number);
  return manifold_of(p, t, number, dt, margin, m);
}

}  // namespace rtsim::rigid
