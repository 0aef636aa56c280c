#include "rigid/clusters/contact_clusters.h"

#include "exec/parallel.h"
#include "rigid/clusters/contact_cluster.h"
#include "rigid/joints/each_island.h"

namespace rtsim::rigid {

namespace {

struct SameLaw {
  ContactLaw law;
  RTSIM_HD const ContactLaw& operator()(Index) const { return law; }
};
template <int D>
struct OwnLaw {
  ContactLaw law;
  const LaneMaterials<D>* own;
  RTSIM_HD OwnContactLaw<D, Real> operator()(Index slot) const {
    return {law, own[slot / lane_count], slot % lane_count};
  }
};

template <int D, class LawOf>
struct SolveGroup {
  Clusters<D> groups;
  LawOf law_of;
  ContactBlock<D>* blocks;
  Row4* solver_bodies;
  RTSIM_HD void operator()(Index g) const {
    ContactCluster<D>{groups, blocks, solver_bodies, g}.solve(law_of);
  }
};

struct AsItIs {
  RTSIM_HD Real operator()(Real) const { return 1; }
};

// All of a group by the same growth, and at the same rate at which they take overlaps back: what
// bears a body together with others would else be the stiffer the more load it has, and take all.
//
// What is held between walls takes nothing back, and presses the more the stiffer it is, and would
// be the stiffer the more it presses. So, once it is known what a contact bears, it takes overlaps
// back no faster than what would, if they are held, press twice that and what gives the heaviest
// body `push_speed`.
template <int D>
struct StiffenGroup {
  Stiffness stiffness;
  Clusters<D> pressed;
  const Row4* solver_bodies;
  ContactBlock<D>* blocks;
  RTSIM_HD void operator()(Index g) const {
    double heaviest = 0;
    for (Index k = pressed.first_body[g]; k < pressed.first_body[g + 1]; ++k)
      heaviest = max(heaviest, 1 / double(solver_bodies[pressed.bodies[k].solver_body].w));
    for (Index k = pressed.first_slot[g]; k < pressed.first_slot[g + 1]; ++k)
      stiffen_slot(k, heaviest * double(stiffness.push_speed));
  }
  RTSIM_HD void stiffen_slot(Index k, double push) const {
    ContactBlock<D>& b = blocks[pressed.slots[k] / lane_count];
    const Index l = pressed.slots[k] % lane_count;
    stiffen<D, Real>(stiffness, AsItIs(), solver_bodies, b, l);
    const Real rate = stiffness.omega / (2 * stiffness.damping + stiffness.h * stiffness.omega);
    const Real soft = softness(b.impulse_scale[l]) * rate / b.bias_rate[l] / pressed.growth[k];
    b.bias_rate[l] = rate, b.impulse_scale[l] = soft / (1 + soft);
    b.load[l] = 0;  // takes no passes
    double bears = -double(b.borne[l]);
    if (!(bears > 0)) {  // not known: no more than it did
      bears = 0;
      for (int p = 0; p < b.points; ++p) bears += double(b.point[p].impulse[l]);
    }
    for (int p = 0; p < b.points; ++p) {
      const double deep = -double(b.point[p].separation[l]);
      if (!(deep > 0 && b.point[p].normal_mass[l] > 0)) continue;
      const double most = double(soft) / double(b.point[p].normal_mass[l]) * (push + 2 * bears);
      b.bias_rate[l] = min(b.bias_rate[l], Real(most / deep));
    }
  }
};

template <int D>
struct LoadOfSlot {
  const ContactBlock<D>* blocks;
  const Row4* solver_bodies;
  VecT<Real, 2>* loads;
  RTSIM_HD void operator()(Index k) const {
    const ContactBlock<D>& b = blocks[k / lane_count];
    const Index l = k % lane_count, first = min(b.i[l], b.j[l]), second = max(b.i[l], b.j[l]);
    if (b.manifold[l] < 0) return;
    const Real x = b.peak[l], of_first = solver_bodies[first].w,
               of_second = solver_bodies[second].w;
    loads[b.manifold[l]] = {{of_first < of_second ? 0 : x, of_second < of_first ? 0 : x}};
  }
};

template <int D>
struct MostPeak {
  const ContactBlock<D>* blocks;
  RTSIM_HD Real operator()(Index k) const {
    Real most = 0;
    for (const Real x : blocks[k].peak) most = max(most, x);
    return most;
  }
};

template <int D>
struct FindMostLoad {
  ContactBlock<D>* blocks;
  RTSIM_HD void operator()(Index k) const { find_most_load(blocks[k]); }
};

}  // namespace

template <int D>
Real most_peak(const Exec& ex, Span<const ContactBlock<D>> blocks) {
  return reduce(ex, "rigid.peak", blocks.size, Real(0), MostPeak<D>{blocks.data}, Max{});
}

template <int D>
void loads_of(const Exec& ex, Span<const ContactBlock<D>> blocks, Span<const Row4> solver_bodies,
              Span<VecT<Real, 2>> loads) {
  parallel_for(ex, "rigid.loads", blocks.size * lane_count,
               LoadOfSlot<D>{blocks.data, solver_bodies.data, loads.data});
}

template <int D>
void stiffen_clusters(const Exec& ex, const Stiffness& stiffness, const Clusters<D>& groups,
                      Span<const Row4> solver_bodies, Span<ContactBlock<D>> blocks) {
  each_island(ex, "rigid.stiffen", groups.groups(),
              StiffenGroup<D>{stiffness, groups, solver_bodies.data, blocks.data});
  parallel_for(ex, "rigid.passes", blocks.size, FindMostLoad<D>{blocks.data});
}

template <int D>
void solve_clusters(const Exec& ex, const ContactLaw& law, Span<const LaneMaterials<D>> own,
                    const Clusters<D>& groups, Span<ContactBlock<D>> blocks,
                    Span<Row4> solver_bodies) {
  if (own.size > 0)
    return each_island(
        ex, "rigid.pressed", groups.groups(),
        SolveGroup<D, OwnLaw<D>>{groups, {law, own.data}, blocks.data, solver_bodies.data});
  each_island(ex, "rigid.pressed", groups.groups(),
              SolveGroup<D, SameLaw>{groups, {law}, blocks.data, solver_bodies.data});
}

#define RTSIM_INSTANTIATE(D)                                                                    \
  template Real most_peak<D>(const Exec&, Span<const ContactBlock<D>>);                         \
  template void loads_of<D>(const Exec&, Span<const ContactBlock<D>>, Span<const Row4>,         \
                            Span<VecT<Real, 2>>);                                               \
  template void stiffen_clusters<D>(const Exec&, const Stiffness&, const Clusters<D>&,          \
                                    Span<const Row4>, Span<ContactBlock<D>>);                   \
  template void solve_clusters<D>(const Exec&, const ContactLaw&, Span<const LaneMaterials<D>>, \
                                  const Clusters<D>&, Span<ContactBlock<D>>, Span<Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
