#include "plate_bending/plate.h"

#include "exec/parallel.h"

namespace rtsim::plate {

namespace {

using mass_spring::Here;

struct Edges {
  Vec<3> e1, e2;
};
template <class At>
RTSIM_HD Edges edges_of(const Patches& k, Index p, const At& at) {
  const Index s = k.first[p];
  return {at.between(k.points[s], k.points[s + 1]), at.between(k.points[s], k.points[s + 2])};
}

template <class At>
RTSIM_HD Mat3<Real> curvature(const Patches& k, Index p, const At& at) {
  Mat3<Real> c{};
  const Index from = k.points[k.first[p]];
  for (Index s = k.first[p] + 1; s < k.first[p + 1]; ++s)
    c = c + outer(k.weights[s], at.between(from, k.points[s]));
  return c;
}

struct Curvatures {
  Patches k;
  Here at;
  Span<Mat3<Real>> to;
  RTSIM_HD void operator()(Index p) const {
    const Edges e = edges_of(k, p, at);
    to[p] = frame(e.e1, e.e2).in(curvature(k, p, at));
  }
};

struct Forces {
  Patches k;
  Stiffness b;
  Span<const Mat3<Real>> start;
  Ahead at;
  Span<Vec<3>> to;

  RTSIM_HD Energies operator()(Index p) const {
    const Mat3<Real> c = curvature(k, p, at);
    const bool flat = k.rest.size == 0, lags = start.size > 0;
    if (flat && !lags) {
      pull(p, c);
      return {0.5 * double(b.bending) * square(c), 0};
    }
    const Edges e = edges_of(k, p, at);
    const PlateFrame<Real> f = frame(e.e1, e.e2);
    const Mat3<Real> rest = flat ? Mat3<Real>{} : f.out(k.rest[p]);
    const Mat3<Real> before = lags ? f.out(start[p]) : Mat3<Real>{};
    const Mat3<Real> goal = rest + b.lag * before;
    pull(p, (1 + b.lag) * c + (-1) * goal);
    Vec<3> torque{};
    for (int j = 0; j < 3; ++j) torque = torque + cross(goal.row[j], c.row[j]);
    const Mat3<Real> turn = corner_forces(f, e.e1, e.e2, b.bending * torque);
    for (int i = 0; i < 3; ++i) to[k.first[p] + i] = to[k.first[p] + i] + turn.row[i];
    return {0.5 * double(b.bending) * square(c + (-1) * rest),
            0.5 * double(b.bending * b.lag) * square(c + (-1) * before)};
  }

  // -B sum_j k_ji s_j
  RTSIM_HD void pull(Index p, const Mat3<Real>& s) const {
    for (Index e = k.first[p]; e < k.first[p + 1]; ++e) {
      const Vec<3> w = -b.bending * k.weights[e];
      to[e] = w[0] * s.row[0] + w[1] * s.row[1] + w[2] * s.row[2];
    }
  }
};
struct AddEnergies {
  RTSIM_HD Energies operator()(const Energies& a, const Energies& b) const {
    return {a.bending + b.bending, a.damping + b.damping};
  }
};

struct EnergyOf {
  Patches k;
  Here at;
  RTSIM_HD double operator()(Index p) const {
    Mat3<Real> c = curvature(k, p, at);
    if (k.rest.size > 0) {
      const Edges e = edges_of(k, p, at);
      c = c + (-1) * frame(e.e1, e.e2).out(k.rest[p]);
    }
    return square(c);
  }
};

}  // namespace

void curvatures(const Exec& ex, const Patches& k, Span<const Vec<3>> position,
                Span<Mat3<Real>> to) {
  parallel_for(ex, "plate.curvatures", to.size, Curvatures{k, {position}, to});
}

Energies forces(const Exec& ex, const Patches& k, const Stiffness& b, Span<const Mat3<Real>> start,
                const Ahead& at, Span<Vec<3>> to) {
  return reduce(ex, "plate.forces", k.size(), Energies{}, Forces{k, b, start, at, to},
                AddEnergies{});
}

double energy(const Exec& ex, const Patches& k, Real bending, Span<const Vec<3>> position) {
  return 0.5 * double(bending) *
         reduce(ex, "plate.energy", k.size(), 0.0, EnergyOf{k, {position}}, Plus{});
}

}  // namespace rtsim::plate
