#include "exec/parallel.h"
#include "fem/element_rows.h"

namespace rtsim::fem {

namespace {

RTSIM_HD Row4 row(const Vec<3>& v) { return {v[0], v[1], v[2], 0}; }

template <class Law, class Nodes>
struct ElementForces {
  Elements all;
  Places at;
  Span<Row4> to;
  RTSIM_HD double operator()(Index e) const {
    Vec<3> f[Nodes::nodes]{};
    const Real energy = element_forces<Law, Nodes>(element_here<Law, Nodes>(all, at, e), f);
    for (int k = 0; k < Nodes::nodes; ++k) to[force_row(Nodes::nodes, e, k)] = row(f[k]);
    return double(energy);
  }
};

template <class Law, class Nodes>
struct Tangents {
  Elements all;
  Places at;
  Real scale;
  Span<Mat3<Real>> to;
  RTSIM_HD void operator()(Index e) const {
    element_tangents<Law, Nodes>(element_here<Law, Nodes>(all, at, e), -scale, true,
                                 to.data + Nodes::pairs * e);
  }
};

template <class Law, class Nodes>
struct Columns {
  Elements all;
  Places at;
  ElementColumns to;
  RTSIM_HD void operator()(Index e) const {
    const ElementHere<Real> here = element_here<Law, Nodes>(all, at, e);
    const int points = Nodes::points(all.flat);
    const Real share = Real(1) / Real(points);
    Real stress = 0, energy = 0, ratio = 0;
    for (int q = 0; q < points; ++q) {
      const Mat3<Real> F = deformation_at<Nodes>(here, q);
      const Response<Real> r = respond<Law>(here, q, F);
      stress += share * von_mises(r.stress, F), energy += share * r.energy;
      ratio += share * determinant(F);
    }
    to.von_mises[e] = stress, to.energy_density[e] = energy, to.volume_ratio[e] = ratio;
  }
};

struct MeanOfElements {
  Elements all;
  Span<const Real> of_elements;
  Span<Real> of_points;
  RTSIM_HD void operator()(Index i) const {
    Real sum = 0, volume = 0;
    for (Index k = all.first[i]; k < all.first[i + 1]; ++k) {
      const Index e = element_of_row(all.nodes(), all.where[k]);
      const Real v = all.slots[e / lane_count].volume[e % lane_count];
      sum += v * of_elements[e], volume += v;
    }
    of_points[i] = volume > 0 ? sum / volume : Real(0);
  }
};

template <class Law, class Nodes>
struct ExtremesOf {
  Elements all;
  Places at;
  RTSIM_HD Extremes operator()(Index e) const {
    const ElementHere<Real> here = element_here<Law, Nodes>(all, at, e);
    Extremes found{1e30, 0};
    for (int q = 0; q < Nodes::points(all.flat); ++q) {
      const Mat3<Real> F = deformation_at<Nodes>(here, q);
      const double ratio = double(determinant(F)),
                   stress = double(von_mises(respond<Law>(here, q, F).stress, F));
      if (ratio < found.least_ratio) found.least_ratio = ratio;
      if (stress > found.greatest_stress) found.greatest_stress = stress;
    }
    return found;
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
  return with_law(all, [&](auto law, auto nodes) {
    return reduce(ex, "fem.forces", all.count, 0.0,
                  ElementForces<decltype(law), decltype(nodes)>{all, at, to}, Plus{});
  });
}

void tangents(const Exec& ex, const Elements& all, const Places& at, Real scale,
              Span<Mat3<Real>> to) {
  if (ex.cpu_shaped()) return tangents_lanes(ex, all, at, scale, to);
  with_law(all, [&](auto law, auto nodes) {
    parallel_for(ex, "fem.tangents", all.count,
                 Tangents<decltype(law), decltype(nodes)>{all, at, scale, to});
  });
}

void columns(const Exec& ex, const Elements& all, const Places& at, const ElementColumns& to) {
  with_law(all, [&](auto law, auto nodes) {
    parallel_for(ex, "fem.columns", all.count,
                 Columns<decltype(law), decltype(nodes)>{all, at, to});
  });
}

void mean_of_elements(const Exec& ex, const Elements& all, Span<const Real> of_elements,
                      Span<Real> of_points) {
  parallel_for(ex, "fem.mean", of_points.size, MeanOfElements{all, of_elements, of_points});
}

Extremes extremes(const Exec& ex, const Elements& all, const Places& at) {
  if (ex.cpu_shaped()) return extremes_lanes(ex, all, at);
  return with_law(all, [&](auto law, auto nodes) {
    return reduce(ex, "fem.extremes", all.count, Extremes{1e30, 0},
                  ExtremesOf<decltype(law), decltype(nodes)>{all, at}, JoinExtremes{});
  });
}

}  // namespace rtsim::fem
