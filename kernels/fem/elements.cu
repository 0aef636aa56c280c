#include "exec/parallel.h"
#include "fem/element_rows.h"

namespace rtsim::fem {

namespace {

RTSIM_HD Row4 row(const Vec<3>& v) { return {v[0], v[1], v[2], 0}; }

template <class Law>
struct ElementForces {
  Elements all;
  Places at;
  Span<Row4> to;
  RTSIM_HD double operator()(Index e) const {
    const ElementRest<Real> rest = rest_of(all.slots[e / lane_count], e % lane_count);
    const Response<Real> r = Law::respond(all.lame, deformation_of(all, at, e, rest));
    Vec<3> sum{};
    for (int k = 1; k < 4; ++k) {
      const Vec<3> f = corner_force(rest, r.stress, k);
      sum = sum + f;
      to[force_row(e, k)] = row(f);
    }
    to[force_row(e, 0)] = row(-sum);
    return double(rest.volume) * double(r.energy);
  }
};

template <class Law>
struct Tangents {
  Elements all;
  Places at;
  Real scale;
  Span<ElementBlocks> to;
  RTSIM_HD void operator()(Index e) const {
    const ElementRest<Real> rest = rest_of(all.slots[e / lane_count], e % lane_count);
    const PrincipalTangent<Real> t = Law::tangent(all.lame, deformation_of(all, at, e, rest), true);
    Vec<3> g[4];
    principal_gradients(t, rest, g);
    for (int k = 0; k < 6; ++k)
      to[e].n[k] = (-scale * rest.volume) * corner_tangent(t, g[pair_of(k, 0)], g[pair_of(k, 1)]);
  }
};

template <class Law>
struct Columns {
  Elements all;
  Places at;
  ElementColumns to;
  RTSIM_HD void operator()(Index e) const {
    const ElementRest<Real> rest = rest_of(all.slots[e / lane_count], e % lane_count);
    const Mat3<Real> F = deformation_of(all, at, e, rest);
    const Response<Real> r = Law::respond(all.lame, F);
    to.von_mises[e] = von_mises(r.stress, F);
    to.energy_density[e] = r.energy;
    to.volume_ratio[e] = determinant(F);
  }
};

struct MeanOfElements {
  Elements all;
  Span<const Real> of_elements;
  Span<Real> of_points;
  RTSIM_HD void operator()(Index i) const {
    Real sum = 0, volume = 0;
    for (Index k = all.first[i]; k < all.first[i + 1]; ++k) {
      const Index e = all.where[k] / 4;
      const Real v = all.slots[e / lane_count].volume[e % lane_count];
      sum += v * of_elements[e], volume += v;
    }
    of_points[i] = volume > 0 ? sum / volume : Real(0);
  }
};

template <class Law>
struct ExtremesOf {
  Elements all;
  Places at;
  RTSIM_HD Extremes operator()(Index e) const {
    const ElementRest<Real> rest = rest_of(all.slots[e / lane_count], e % lane_count);
    const Mat3<Real> F = deformation_of(all, at, e, rest);
    const Mat3<Real> P = Law::respond(all.lame, F).stress;
    return {double(determinant(F)), double(von_mises(P, F))};
  }
};
struct JoinExtremes {
  RTSIM_HD Extremes operator()(const Extremes& a, const Extremes& b) const {
    return {a.least_ratio < b.least_ratio ? a.least_ratio : b.least_ratio,
            a.greatest_stress > b.greatest_stress ? a.greatest_stress : b.greatest_stress};
  }
};

}  // namespace

double forces(const Exec& ex, const Elements& all, const Places& at, Span<Row4> to) {
  if (ex.cpu_shaped()) return forces_lanes(ex, all, at, to);
  return with_law(all.material, [&](auto law) {
    return reduce(ex, "fem.forces", all.count, 0.0, ElementForces<decltype(law)>{all, at, to},
                  Plus{});
  });
}

void tangents(const Exec& ex, const Elements& all, const Places& at, Real scale,
              Span<ElementBlocks> to) {
  if (ex.cpu_shaped()) return tangents_lanes(ex, all, at, scale, to);
  with_law(all.material, [&](auto law) {
    parallel_for(ex, "fem.tangents", all.count, Tangents<decltype(law)>{all, at, scale, to});
  });
}

void columns(const Exec& ex, const Elements& all, const Places& at, const ElementColumns& to) {
  with_law(all.material, [&](auto law) {
    parallel_for(ex, "fem.columns", all.count, Columns<decltype(law)>{all, at, to});
  });
}

void mean_of_elements(const Exec& ex, const Elements& all, Span<const Real> of_elements,
                      Span<Real> of_points) {
  parallel_for(ex, "fem.mean", of_points.size, MeanOfElements{all, of_elements, of_points});
}

Extremes extremes(const Exec& ex, const Elements& all, const Places& at) {
  if (ex.cpu_shaped()) return extremes_lanes(ex, all, at);
  return with_law(all.material, [&](auto law) {
    return reduce(ex, "fem.extremes", all.count, Extremes{1e30, 0},
                  ExtremesOf<decltype(law)>{all, at}, JoinExtremes{});
  });
}

}  // namespace rtsim::fem
