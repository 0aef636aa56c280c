#include "rigid/contacts/contacts.h"

#include "base/quaternion.h"
#include "exec/parallel.h"
#include "rigid/contacts/contact_law.h"
#include "rigid/material.h"
#include "rigid/motion/for_bodies.h"
#include "rigid/motion/impact.h"
#include "rigid/motion/slender.h"

namespace rtsim::rigid {

namespace {

// Not above what any axis allows, so that rolling never gains.
RTSIM_HD Real rolling_mass(const InverseInertia<2, Real>& i, const InverseInertia<2, Real>& j) {
  const Real k = i.zz + j.zz;
  return k > 0 ? 1 / k : 0;
}
RTSIM_HD Real rolling_mass(const InverseInertia<3, Real>& i, const InverseInertia<3, Real>& j) {
  const Real xy = std::abs(i.xy + j.xy), xz = std::abs(i.xz + j.xz), yz = std::abs(i.yz + j.yz);
  const Real k = max(max(i.xx + j.xx + xy + xz, i.yy + j.yy + xy + yz), i.zz + j.zz + xz + yz);
  return k > 0 ? 1 / k : 0;
}

template <class T>
RTSIM_HD void load_kept(const Row4* rows, const Index* at, KeptContact<2, T>& k) {
  T* const kind = nullptr;
  const Four<T> a = load_four(rows, at, kind), b = load_four(rows + 1, at, kind);
  k = {{{a.x, a.y}}, {{a.z, a.w}}, b.x, {{b.y}}, b.z, b.w};
}
template <class T>
RTSIM_HD void load_kept(const Row4* rows, const Index* at, KeptContact<3, T>& k) {
  T* const kind = nullptr;
  const Four<T> a = load_four(rows, at, kind), b = load_four(rows + 1, at, kind),
                c = load_four(rows + 2, at, kind), d = load_four(rows + 3, at, kind);
  k = {{{a.x, a.y, a.z, a.w}}, {{b.x, b.y, b.z}}, b.w, {{c.x, c.y, c.z}}, c.w, d.x};
}
template <class T>
RTSIM_HD void store_kept(Row4* rows, const Index* at, const KeptContact<2, T>& k) {
  store_four(rows, at, k.impulse[0], k.impulse[1], k.friction[0], k.friction[1]);
  store_four(rows + 1, at, k.spin, k.rolling[0], k.load, k.borne);
}
template <class T>
RTSIM_HD void store_kept(Row4* rows, const Index* at, const KeptContact<3, T>& k) {
  const T none(Real(0));
  store_four(rows, at, k.impulse[0], k.impulse[1], k.impulse[2], k.impulse[3]);
  store_four(rows + 1, at, k.friction[0], k.friction[1], k.friction[2], k.spin);
  store_four(rows + 2, at, k.rolling[0], k.rolling[1], k.rolling[2], k.load);
  store_four(rows + 3, at, k.borne, none, none, none);
}

template <int D>
struct PrepareBlock {
  ContactRows<D> rows;
  ContactState<D> last;
  const Row4* solver_bodies;
  Span<ContactBlock<D>> blocks;
  bool rolls, eights;

  [[gnu::flatten]] RTSIM_HD void operator()(Index at) const {
    fetch_next(at);
    ContactBlock<D>& b = blocks[at];
    const Index* const slots = &rows.slots[at * lane_count];
    clear(b), give_points(b, at, slots);
    if (!place_eight(b, slots))
      for (Index l = 0; l < lane_count; ++l) place_lane(b, l, slots[l]);
    if (rolls)
      for (Index l = 0; l < lane_count; ++l) weigh_rolling(b, l);
    if (rows.round.size > 0)
      for (Index l = 0; l < lane_count; ++l) find_round(b, l);
#ifndef __CUDA_ARCH__
    if (eights) return weigh_all<Lanes<Real>>(b);
#endif
    weigh_all<Real>(b);
  }
  // Manifolds of a colour are far from each other.
  RTSIM_HD void fetch_next(Index at) const {
#ifndef __CUDA_ARCH__
    constexpr std::size_t most = 2 * 64;  // what most of them have
    if (at + 1 == blocks.size) return;
    for (Index l = 0; l < lane_count; ++l) {
      const Index m = rows.slots[(at + 1) * lane_count + l];
      if (m < 0) continue;
      const char* const from = reinterpret_cast<const char*>(&rows.manifolds[m]);
      for (std::size_t k = 0; k < most; k += 64) __builtin_prefetch(from + k);
      if (rows.previous[m] < 0) continue;
      __builtin_prefetch(&last.features[rows.previous[m]]);
      __builtin_prefetch(&last.kept[rows.previous[m]]);
    }
#endif
  }
  // As rows: for a block of 1 kB compilers take `rep stos`, which is slow to begin.
  template <class T>
  RTSIM_HD static void clear(T& b) {
    Row4* const line = reinterpret_cast<Row4*>(&b);
    for (std::size_t k = 0; k < sizeof b / sizeof(Row4); ++k) line[k] = {0, 0, 0, 0};
  }
  // As many as its lanes need, all of them absent.
  RTSIM_HD void give_points(ContactBlock<D>& b, Index at, const Index* slots) const {
    for (Index l = 0; l < lane_count; ++l)
      if (slots[l] >= 0 && rows.manifolds[slots[l]].points > b.points)
        b.points = rows.manifolds[slots[l]].points;
    if constexpr (!ContactBlock<D>::has_own_points) {
      b.point = rows.points.point.data + rows.points.first[at];
      b.feature = rows.points.feature.data + rows.points.first[at];
      for (int k = 0; k < b.points; ++k) clear(b.point[k]), b.feature[k] = {};
    }
    for (int k = 0; k < b.solved_points(); ++k)
      for (Real& s : b.point[k].separation) s = nowhere;
  }
  template <class T>
  RTSIM_HD void weigh_all(ContactBlock<D>& b) const {
    constexpr Index lanes = sizeof(T) / sizeof(Real);
    const ByPasses growth{rows.stiffness.most_passes / rows.stiffness.passes};
    for (Index l = 0; l < lane_count; l += lanes) {
      weigh<D, T>(solver_bodies, b, l);
      stiffen<D, T>(rows.stiffness, growth, solver_bodies, b, l);
      const T faded = T(rows.stiffness.fades) * lane<T>(b.peak, l);
      set_lane(b.peak, l, min(max(lane<T>(b.load, l), faded), T(most_peak_load)));
    }
    find_most_load(b);
  }
  RTSIM_HD void weigh_rolling(ContactBlock<D>& b, Index l) const {
    if (b.manifold[l] < 0) return;
    const ContactPair<D, Real> pair(solver_bodies, b, l);
    b.rolling_mass[l] = rolling_mass(pair.i.inertia, pair.j.inertia);
  }
  RTSIM_HD void find_round(ContactBlock<D>& b, Index l) const {
    if (b.manifold[l] < 0) return;
    const Vec<D> n = lane<Real>(b.normal, l);
    const Index i = b.i[l] / solver_body_rows<D>, j = b.j[l] / solver_body_rows<D>;
    b.round_i[l] = rows.round[i].radius_along(rows.poses[i], n);
    b.round_j[l] = rows.round[j].radius_along(rows.poses[j], n);
  }
  // Of the bodies, that which nothing moves is put second.
  RTSIM_HD bool name(ContactBlock<D>& b, Index l, Index row) const {
    const Manifold<D>& m = rows.manifolds[row];
    const bool swap = !(solver_bodies[solver_body_rows<D> * m.a].w > 0);
    b.manifold[l] = row;
    b.i[l] = solver_body_rows<D> * (swap ? m.b : m.a);
    b.j[l] = solver_body_rows<D> * (swap ? m.a : m.b);
    if constexpr (D == 2)
      b.inertia_i[l] = solver_bodies[b.i[l] + 2].x, b.inertia_j[l] = solver_bodies[b.j[l] + 2].x;
    return swap;
  }
  RTSIM_HD void place_lane(ContactBlock<D>& b, Index l, Index row) const {
    b.manifold[l] = row;
    b.i[l] = b.j[l] = solver_body_rows<D> * (rows.spare + l);
    b.normal[1][l] = 1;
    if (row < 0) return;
    const Manifold<D>& m = rows.manifolds[row];
    const bool swap = name(b, l, row);
    set_lane(b.normal, l, swap ? -m.normal : m.normal);
    for (int k = 0; k < m.points; ++k) {
      auto& point = b.point[k];
      const Vec<D> ri = swap ? m.arm_b(k) : m.arm_a(k), rj = swap ? m.arm_a(k) : m.arm_b(k);
      set_lane(point.arm_i, l, ri), set_lane(point.arm_j, l, rj);
      point.separation[l] = m.separation(k), b.feature[k][l] = m.feature(k);
    }
    if (rows.previous[row] >= 0) remember(b, l, m, swap ? Real(-1) : Real(1), rows.previous[row]);
  }
  // Impulses of points that touch by the same features start where they were.
  RTSIM_HD void remember(ContactBlock<D>& b, Index l, const Manifold<D>& m, Real sign,
                         Index row) const {
    const auto features = last.features[row];
    const Index first = kept_rows<D> * row;
    KeptContact<D> kept;
    load_kept(kept_lines(), &first, kept);
    Real pressure = 0, left = 0;
    for (int o = 0; o < ContactState<D>::points; ++o) pressure += kept.impulse[o];
    for (int k = 0; k < m.points; ++k)
      for (int o = 0; o < ContactState<D>::points; ++o) {
        if (features[o] != m.feature(k) || !(kept.impulse[o] > 0)) continue;
        b.point[k].impulse[l] = kept.impulse[o], left += kept.impulse[o];
        break;
      }
    go_on(b, l, kept, sign, left > 0 ? left / pressure : Real(0));
  }
  // `share`: as much of the friction as of the pressure that bore it.
  template <class T>
  RTSIM_HD void go_on(ContactBlock<D>& b, Index l, const KeptContact<D, T>& kept, const T& sign,
                      const T& share) const {
    VecT<T, D> t[D - 1];
    tangents(lane<T>(b.normal, l), t);
    for (int e = 0; e < D - 1; ++e)
      set_lane(b.friction[e], l, sign * share * dot(kept.friction, t[e]));
    if constexpr (D == 3) set_lane(b.friction[2], l, share * kept.spin);
    set_lane(b.rolling, l, sign * kept.rolling);
    set_lane(b.peak, l, kept.load), set_lane(b.borne, l, T(Real(0)) - kept.borne);
  }
  // Eight that all were there in the last step, with the same points, at once.
  RTSIM_HD bool place_eight(ContactBlock<D>& b, const Index* slots) const {
#ifndef __CUDA_ARCH__
    using T = Lanes<Real>;
    if (!eights || slots[0] < 0) return false;
    const int points = rows.manifolds[slots[0]].points;
    for (Index l = 0; l < lane_count; ++l)
      if (slots[l] < 0 || rows.previous[slots[l]] < 0 || !goes_on(slots[l], points)) return false;
    Real signs[lane_count];
    Index found_at[lane_count], kept_at[lane_count];
    for (Index l = 0; l < lane_count; ++l) {
      signs[l] = name(b, l, slots[l]) ? Real(-1) : Real(1);
      found_at[l] = rows.manifolds.row(slots[l]),
      kept_at[l] = kept_rows<D> * rows.previous[slots[l]];
      for (int k = 0; k < points; ++k) b.feature[k][l] = rows.manifolds[slots[l]].feature(k);
    }
    const Row4* const found = rows.manifolds.rows.data;
    const T sign = T::load(signs), zero(Real(0));
    const Lanes4<Real> n = load_rows(found + manifold_head_rows - 1, found_at);
    const T normal[3] = {n.x, n.y, n.z};
    for (int a = 0; a < D; ++a) set_lane(b.normal[a], 0, sign * normal[a]);
    FoundPoint<T> of_points[ContactBlock<D>::most_points];
    load_points(found + manifold_head_rows, found_at, points, of_points);
    KeptContact<D, T> kept;
    load_kept(kept_lines(), kept_at, kept);
    T left = zero;
    for (int k = 0; k < points; ++k) {
      auto& point = b.point[k];
      for (int a = 0; a < D; ++a) {
        const T &of_a = of_points[k].arm_a[a], &of_b = of_points[k].arm_b[a];
        set_lane(point.arm_i[a], 0, select_less(sign, zero, of_b, of_a));
        set_lane(point.arm_j[a], 0, select_less(sign, zero, of_a, of_b));
      }
      set_lane(point.separation, 0, of_points[k].separation),
          set_lane(point.impulse, 0, kept.impulse[k]);
      left = left + kept.impulse[k];
    }
    go_on(b, 0, kept, sign, select_less(zero, left, T(Real(1)), zero));
    return true;
#else
    return false;
#endif
  }
  // Whether a manifold has so many points, those of the last step.
  bool goes_on(Index row, int points) const {
    const Manifold<D>& m = rows.manifolds[row];
    const auto& before = last.features[rows.previous[row]];
    bool same = m.points == points;
    for (int k = 0; k < ContactState<D>::points; ++k)
      same = same && before[k] == (k < points ? m.feature(k) : 0u);
    return same;
  }
  RTSIM_HD const Row4* kept_lines() const { return reinterpret_cast<const Row4*>(last.kept.data); }
  template <class T>
  struct FoundPoint {
    VecT<T, D> arm_a, arm_b;
    T separation;
  };
  using FoundEight = FoundPoint<Lanes<Real>>;
  // As kernels/rigid/narrow_phase/manifold.h has them.
  static void load_points(const Row4* rows, const Index* at, int, FoundEight (&to)[2]) {
    const Lanes4<Real> a = load_rows(rows, at), b = load_rows(rows + 1, at),
                       s = load_rows(rows + 2, at);
    to[0] = {{{a.x, a.y}}, {{b.x, b.y}}, s.x};
    to[1] = {{{a.z, a.w}}, {{b.z, b.w}}, s.y};
  }
  static void load_points(const Row4* rows, const Index* at, int points, FoundEight (&to)[4]) {
    for (int k = 0; k < points; ++k) {
      const Lanes4<Real> a = load_rows(rows + 2 * k, at), b = load_rows(rows + 2 * k + 1, at);
      to[k] = {{{a.x, a.y, a.z}}, {{b.x, b.y, b.z}}, a.w};
    }
  }
};

template <int D>
struct WarmStart {
  Span<ContactBlock<D>> blocks;
  Index begin;
  bool both;
  Row4* solver_bodies;
  RTSIM_HD void operator()(Index k) const {
    const ContactBlock<D>& b = blocks[begin + k / lane_count];
    if (b.manifold[k % lane_count] >= 0)
      warm_start<D, Real>(b, k % lane_count, both, solver_bodies);
  }
};

template <int D>
struct SolveContact {
  ContactLaw law;
  Span<ContactBlock<D>> blocks;
  Index begin;
  bool both;
  Row4* solver_bodies;
  RTSIM_HD void operator()(Index k) const {
    ContactBlock<D>& b = blocks[begin + k / lane_count];
    if (b.manifold[k % lane_count] >= 0 && has_turn(law, b, k % lane_count))
      solve_contact<D, Real>(law, b, k % lane_count, both, solver_bodies);
  }
};

template <int D>
struct Bounce {
  ImpactLaw law;
  Span<const LaneMaterials<D>> own;
  Span<ContactBlock<D>> blocks;
  Index begin;
  bool both;
  Row4* solver_bodies;
  Span<ReportedImpulses<D>> reported;
  RTSIM_HD Index operator()(Index k) const {
    const Index at = begin + k / lane_count, l = k % lane_count;
    const ContactBlock<D>& b = blocks[at];
    if (b.manifold[l] < 0) return 0;
    ReportedImpulses<D>* const adds = reported.size > 0 ? &reported[at] : nullptr;
    if (own.size > 0)
      return impact(OwnImpactLaw<D>(law, own[at], l), b, l, both, solver_bodies, adds);
    return impact(law, b, l, both, solver_bodies, adds);
  }
};

template <int D>
struct Load {
  Span<const ContactBlock<D>> blocks;
  RTSIM_HD Real operator()(Index k) const { return blocks[k].most_load; }
};

template <int D>
struct AddReported {
  Span<const ContactBlock<D>> blocks;
  Span<ReportedImpulses<D>> reported;
  RTSIM_HD void operator()(Index k) const {
    reported[k / lane_count].add(blocks[k / lane_count], k % lane_count);
  }
};

template <int D>
struct KeepLane {
  Span<const ContactBlock<D>> blocks;
  ContactState<D> state;
  RTSIM_HD void operator()(Index k) const {
    if (blocks[k / lane_count].manifold[k % lane_count] >= 0) keep<Real>(k);
  }
  // Those of a block, if there are eight.
  [[gnu::flatten]] bool eight(Index k) const {
#ifndef __CUDA_ARCH__
    for (const Index row : blocks[k / lane_count].manifold)
      if (row < 0) return false;
    keep<Lanes<Real>>(k);
#endif
    return true;
  }
  template <class T>
  RTSIM_HD void keep(Index k) const {
    constexpr Index lanes = sizeof(T) / sizeof(Real);
    const ContactBlock<D>& b = blocks[k / lane_count];
    const Index l = k % lane_count;
    Real signs[lanes];
    Index at[lanes];
    for (Index q = 0; q < lanes; ++q) {
      const Index row = b.manifold[l + q];
      at[q] = kept_rows<D> * row;
      signs[q] = b.i[l + q] < b.j[l + q] ? Real(1) : Real(-1);  // as in the manifold, or swapped
      for (int p = 0; p < ContactState<D>::points; ++p)
        state.features[row][p] = p < b.solved_points() ? b.feature[p][l + q] : 0;
    }
    const T sign = lane(signs, 0, static_cast<T*>(nullptr));
    VecT<T, D> t[D - 1];
    tangents(lane<T>(b.normal, l), t);
    KeptContact<D, T> kept{};
    for (int p = 0; p < ContactState<D>::points; ++p)
      kept.impulse[p] = p < b.solved_points() ? lane<T>(b.point[p].impulse, l) : T(Real(0));
    kept.friction = (sign * lane<T>(b.friction[0], l)) * t[0];
    kept.spin = T(Real(0));
    if constexpr (D == 3) {
      kept.friction = kept.friction + (sign * lane<T>(b.friction[1], l)) * t[1];
      kept.spin = lane<T>(b.friction[2], l);
    }
    kept.rolling = sign * lane<T>(b.rolling, l);
    kept.load = lane<T>(b.peak, l), kept.borne = max(lane<T>(b.borne, l), T(Real(0)));
    store_kept(reinterpret_cast<Row4*>(state.kept.data), at, kept);
  }
};

}  // namespace

template <int D>
void prepare_contacts(const Exec& ex, const ContactRows<D>& rows, const ContactState<D>& last,
                      Span<const Row4> solver_bodies, Span<ContactBlock<D>> blocks) {
  const PrepareBlock<D> body{rows, last, solver_bodies.data, blocks, rows.rolls, ex.cpu_shaped()};
  for_bodies(ex, "rigid.prepare", blocks.size, body, 16);
}

template <int D>
Real most_load(const Exec& ex, Span<const ContactBlock<D>> blocks) {
  return reduce(ex, "rigid.load", blocks.size, Real(0), Load<D>{blocks}, Max{});
}

template <int D>
void warm_start(const Exec& ex, Span<ContactBlock<D>> blocks, Index begin, Index end, bool both,
                Span<Row4> solver_bodies) {
  if (ex.cpu_shaped()) return warm_start_lanes(ex, blocks, begin, end, both, solver_bodies);
  parallel_for(ex, "rigid.warm_start", (end - begin) * lane_count,
               WarmStart<D>{blocks, begin, both, solver_bodies.data});
}

template <int D>
void solve_contacts(const Exec& ex, const ContactLaw& law, Span<ContactBlock<D>> blocks,
                    Index begin, Index end, bool both, Span<Row4> solver_bodies) {
  if (ex.cpu_shaped())
    return solve_contacts_lanes<D>(ex, law, {}, blocks, begin, end, both, solver_bodies);
  parallel_for(ex, "rigid.solve", (end - begin) * lane_count,
               SolveContact<D>{law, blocks, begin, both, solver_bodies.data});
}

template <int D>
Index bounce(const Exec& ex, const ImpactLaw& law, Span<const LaneMaterials<D>> own,
             Span<ContactBlock<D>> blocks, Index begin, Index end, bool both,
             Span<Row4> solver_bodies, Span<ReportedImpulses<D>> reported) {
  return reduce(ex, "rigid.bounce", (end - begin) * lane_count, Index(0),
                Bounce<D>{law, own, blocks, begin, both, solver_bodies.data, reported}, Plus{});
}

template <int D>
void add_reported(const Exec& ex, Span<const ContactBlock<D>> blocks,
                  Span<ReportedImpulses<D>> reported) {
  parallel_for(ex, "rigid.given", blocks.size * lane_count, AddReported<D>{blocks, reported});
}

template <int D>
void keep_contacts(const Exec& ex, Span<const ContactBlock<D>> blocks,
                   const ContactState<D>& state) {
  for_eights(ex, "rigid.keep", Rows{blocks.size * lane_count}, KeepLane<D>{blocks, state});
}

#define RTSIM_INSTANTIATE(D)                                                                       \
  template void prepare_contacts<D>(const Exec&, const ContactRows<D>&, const ContactState<D>&,    \
                                    Span<const Row4>, Span<ContactBlock<D>>);                      \
  template Real most_load<D>(const Exec&, Span<const ContactBlock<D>>);                            \
  template void warm_start<D>(const Exec&, Span<ContactBlock<D>>, Index, Index, bool, Span<Row4>); \
  template void solve_contacts<D>(const Exec&, const ContactLaw&, Span<ContactBlock<D>>, Index,    \
                                  Index, bool, Span<Row4>);                                        \
  template Index bounce<D>(const Exec&, const ImpactLaw&, Span<const LaneMaterials<D>>,            \
                           Span<ContactBlock<D>>, Index, Index, bool, Span<Row4>,                  \
                           Span<ReportedImpulses<D>>);                                             \
  template void add_reported<D>(const Exec&, Span<const ContactBlock<D>>,                          \
                                Span<ReportedImpulses<D>>);                                        \
  template void keep_contacts<D>(const Exec&, Span<const ContactBlock<D>>, const ContactState<D>&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

namespace {

template <int D>
struct FollowLane {
  Bodies<D> bodies;
  ManifoldList<D> manifolds;
  const Row4* solver_bodies;
  bool slender, turns;  // whether any body is thin; whether arms and masses turn
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
    if (!slender && !(turns && (far_turned(b.i[l]) || far_turned(b.j[l])))) return;
    const ContactPair<D, Real> pair(solver_bodies, b, l);
    const Index i = b.i[l] / solver_body_rows<D>, j = b.j[l] / solver_body_rows<D>;
    Orientation<D> by_i, by_j;
    Vec<D> along_i{}, along_j{};
    const bool thin_i = swings(i, pair.i, by_i, along_i), thin_j = swings(j, pair.j, by_j, along_j);
    if (!thin_i && !thin_j) {
      if (turns && (far_turned(b.i[l]) || far_turned(b.j[l]))) weigh_again(pair, b, l);
      return;
    }
    const Manifold<D>& m = manifolds[b.manifold[l]];
    const bool swap = i != m.a;
    const Separation<D, Real> separation(pair, b, l);
    for (int k = 0; k < m.points; ++k) {
      const Vec<D> ri = swap ? m.arm_b(k) : m.arm_a(k), rj = swap ? m.arm_a(k) : m.arm_b(k);
      const Vec<D> now_i = turns && thin_i ? turned(by_i, ri) : ri;
      const Vec<D> now_j = turns && thin_j ? turned(by_j, rj) : rj;
      auto& point = b.point[k];
      set_lane(point.arm_i, l, now_i), set_lane(point.arm_j, l, now_j);
      point.separation[l] = m.separation(k) + separation(0, ri, rj) - separation(0, now_i, now_j);
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
  RTSIM_HD bool far_turned(Index solver_body) const {
    if constexpr (D == 2) {
      return false;  // one inertia for all axes
    } else {
      const Row4& turned = solver_bodies[solver_body + 3];
      const Real half = Real(0.5 * far_turn);
      return turned.y * turned.y + turned.z * turned.z + turned.w * turned.w > half * half;
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
void update_anchors(const Exec& ex, const Bodies<D>& bodies, const ManifoldList<D>& manifolds,
                    Span<const Row4> solver_bodies, bool slender, bool turned,
                    Span<ContactBlock<D>> blocks) {
  parallel_for(ex, "rigid.update_anchors", blocks.size * lane_count,
               FollowLane<D>{bodies, manifolds, solver_bodies.data, slender, turned, blocks});
}

template void update_anchors<3>(const Exec&, const Bodies<3>&, const ManifoldList<3>&,
                                Span<const Row4>, bool, bool, Span<ContactBlock<3>>);
template void update_anchors<2>(const Exec&, const Bodies<2>&, const ManifoldList<2>&,
                                Span<const Row4>, bool, bool, Span<ContactBlock<2>>);

}  // namespace rtsim::rigid
