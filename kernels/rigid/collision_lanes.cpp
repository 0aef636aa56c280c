#include <algorithm>
#include <cstring>
#include <utility>

#include "exec/parallel.h"
#include "rigid/collision.h"
#include "rigid/touch_pair.h"

namespace rtsim::rigid {

namespace {

constexpr Index pairs_per_chunk = 256;

// Pairs one after the other on a CPU, boxes in eights; what is found stays in the order of the
// pairs.
template <int D>
class TouchSome {
 public:
  // `found`: room for more than there is.
  TouchSome(const Scene<D>& scene, Span<const Box<D>> boxes, Real dt, Real margin,
            std::vector<Manifold<D>>& found)
      : scene_(scene), boxes_(boxes), dt_(dt), margin_(margin), found_(found) {}

  void add(const ItemPair& pair) {
    const ItemPair* const last = std::exchange(last_, &pair);
    if (last && of_last_ == Found::no_group && pair.group > last->group) return;
    of_last_ = Found::nothing;
    MovingPair<D> p(scene_, pair);
    if (!may_touch(boxes_, dt_, margin_, p)) return;
    if (n_ == found_.size()) found_.resize(2 * n_ + 64);
    if (p.part_a.kind == PartKind::box && p.part_b.kind == PartKind::box) {
      waiting_[waits_++] = {&pair, p.reach, n_++};
      if (waits_ == lane_count) touch_boxes();
      return;
    }
    int number = 0;
    const Touching<D> t = p.touch(number);
    of_last_ = manifold_of(p, t, number, dt_, margin_, found_[n_]);
    n_ += of_last_ == Found::manifold;
  }
  // How many were found.
  std::size_t finish() {
    touch_boxes();
    std::size_t kept = 0;
    for (std::size_t k = 0; k < n_; ++k)
      if (found_[k].points > 0 && kept++ < k) found_[kept - 1] = found_[k];
    return kept;
  }

 private:
  struct Waiting {
    const ItemPair* pair;
    Real reach;
    std::size_t place;
  };

  void touch_boxes() {
    if (waits_ == 0) return;
    Touching<D> touching[lane_count];
    const unsigned known = touch_eight(touching);
    for (Index l = 0; l < waits_; ++l) {
      const Waiting& w = waiting_[l];
      MovingPair<D> p(scene_, *w.pair);
      p.reach = w.reach;
      int number = 0;
      const Touching<D> t = known >> l & 1 ? touching[l] : p.touch(number);
      Manifold<D>& m = found_[w.place];
      if (manifold_of(p, t, 0, dt_, margin_, m) != Found::manifold) m.points = 0;
    }
    waits_ = 0;
  }
  // Bit l: that lane is known.
  unsigned touch_eight(Touching<2>* touching) const {
    using T = Lanes<Real>;
    const FlatTouch<T> all = touch_flat(eight_of(&ItemPair::a), eight_of(&ItemPair::b));
    constexpr std::size_t numbers = sizeof all / sizeof(T);
    Real lines[numbers][lane_count], own[numbers];
    std::memcpy(lines, &all, sizeof lines);
    unsigned known = 0;
    for (Index l = 0; l < waits_; ++l) {
      for (std::size_t k = 0; k < numbers; ++k) own[k] = lines[k][l];
      FlatTouch<Real> t;
      std::memcpy(&t, own, sizeof t);
      const bool apart = t.gap > waiting_[l].reach;
      if (!apart && t.nearest > 0) touching[l] = give_flat(t, waiting_[l].reach);
      known |= unsigned(apart || t.nearest > 0) << l;
    }
    return known;
  }
  unsigned touch_eight(Touching<3>*) const { return 0; }
  // The boxes of those that wait, and the first's again.
  PlacedBox<D, Lanes<Real>> eight_of(Index ItemPair::*which) const {
    PlacedBox<D, Lanes<Real>> all;
    constexpr std::size_t numbers = sizeof(PlacedBox<D>) / sizeof(Real);
    Real lines[numbers][lane_count], own[numbers];
    for (Index l = 0; l < lane_count; ++l) {
      std::memcpy(own, &scene_.placed[waiting_[l < waits_ ? l : 0].pair->*which], sizeof own);
      for (std::size_t k = 0; k < numbers; ++k) lines[k][l] = own[k];
    }
    std::memcpy(&all, lines, sizeof all);
    return all;
  }

  const Scene<D>& scene_;
  Span<const Box<D>> boxes_;
  Real dt_, margin_;
  std::vector<Manifold<D>>& found_;
  std::size_t n_ = 0;
  Waiting waiting_[lane_count] = {};
  Index waits_ = 0;
  const ItemPair* last_ = nullptr;
  Found of_last_ = Found::nothing;
};

}  // namespace

// Each chunk of pairs lists what it finds; the lists follow one another.
template <int D>
void touch_pairs_lanes(const Exec& ex, const Scene<D>& scene, Span<const Box<D>> boxes,
                       Span<const ItemPair> pairs, Real dt, Real margin, Manifolds<D>& out) {
  const Index chunks = (pairs.size + pairs_per_chunk - 1) / pairs_per_chunk;
  if (Index(out.chunks.size()) < chunks) out.chunks.resize(std::size_t(chunks));
  parallel_chunks(ex, "rigid.touch", pairs.size, pairs_per_chunk, [&](Index begin, Index end) {
    auto& chunk = out.chunks[std::size_t(begin / pairs_per_chunk)];
    TouchSome<D> some(scene, boxes, dt, margin, chunk.list);
    for (Index i = begin; i < end; ++i) some.add(pairs[i]);
    chunk.n = some.finish();
  });
  std::vector<std::size_t> first(std::size_t(chunks) + 1);
  for (std::size_t c = 0; c < std::size_t(chunks); ++c) first[c + 1] = first[c] + out.chunks[c].n;
  out.list.resize(first.back());
  Manifold<D>* to = out.list.data();
  parallel_chunks(ex, "rigid.pack", chunks, 8, [&](Index begin, Index end) {
    for (std::size_t c = std::size_t(begin); c < std::size_t(end); ++c)
      std::copy_n(out.chunks[c].list.begin(), out.chunks[c].n, to + first[c]);
  });
}

template void touch_pairs_lanes<2>(const Exec&, const Scene<2>&, Span<const Box<2>>,
                                   Span<const ItemPair>, Real, Real, Manifolds<2>&);
template void touch_pairs_lanes<3>(const Exec&, const Scene<3>&, Span<const Box<3>>,
                                   Span<const ItemPair>, Real, Real, Manifolds<3>&);

}  // namespace rtsim::rigid
