#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "exec/parallel.h"
#include "rigid/narrow_phase/box_box.h"
#include "rigid/narrow_phase/collision.h"
#include "rigid/narrow_phase/flat_boxes.h"
#include "rigid/narrow_phase/narrow_phase.h"

// The narrow phase of a CPU: pairs one after the other, but boxes eight pairs at once.
namespace rtsim::rigid {

// Boxes in space: which axis parts them most. What touches then is clipped one pair after the
// other.
class BoxEight {
 public:
  using Eight = Lanes<Real>;

  // `pairs` and `reach` [m]: of eight.
  [[gnu::always_inline]] BoxEight(const CollisionWorld<3>& world, const ItemPair* const* pairs,
                                  const Real* reach)
      : world_(world), pairs_(pairs), reach_(reach) {
    const BoxPair<Eight> p = box_pair(boxes(&ItemPair::a), boxes(&ItemPair::b));
    const BoxAxis<Eight> s = separating_axis(p, Eight::load(reach));
    s.axis.store(axis_), s.separation.store(separation_);
    for (int i = 0; i < 3; ++i) {
      p.a[i].store(a_[i]), p.b[i].store(b_[i]);
      for (int j = 0; j < 3; ++j) p.c[i][j].store(c_[i][j]);
    }
  }
  bool apart(Index l) const { return separation_[l] > reach_[l]; }
  ContactGeometry<3> collide(Index l) const {
    const PlacedBox<3>&a = world_.box(pairs_[l]->a), &b = world_.box(pairs_[l]->b);
    BoxPair<Real> p;
    for (int i = 0; i < 3; ++i) {
      p.a[i] = a_[i][l], p.b[i] = b_[i][l];
      for (int j = 0; j < 3; ++j) p.c[i][j] = c_[i][j][l];
    }
    p.half_a = a.half, p.half_b = b.half;
    return collide_along({axis_[l], separation_[l]}, a, b, p, reach_[l]);
  }

 private:
  [[gnu::always_inline]] PlacedBox<3, Eight> boxes(Index ItemPair::*which) const {
    static_assert(sizeof(PlacedBox<3>) == 4 * sizeof(Row4));
    const Row4* rows = reinterpret_cast<const Row4*>(world_.placed.data);
    Index first[lane_count];
    for (Index l = 0; l < lane_count; ++l) first[l] = 4 * world_.box_row(pairs_[l]->*which);
    const auto p = load_rows(rows, first), q = load_rows(rows + 1, first),
               r = load_rows(rows + 2, first), s = load_rows(rows + 3, first);
    return {{{p.x, p.y, p.z}},
            {{{p.w, q.x, q.y}}, {{q.z, q.w, r.x}}, {{r.y, r.z, r.w}}},
            {{s.x, s.y, s.z}}};
  }

  const CollisionWorld<3>& world_;
  const ItemPair* const* pairs_;
  const Real* reach_;
  Real axis_[lane_count], separation_[lane_count], a_[3][lane_count], b_[3][lane_count],
      c_[3][3][lane_count];
};

// Boxes in the plane, eight pairs at once, from where their bodies are to what they touch with. The
// lanes that need more than this, as corners that are nearest to corners or what flies past, are
// left to narrow_phase.h.

class FlatEight {
 public:
  using Eight = Lanes<Real>;

  // `pairs`: eight of them.
  [[gnu::always_inline]] FlatEight(const CollisionWorld<2>& world, const ItemPair* const* pairs,
                                   Real dt, Real margin) {
    Index of_a[lane_count], of_b[lane_count];
    Real reach_a[lane_count], reach_b[lane_count];
    for (Index l = 0; l < lane_count; ++l) {
      const ItemPair& p = *pairs[l];
      of_a[l] = world.items[p.a].body, of_b[l] = world.items[p.b].body;
      reach_a[l] = world.parts.parts[world.items[p.a].part].reach;
      reach_b[l] = world.parts.parts[p.part].reach;
    }
    const Bodies a = bodies(world, of_a), b = bodies(world, of_b);
    const Eight ra = Eight::load(reach_a), rb = Eight::load(reach_b);
    const Eight reach = Eight(margin) + Eight(dt) * (size(b.velocity - a.velocity) + a.spin * ra +
                                                     b.spin * (size(a.x - b.centre) + ra));
    reach.store(reach_);
    const FlatContact<Eight> t =
        collide_flat(boxes(world, pairs, &ItemPair::a), boxes(world, pairs, &ItemPair::b));
    const VecT<Eight, 2> way = b.x - a.x;
    const Eight reaches = ra + rb + reach;
    apart_ = less(reaches * reaches, dot(way, way)) | less(reach, t.gap);
    const Eight zero(Real(0));
    const Eight sign = select_less(zero, t.second, zero - Eight(Real(1)), Eight(Real(1)));
    second_ = less(zero, t.second);
    put(normal_, sign * t.normal);
    plain_ = less(zero, t.nearest);
    for (int k = 0; k < 2; ++k) {
      const auto& end = t.ends[k];
      End& e = ends_[k];
      const unsigned beyond = less(Eight(margin), end.gap);
      near_[k] = ~beyond, plain_ &= ~beyond | less(reach, end.gap);
      put(e.arm_a, end.point - a.centre), put(e.arm_b, end.point - b.centre);
      end.gap.store(e.gap), end.corner.store(e.corner);
    }
    plain_ &= near_[0] | near_[1];
  }

  bool apart(Index l) const { return apart_ >> l & 1; }
  // Whether all that it touches with is nearer than the margin, or farther than anything gets.
  bool plain(Index l) const { return plain_ >> l & 1; }
  Real reach(Index l) const { return reach_[l]; }
  // Of a plain lane.
  void write(Index l, const CollisionWorld<2>& world, const ItemPair& pair, Manifold<2>& m) const {
    const Item &a = world.items[pair.a], &b = world.items[pair.b];
    m.a = a.body, m.b = b.body, m.part_a = a.number, m.part_b = b.number;
    m.normal = {{normal_[0][l], normal_[1][l]}}, m.points = 0;
    const bool first = !(second_ >> l & 1);
    for (int k = 0; k < 2; ++k) {
      if (!(near_[k] >> l & 1)) continue;
      const End& e = ends_[k];
      const int corner = int(e.corner[l]);
      m.arm_a(m.points) = {{e.arm_a[0][l], e.arm_a[1][l]}};
      m.arm_b(m.points) = {{e.arm_b[0][l], e.arm_b[1][l]}};
      m.separation(m.points) = e.gap[l];
      m.feature(m.points++) =
          (corner < 4) == first ? corner_of_second(corner & 3) : corner_of_first(corner & 3);
    }
  }

 private:
  struct Bodies {
    VecT<Eight, 2> x, centre, velocity;
    Eight spin;
  };
  struct End {
    Real arm_a[2][lane_count], arm_b[2][lane_count], gap[lane_count], corner[lane_count];
  };

  static Eight size(const VecT<Eight, 2>& v) { return root(dot(v, v)); }
  static void put(Real (&lines)[2][lane_count], const VecT<Eight, 2>& v) {
    v[0].store(lines[0]), v[1].store(lines[1]);
  }
  [[gnu::always_inline]] static Bodies bodies(const CollisionWorld<2>& world, const Index* of) {
    static_assert(sizeof(BodyPose<2>) == 3 * sizeof(Row4) &&
                  offsetof(BodyPose<2>, centre) == 6 * sizeof(Real) &&
                  offsetof(BodyPose<2>, velocity) == 8 * sizeof(Real) &&
                  offsetof(BodyPose<2>, spin) == 11 * sizeof(Real));
    const Row4* rows = reinterpret_cast<const Row4*>(world.poses.data);
    Index first[lane_count];
    for (Index l = 0; l < lane_count; ++l) first[l] = 3 * of[l];
    const auto p = load_rows(rows, first), q = load_rows(rows + 1, first),
               r = load_rows(rows + 2, first);
    return {{{p.x, p.y}}, {{q.z, q.w}}, {{r.x, r.y}}, r.w};
  }
  [[gnu::always_inline]] static PlacedBox<2, Eight> boxes(const CollisionWorld<2>& world,
                                                          const ItemPair* const* pairs,
                                                          Index ItemPair::*which) {
    static_assert(sizeof(PlacedBox<2>) == 2 * sizeof(Row4));
    const Row4* rows = reinterpret_cast<const Row4*>(world.placed.data);
    Index first[lane_count];
    for (Index l = 0; l < lane_count; ++l) first[l] = 2 * world.box_row(pairs[l]->*which);
    const auto p = load_rows(rows, first), q = load_rows(rows + 1, first);
    return {{{p.x, p.y}}, {{{p.z, p.w}}, {{q.x, q.y}}}, {{q.z, q.w}}};
  }

  unsigned apart_, plain_, second_, near_[2];
  Real reach_[lane_count], normal_[2][lane_count];
  End ends_[2];
};

namespace {

constexpr Index pairs_per_chunk = 256;

// In a list.
template <int D>
Index rows_of(const Manifold<D>& m) {
  return manifold_head_rows + Manifold<D>::rows_of_points(m.points);
}

// Pairs one after the other on a CPU, boxes in eights; what is found stays in the order of the
// pairs, and is put together from there while it is near.
template <int D>
class CollideChunk {
 public:
  // `found`: room for one of each pair.
  CollideChunk(const CollisionWorld<D>& world, Span<const Aabb<D>> aabbs, Real dt, Real margin,
               Manifold<D>* found)
      : world_(world), aabbs_(aabbs), dt_(dt), margin_(margin), found_(found) {}

  void add(const ItemPair& pair) {
    const ItemPair* const last = std::exchange(last_, &pair);
    if (last && of_last_ == Found::no_group && pair.group > last->group) return;
    of_last_ = Found::nothing;
    if (both_rest(world_, pair) || !overlap(aabbs_[pair.a], aabbs_[pair.b])) return;
    MovingPair<D> p(world_, pair);
    const bool boxes = p.part_a.kind == PartKind::box && p.part_b.kind == PartKind::box;
    if (D == 2 && boxes) return wait(p);
    if (!may_collide(aabbs_, dt_, margin_, p)) return;
    if (boxes) return wait(p);
    of_last_ = collide(p, found_[n_]);
    n_ += of_last_ == Found::manifold;
  }
  // What was found, one behind the other from the room's start on; `first`: the row of each.
  std::size_t finish(Index* first, std::size_t& rows) {
    collide_waiting();
    Row4* const room = reinterpret_cast<Row4*>(found_);
    std::size_t kept = 0;
    rows = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      const Manifold<D>* const m = found_ + k;
      if (m->points == 0) continue;
      const std::size_t size = std::size_t(rows_of(*m));
      first[kept++] = Index(rows);
      std::memmove(room + rows, m, size * sizeof(Row4));
      rows += size;
    }
    return kept;
  }

 private:
  Found collide(const MovingPair<D>& p, Manifold<D>& m) const {
    int number = 0;
    const ContactGeometry<D> t = p.collide(number);
    return manifold_of(p, t, number, dt_, margin_, m);
  }
  void wait(const MovingPair<D>& p) {
    waiting_[waits_] = &p.pair, reach_[waits_] = p.reach, place_[waits_] = n_++;
    if (++waits_ == lane_count) collide_waiting();
  }
  void collide_waiting() {
    if (waits_ == 0) return;
    std::fill(waiting_ + waits_, waiting_ + lane_count, waiting_[0]);
    std::fill(reach_ + waits_, reach_ + lane_count, reach_[0]);
    collide_eight(std::integral_constant<int, D>());
    waits_ = 0;
  }
  void collide_eight(std::integral_constant<int, 2>) {
    const FlatEight eight(world_, waiting_, dt_, margin_);
    for (Index l = 0; l < waits_; ++l) {
      Manifold<D>& m = found_[place_[l]];
      m.points = 0;
      if (eight.apart(l)) continue;
      if (eight.plain(l)) {
        eight.write(l, world_, *waiting_[l], m);
        continue;
      }
      MovingPair<D> p(world_, *waiting_[l]);
      p.reach = eight.reach(l);
      if (collide(p, m) != Found::manifold) m.points = 0;
    }
  }
  void collide_eight(std::integral_constant<int, 3>) {
    const BoxEight eight(world_, waiting_, reach_);
    for (Index l = 0; l < waits_; ++l) {
      Manifold<D>& m = found_[place_[l]];
      m.points = 0;
      if (eight.apart(l)) continue;
      MovingPair<D> p(world_, *waiting_[l]);
      p.reach = reach_[l];
      if (manifold_of(p, eight.collide(l), 0, dt_, margin_, m) != Found::manifold) m.points = 0;
    }
  }

  const CollisionWorld<D>& world_;
  Span<const Aabb<D>> aabbs_;
  Real dt_, margin_;
  Manifold<D>* found_;
  std::size_t n_ = 0;
  const ItemPair* waiting_[lane_count];
  Real reach_[lane_count];  // [m]
  std::size_t place_[lane_count];
  Index waits_ = 0;
  const ItemPair* last_ = nullptr;
  Found of_last_ = Found::nothing;
};

// What chunks found follows one another: first those move that go to the front, then from the end
// those that go to the back, and what had no room comes last. False where the list has to grow:
// then all is to be found again, into as much room as it takes, since a copy meanwhile would be as
// large as the list.
template <int D>
bool close_ranks(Manifolds<D>& all) {
  const std::size_t chunks = all.chunks.size();
  std::vector<std::size_t> first(chunks + 1);
  for (std::size_t c = 0; c < chunks; ++c) first[c + 1] = first[c] + all.chunks[c].rows;
  const bool grows = first.back() > all.rows.capacity();
  Row4* const list = all.rows.data();
  const auto move = [&](std::size_t c) {
    const auto& of = all.chunks[c];
    std::memmove(list + first[c], list + of.first_row,
                 std::min(of.rows, of.row_room) * sizeof(Row4));
  };
  for (std::size_t c = 0; c < chunks && !grows; ++c)
    if (first[c] < all.chunks[c].first_row) move(c);
  for (std::size_t c = chunks; c-- > 0 && !grows;)
    if (first[c] > all.chunks[c].first_row) move(c);
  std::size_t n = 0;
  for (std::size_t c = 0; c < chunks; ++c) {
    auto& of = all.chunks[c];
    if (!grows) std::ranges::copy(of.beside, list + first[c] + std::min(of.rows, of.row_room));
    of = {first[c], of.rows, n, of.n, of.n, of.rows, {}};
    n += of.n;
  }
  if (grows) all.rows.resize(first.back() + first.back() / 4);
  all.rows.resize(first.back());
  all.size = Index(n);
  if (D == 3) all.first.resize(n);
  return !grows;
}

// Each chunk where it was in the last step, if there is room.
template <int D>
void collide_chunks(const Exec& ex, const CollisionWorld<D>& world, Span<const Aabb<D>> aabbs,
                    Span<const ItemPair> pairs, Real dt, Real margin, Manifolds<D>& out) {
  parallel_chunks(ex, "rigid.touch", pairs.size, pairs_per_chunk, [&](Index begin, Index end) {
    alignas(Manifold<D>) std::byte room[pairs_per_chunk * sizeof(Manifold<D>)];
    Index first[pairs_per_chunk];
    CollideChunk<D> some(world, aabbs, dt, margin, reinterpret_cast<Manifold<D>*>(room));
    for (Index i = begin; i < end; ++i) some.add(pairs[i]);
    auto& chunk = out.chunks[std::size_t(begin / pairs_per_chunk)];
    chunk.n = some.finish(first, chunk.rows);
    const Row4* const found = reinterpret_cast<const Row4*>(room);
    const std::size_t here = std::min(chunk.rows, chunk.row_room);
    std::copy_n(found, here, out.rows.data() + chunk.first_row);
    chunk.beside.assign(found + here, found + chunk.rows);
    if (D == 3 && chunk.n == chunk.room)
      for (std::size_t k = 0; k < chunk.n; ++k)
        out.first.data()[chunk.first + k] = Index(chunk.first_row) + first[k];
  });
}

// Where manifolds begin, in chunks that have moved.
template <int D>
void number_rows(const Exec& ex, Manifolds<D>& out) {
  if (D == 2) return;
  constexpr Index chunks_at_once = 8;
  parallel_chunks(
      ex, "rigid.touch", Index(out.chunks.size()), chunks_at_once, [&](Index begin, Index end) {
        for (Index c = begin; c < end; ++c) {
          const auto& chunk = out.chunks[std::size_t(c)];
          std::size_t row = chunk.first_row;
          for (std::size_t k = 0; k < chunk.n; ++k) {
            out.first.data()[chunk.first + k] = Index(row);
            row +=
                std::size_t(rows_of(*reinterpret_cast<const Manifold<D>*>(out.rows.data() + row)));
          }
        }
      });
}

}  // namespace

template <int D>
void collide_pairs_lanes(const Exec& ex, const CollisionWorld<D>& world, Span<const Aabb<D>> aabbs,
                         Span<const ItemPair> pairs, Real dt, Real margin, Manifolds<D>& out) {
  const std::size_t chunks = std::size_t((pairs.size + pairs_per_chunk - 1) / pairs_per_chunk);
  const bool as_many = chunks == out.chunks.size();
  out.chunks.resize(chunks);
  collide_chunks(ex, world, aabbs, pairs, dt, margin, out);
  const bool fit = std::ranges::all_of(
      out.chunks, [](const auto& c) { return c.n == c.room && c.rows == c.row_room; });
  if (fit && as_many) return;
  if (close_ranks(out)) return number_rows(ex, out);
  collide_chunks(ex, world, aabbs, pairs, dt, margin, out);
}

template void collide_pairs_lanes<2>(const Exec&, const CollisionWorld<2>&, Span<const Aabb<2>>,
                                     Span<const ItemPair>, Real, Real, Manifolds<2>&);
template void collide_pairs_lanes<3>(const Exec&, const CollisionWorld<3>&, Span<const Aabb<3>>,
                                     Span<const ItemPair>, Real, Real, Manifolds<3>&);

}  // namespace rtsim::rigid
