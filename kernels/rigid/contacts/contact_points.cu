#include "rigid/contacts/contact_points.h"

#include "exec/parallel.h"
#include "exec/sort.h"
#include "rigid/contacts/contact_pair.h"

namespace rtsim::rigid {

namespace {

// What a lane of a block gave.
template <int D>
struct ReportedOf {
  static constexpr int most_points = ReportedImpulses<D>::most_points;
  const ReportedImpulses<D>& g;
  Index l;
  RTSIM_HD Real pressure() const {
    Real sum = 0;
    for (const auto& of_point : g.normal) sum += of_point[l];
    return sum;
  }
  // A pass may end with a moment, or friction, whose pressure it has just taken away: the first
  // point bears such a moment.
  RTSIM_HD bool acts(int k) const {
    bool any = g.normal[k][l] > 0;
    for (int t = 0; t < D - 1; ++t) any = any || g.friction[k][t][l] != 0;
    for (const auto& of_axis : g.moment)
      any = any || (k == 0 && of_axis[l] != 0 && !(pressure() > 0));
    return any;
  }
  RTSIM_HD Real share(int k) const {
    const Real all = pressure();
    return all > 0 ? g.normal[k][l] / all : Real(k == 0);
  }
};

template <int D>
struct CountLane {
  Span<const ContactBlock<D>> blocks;
  Span<const ReportedImpulses<D>> reported;
  Span<Index> counts;
  RTSIM_HD void operator()(Index at) const {
    const Index contact = blocks[at / lane_count].manifold[at % lane_count];
    if (contact < 0) return;
    const ReportedOf<D> of{reported[at / lane_count], at % lane_count};
    Index n = 0;
    for (int k = 0; k < ReportedOf<D>::most_points; ++k) n += of.acts(k);
    counts[contact] = n;
  }
};

template <int D>
struct ListLane {
  Real per_step;  // [1/s]
  BodyStates<D> bodies;
  Span<const ContactBlock<D>> blocks;
  Span<const ReportedImpulses<D>> reported;
  Span<const Index> first;
  const Row4* solver_bodies;
  ContactPoints<D> out;

  RTSIM_HD std::int32_t name_of(Index solver_body) const {
    const Index row = solver_body / solver_body_rows<D>;
    return row < bodies.position.size ? row : bodies.position.size - 1 - row;
  }
  RTSIM_HD void operator()(Index at) const {
    const ContactBlock<D>& b = blocks[at / lane_count];
    const Index l = at % lane_count;
    if (b.manifold[l] < 0) return;
    const ContactPair<D, Real> pair(solver_bodies, b, l);
    const ReportedOf<D> of{reported[at / lane_count], l};
    Index to = first[b.manifold[l]];
    for (int k = 0; k < b.points; ++k)
      if (of.acts(k)) {
        out.moment[to] = (per_step * of.share(k)) * lane<Real>(of.g.moment, l);
        write(b, of.g, l, k, pair, to++);
      }
  }
  RTSIM_HD void write(const ContactBlock<D>& b, const ReportedImpulses<D>& g, Index l, int k,
                      const ContactPair<D, Real>& pair, Index to) const {
    const auto& p = b.point[k];
    const Vec<D> ri = lane<Real>(p.arm_i, l), rj = lane<Real>(p.arm_j, l);
    Vec<D> impulse = g.normal[k][l] * pair.normal;
    for (int t = 0; t < D - 1; ++t) impulse = impulse + g.friction[k][t][l] * pair.tangent[t];
    out.bodies[to] = {{name_of(b.i[l]), name_of(b.j[l])}};
    // Body i moves, so it is none of the boundaries.
    out.position[to] = bodies.position[b.i[l] / solver_body_rows<D>] + turned(pair.i.turned, ri);
    out.arm_first[to] = ri, out.arm_second[to] = rj;
    out.normal[to] = pair.normal;
    out.force[to] = per_step * impulse;
    out.separation[to] = Separation<D, Real>(pair, b, l)(p.separation[l], ri, rj);
  }
};

}  // namespace

template <int D>
Index count_points(const Exec& ex, Span<const ContactBlock<D>> blocks,
                   Span<const ReportedImpulses<D>> reported, Span<Index> counts) {
  parallel_for(ex, "rigid.points", reported.size * lane_count,
               CountLane<D>{blocks, reported, counts});
  return exclusive_scan(ex, "rigid.points", counts, counts);
}

template <int D>
void list_points(const Exec& ex, double dt, const BodyStates<D>& bodies,
                 Span<const ContactBlock<D>> blocks, Span<const ReportedImpulses<D>> reported,
                 Span<const Index> first, Span<const Row4> solver_bodies,
                 const ContactPoints<D>& out) {
  parallel_for(ex, "rigid.points", reported.size * lane_count,
               ListLane<D>{Real(1 / dt), bodies, blocks, reported, first, solver_bodies.data, out});
}

#define RTSIM_INSTANTIATE(D)                                                                 \
  template Index count_points<D>(const Exec&, Span<const ContactBlock<D>>,                   \
                                 Span<const ReportedImpulses<D>>, Span<Index>);              \
  template void list_points<D>(const Exec&, double, const BodyStates<D>&,                    \
                               Span<const ContactBlock<D>>, Span<const ReportedImpulses<D>>, \
                               Span<const Index>, Span<const Row4>, const ContactPoints<D>&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
