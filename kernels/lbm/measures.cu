#include "lbm/measures.h"

#include "exec/parallel.h"
#include "lbm/links.h"
#include "lbm/momentum_exchange.h"
#include "lbm/stretches.h"

namespace rtsim::lbm {

namespace {

// Cell i of a face.
template <int D, class Stored>
struct Through {
  Bounce<D, Stored> cell;
  Span<const std::uint8_t> solid;
  int face;

  RTSIM_HD FaceFlow operator()(Index i) const {
    const Layout& l = cell.layout;
    const int axis = face / 2, b = axis == 0 ? 1 : 0, c = axis == 2 ? 1 : 2;
    Index x[3];
    x[axis] = face % 2 ? l.n[axis] - 1 : 0, x[b] = i % l.n[b], x[c] = i / l.n[b];
    const Index n = l.slot(x[0], x[1], x[2]);
    if (solid[n]) return {};
    const double u = double(cell.at(n).u[axis]);
    return {1, face % 2 ? u : -u};
  }
};

template <int D>
struct Push {
  Span<const Link> links;

  RTSIM_HD Real operator()(Index i) const {
    const Link& l = links[i];
    const int p = l.from / 2;
    if (l.kind != Link::obstacle) return 0;
    const Real length = std::sqrt(Real(p < D ? 1 : 2));
    return std::abs(l.shift) / (6 * Lattice<D>::weight(p) * length);
  }
};

}  // namespace

template <int D>
Totals<D> totals(const Exec& ex, const Flow<D>& flow, Span<const Real> pressure) {
  if (ex.cpu_shaped()) return totals_side_by_side(ex, flow, pressure);
  return reduce(ex, "lbm.totals", stretches(flow.layout), Totals<D>{},
                StretchTotals<D>{flow, pressure}, AddTotals<D>{});
}

template <int D>
void vorticity(const Exec& ex, const Flow<D>& flow, Span<Curl<D>> curl) {
  if (ex.cpu_shaped()) return vorticity_side_by_side(ex, flow, curl);
  parallel_for(ex, "lbm.vorticity", stretches(flow.layout), StretchCurl<D>{flow, curl});
}

template <int D, class Stored>
Wrench wrench(const Exec& ex, const Cells& cells, const Law<D>& law,
              const Populations<D, Stored>& last, Span<const Link> links, Span<const Index> order) {
  const Taken<D, Stored> taken{cells, law, last, links, order};
  if (ex.cpu_shaped()) return wrench_fetched_ahead(ex, taken);
  return reduce(ex, "lbm.force", order.size, Wrench{}, taken, Plus{});
}

template <int D, class Stored>
FaceFlow face_flow(const Exec& ex, const Cells& cells, const Law<D>& law,
                   const Populations<D, Stored>& last, int face) {
  const Index count = cells.layout.cells() / cells.layout.n[face / 2];
  return reduce(ex, "lbm.faces", count, FaceFlow{},
                Through<D, Stored>{{cells.layout, law, last, {}}, cells.solid, face}, Plus{});
}

namespace {

// The direction of a link, and the arm to where it meets its wall.
template <int D>
struct Crossed {
  VecT<double, 3> c, arm;

  RTSIM_HD Crossed(const Cells& cells, const Periods& period, const VecT<double, 3>& centre,
                   const Link& l) {
    const Layout& layout = cells.layout;
    const int p = l.from / 2;
    const bool forth = l.from % 2 == 1;
    const Index n = forth ? l.slot - layout.template offset<D>(p) : l.slot;
    const Index at[3] = {n % layout.pitch - layout.margin, n % layout.plane / layout.pitch - 1,
                         n / layout.plane - layout.deep};
    const double q = (1 - double(l.bend)) / (2 * (1 + double(l.bend)));
    for (int a = 0; a < D; ++a) {
      c[a] = (forth ? 1 : -1) * Lattice<D>::along(p, a);
      arm[a] =
          double(cells.first[a]) + (double(at[a]) + q * c[a]) * double(cells.step[a]) - centre[a];
      if (arm[a] > period[a] / 2) arm[a] -= period[a];
      if (arm[a] < -period[a] / 2) arm[a] += period[a];
    }
  }
};

// What comes back changes by -12 w c.dV / (1 + 2 q), and 2 / (1 + 2 q) = 1 + bend.
template <int D>
struct Respond {
  Cells cells;
  Periods period;
  VecT<double, 3> centre;
  Span<const Link> links;
  Span<const Index> order;

  RTSIM_HD Response operator()(Index i) const {
    const Link& l = links[order[i]];
    const Crossed<D> at(cells, period, centre, l);
    const VecT<double, 3> turn = cross(at.arm, at.c);
    const double a[6] = {at.c[0], at.c[1], at.c[2], turn[0], turn[1], turn[2]};
    const double w =
        6 * double(Lattice<D>::weight(l.from / 2)) * (1 + double(l.bend)) * double(cells.speed);
    Response r;
    for (int i6 = 0, e = 0; i6 < 6; ++i6)
      for (int j = i6; j < 6; ++j, ++e) r.k[e] = w * a[i6] * a[j];
    return r;
  }
};

template <int D>
struct ChangeSpeed {
  Cells cells;
  Periods period;
  Span<const SpeedChange> changes;
  Span<Link> links;

  RTSIM_HD void operator()(Index i) const {
    Link& l = links[i];
    if (l.kind != Link::obstacle) return;
    const SpeedChange& change = changes[l.wall - 6];
    VecT<double, 3> centre, velocity, angular;
    for (int a = 0; a < 3; ++a) {
      centre[a] = double(cells.poses[l.wall - 6].centre[a]);
      velocity[a] = double(change.velocity[a]), angular[a] = double(change.angular[a]);
    }
    const Crossed<D> at(cells, period, centre, l);
    const double cu = dot(at.c, velocity + cross(angular, at.arm));
    l.shift -= Real(6 * double(Lattice<D>::weight(l.from / 2)) * double(cells.speed) * cu);
  }
};

}  // namespace

template <int D>
Response response(const Exec& ex, const Cells& cells, const Periods& period, const Vec3d& centre,
                  Span<const Link> links, Span<const Index> order) {
  return reduce(ex, "lbm.response", order.size, Response{},
                Respond<D>{cells, period, centre, links, order}, Plus{});
}

template <int D>
void change_speed(const Exec& ex, const Cells& cells, const Periods& period,
                  Span<const SpeedChange> changes, Span<Link> links) {
  parallel_for(ex, "lbm.response", links.size, ChangeSpeed<D>{cells, period, changes, links});
}

template <int D>
Real greatest_push(const Exec& ex, Span<const Link> links) {
  return reduce(ex, "lbm.tracks", links.size, Real(0), Push<D>{links}, Max{});
}

#define RTSIM_LBM_MEASURES(D)                                                            \
  template Totals<D> totals<D>(const Exec&, const Flow<D>&, Span<const Real>);           \
  template void vorticity<D>(const Exec&, const Flow<D>&, Span<Curl<D>>);                \
  template Real greatest_push<D>(const Exec&, Span<const Link>);                         \
  template Response response<D>(const Exec&, const Cells&, const Periods&, const Vec3d&, \
                                Span<const Link>, Span<const Index>);                    \
  template void change_speed<D>(const Exec&, const Cells&, const Periods&,               \
                                Span<const SpeedChange>, Span<Link>);
RTSIM_LBM_MEASURES(2)
RTSIM_LBM_MEASURES(3)
#undef RTSIM_LBM_MEASURES
#define RTSIM_LBM_WRENCH(D, Stored)                                                  \
  template Wrench wrench<D, Stored>(const Exec&, const Cells&, const Law<D>&,        \
                                    const Populations<D, Stored>&, Span<const Link>, \
                                    Span<const Index>);                              \
  template FaceFlow face_flow<D, Stored>(const Exec&, const Cells&, const Law<D>&,   \
                                         const Populations<D, Stored>&, int);
RTSIM_LBM_WRENCH(2, Real)
RTSIM_LBM_WRENCH(3, Real)
RTSIM_LBM_WRENCH(2, Half)
RTSIM_LBM_WRENCH(3, Half)
#undef RTSIM_LBM_WRENCH

}  // namespace rtsim::lbm
