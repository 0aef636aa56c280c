#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "exec/parallel.h"
#include "rigid/narrow_phase/box_eight.h"
#include "rigid/narrow_phase/collision.h"
#include "rigid/narrow_phase/flat_eight.h"

namespace rtsim::rigid {

namespace {

constexpr Index pairs_per_chunk = 256;

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
    if (!overlap(aabbs_[pair.a], aabbs_[pair.b])) return;
    MovingPair<D> p(world_, pair);
    const bool boxes = p.part_a.kind == PartKind::box && p.part_b.kind == PartKind::box;
    if (D == 2 && boxes) {
      if (!both_rest(world_, pair)) wait(p);
      return;
    }
    if (!may_collide(aabbs_, dt_, margin_, p)) return;
    if (boxes) return wait(p);
    of_last_ = collide(p, found_[n_]);
    n_ += of_last_ == Found::manifold;
  }
  // How many were found.
  std::size_t finish() {
    collide_waiting();
    std::size_t kept = 0;
    for (std::size_t k = 0; k < n_; ++k)
      if (found_[k].points > 0 && kept++ < k) found_[kept - 1] = found_[k];
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
// those that go to the back, and what had no room comes last.
template <int D>
void close_ranks(Manifolds<D>& all, std::size_t chunks) {
  std::vector<std::size_t> first(chunks + 1);
  for (std::size_t c = 0; c < chunks; ++c) first[c + 1] = first[c] + all.chunks[c].n;
  if (first.back() > all.capacity)
    all.capacity = first.back() + first.back() / 8, all.list.reserve(all.capacity);
  all.list.resize(first.back());
  Manifold<D>* const list = all.list.data();
  const auto move = [&](std::size_t c) {
    const auto& of = all.chunks[c];
    std::memmove(list + first[c], list + of.first, std::min(of.n, of.room) * sizeof *list);
  };
  for (std::size_t c = 0; c < chunks; ++c)
    if (first[c] < all.chunks[c].first) move(c);
  for (std::size_t c = chunks; c-- > 0;)
    if (first[c] > all.chunks[c].first) move(c);
  for (std::size_t c = 0; c < chunks; ++c) {
    auto& of = all.chunks[c];
    std::ranges::copy(of.beside, list + first[c] + std::min(of.n, of.room));
    of = {first[c], of.n, of.n, {}};
  }
}

}  // namespace

template <int D>
void collide_pairs_lanes(const Exec& ex, const CollisionWorld<D>& world, Span<const Aabb<D>> aabbs,
                         Span<const ItemPair> pairs, Real dt, Real margin, Manifolds<D>& out) {
  const std::size_t chunks = std::size_t((pairs.size + pairs_per_chunk - 1) / pairs_per_chunk);
  const bool as_many = chunks == out.chunks.size();
  out.chunks.resize(chunks);
  parallel_chunks(ex, "rigid.touch", pairs.size, pairs_per_chunk, [&](Index begin, Index end) {
    alignas(Manifold<D>) std::byte room[pairs_per_chunk * sizeof(Manifold<D>)];
    Manifold<D>* const found = reinterpret_cast<Manifold<D>*>(room);
    CollideChunk<D> some(world, aabbs, dt, margin, found);
    for (Index i = begin; i < end; ++i) some.add(pairs[i]);
    auto& chunk = out.chunks[std::size_t(begin / pairs_per_chunk)];
    chunk.n = some.finish();
    const std::size_t here = std::min(chunk.n, chunk.room);
    std::copy_n(found, here, out.list.data() + chunk.first);
    chunk.beside.assign(found + here, found + chunk.n);
  });
  const bool fit = std::ranges::all_of(out.chunks, [](const auto& c) { return c.n == c.room; });
  if (!fit || !as_many) close_ranks(out, chunks);
}

template void collide_pairs_lanes<2>(const Exec&, const CollisionWorld<2>&, Span<const Aabb<2>>,
                                     Span<const ItemPair>, Real, Real, Manifolds<2>&);
template void collide_pairs_lanes<3>(const Exec&, const CollisionWorld<3>&, Span<const Aabb<3>>,
                                     Span<const ItemPair>, Real, Real, Manifolds<3>&);

}  // namespace rtsim::rigid
