#include "rigid/contacts/contacts.h"

#include "exec/parallel.h"
#include "rigid/contacts/contacts_lanes.h"
#include "rigid/motion/for_bodies.h"
#include "rigid/motion/impact.h"

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
    b = {};
    for (auto& point : b.point)
      for (Real& s : point.separation) s = nowhere;
    for (Index l = 0; l < lane_count; ++l) {
      const Index m = rows.slots[at * lane_count + l];
      b.manifold[l] = m;
      b.i[l] = b.j[l] = solver_body_rows<D> * (rows.spare + l);
      b.normal[1][l] = 1;
      if (m < 0) continue;
      place(b, l, rows.manifolds[m]);
      if (rows.previous[m] >= 0) remember(b, l, rows.manifolds[m], rows.previous[m]);
    }
#ifndef __CUDA_ARCH__
    if (eights) return weigh_all<Lanes<Real>>(b);
#endif
    weigh_all<Real>(b);
  }
  // Manifolds of a colour are far from each other.
  RTSIM_HD void fetch_next(Index at) const {
#ifndef __CUDA_ARCH__
    if (at + 1 == blocks.size) return;
    for (Index l = 0; l < lane_count; ++l) {
      const Index m = rows.slots[(at + 1) * lane_count + l];
      if (m < 0) continue;
      const char* const from = reinterpret_cast<const char*>(&rows.manifolds[m]);
      for (std::size_t k = 0; k < sizeof(Manifold<D>); k += 64) __builtin_prefetch(from + k);
      if (rows.previous[m] < 0) continue;
      __builtin_prefetch(&last.features[rows.previous[m]]);
      __builtin_prefetch(&last.kept[rows.previous[m]]);
    }
#endif
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
    count_passes(rows.stiffness, b);
  }
  // Movers that nothing moves are put second.
  RTSIM_HD bool swapped(const Manifold<D>& m) const {
    return !(solver_bodies[solver_body_rows<D> * m.a].w > 0);
  }
  RTSIM_HD void place(ContactBlock<D>& b, Index l, const Manifold<D>& m) const {
    const bool swap = swapped(m);
    b.i[l] = solver_body_rows<D> * (swap ? m.b : m.a),
    b.j[l] = solver_body_rows<D> * (swap ? m.a : m.b);
    set_lane(b.normal, l, swap ? -m.normal : m.normal);
    if (rolls) {
      const ContactPair<D, Real> pair(solver_bodies, b, l);
      b.rolling_mass[l] = rolling_mass(pair.i.inertia, pair.j.inertia);
    }
    b.points = m.points > b.points ? m.points : b.points;
    for (int k = 0; k < m.points; ++k) {
      auto& point = b.point[k];
      const Vec<D> ri = swap ? m.arm_b[k] : m.arm_a[k], rj = swap ? m.arm_a[k] : m.arm_b[k];
      set_lane(point.arm_i, l, ri), set_lane(point.arm_j, l, rj);
      point.separation[l] = m.separation[k];
    }
  }
  // Impulses of points that touch by the same features start where they were.
  RTSIM_HD void remember(ContactBlock<D>& b, Index l, const Manifold<D>& m, Index row) const {
    const auto features = last.features[row];
    const KeptContact<D>& kept = last.kept[row];
    const auto& impulse = kept.impulse;
    const Real sign = swapped(m) ? Real(-1) : Real(1);
    Real pressure = 0, left = 0;
    for (int o = 0; o < ContactState<D>::points; ++o) pressure += impulse[o];
    for (int k = 0; k < m.points; ++k)
      for (int o = 0; o < ContactState<D>::points; ++o) {
        if (features[o] != m.feature[k] || !(impulse[o] > 0)) continue;
        b.point[k].impulse[l] = impulse[o], left += impulse[o];
        break;
      }
    // As much of the friction as of the pressure that bore it.
    const Real share = left > 0 ? sign * left / pressure : 0;
    Vec<D> t[D - 1];
    tangents(lane<Real>(b.normal, l), t);
    for (int e = 0; e < D - 1; ++e) b.friction[e][l] = share * dot(kept.friction, t[e]);
    if constexpr (D == 3) b.friction[2][l] = sign * share * kept.spin;
    set_lane(b.rolling, l, sign * kept.rolling);
    b.peak[l] = kept.load, b.borne[l] = -kept.borne;
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
    if (b.manifold[k % lane_count] >= 0 && !(law.again && b.passes == 1))
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
  RTSIM_HD Real operator()(Index k) const { return most_load(blocks[k]); }
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
struct KeepBlock {
  Span<const Manifold<D>> manifolds;
  Span<const ContactBlock<D>> blocks;
  const Row4* solver_bodies;
  ContactState<D> state;
  RTSIM_HD void operator()(Index k) const {
    const ContactBlock<D>& b = blocks[k / lane_count];
    const Index l = k % lane_count, row = b.manifold[l];
    if (row < 0) return;
    const Manifold<D>& m = manifolds[row];
    const Real sign = b.i[l] == solver_body_rows<D> * m.a ? Real(1) : Real(-1);
    Vec<D> t[D - 1];
    tangents(lane<Real>(b.normal, l), t);
    typename ContactState<D>::Features features;
    KeptContact<D> kept{};
    for (int p = 0; p < ContactState<D>::points; ++p) {
      const bool is = p < m.points;
      features[p] = is ? m.feature[p] : 0, kept.impulse[p] = is ? b.point[p].impulse[l] : Real(0);
    }
    for (int e = 0; e < D - 1; ++e)
      kept.friction = kept.friction + (sign * b.friction[e][l]) * t[e];
    if constexpr (D == 3) kept.spin = b.friction[2][l];
    kept.load = b.peak[l], kept.borne = max(b.borne[l], Real(0));
    kept.rolling = sign * lane<Real>(b.rolling, l);
    state.features[row] = features, state.kept[row] = kept;
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
void keep_contacts(const Exec& ex, Span<const Manifold<D>> manifolds,
                   Span<const ContactBlock<D>> blocks, Span<const Row4> solver_bodies,
                   const ContactState<D>& state) {
  for_bodies(ex, "rigid.keep", blocks.size * lane_count,
             KeepBlock<D>{manifolds, blocks, solver_bodies.data, state}, 16 * lane_count);
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
  template void keep_contacts<D>(const Exec&, Span<const Manifold<D>>,                             \
                                 Span<const ContactBlock<D>>, Span<const Row4>,                    \
                                 const ContactState<D>&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
