#include <vector>

#include "exec/parallel.h"
#include "fem/element_rows.h"
#include "lanes/lanes.h"

namespace rtsim::fem {

template <class T>
struct LogGap<Lanes<T>> {
  static Lanes<T> of(Lanes<T> x) {
    T each[lane_count];
    x.store(each);
    for (T& a : each) a = LogGap<T>::of(a);
    return Lanes<T>::load(each);
  }
};

namespace {

using Eight = Lanes<Real>;

constexpr Index slots_per_task = 32;

ElementRest<Eight> rest_of(const ElementSlot& s) {
  ElementRest<Eight> rest;
  for (int k = 0; k < 3; ++k)
    for (int a = 0; a < 3; ++a) rest.g[k][a] = Eight::load(s.g[3 * k + a]);
  rest.volume = Eight::load(s.volume);
  return rest;
}

Mat3<Eight> eight_strains(const Elements& all, Index slot, int q) {
  Real each[6][lane_count]{};
  for (Index l = 0; l < lane_count && lane_count * slot + l < all.count; ++l) {
    const Strain& s = all.plastic[(lane_count * slot + l) * points_of(all) + q];
    for (int a = 0; a < 6; ++a) each[a][l] = s[a];
  }
  VecT<Eight, 6> s;
  for (int a = 0; a < 6; ++a) s[a] = Eight::load(each[a]);
  return matrix_of(s);
}

template <class Law, class Nodes>
ElementHere<Eight> eight_here(const Elements& all, const Places& at, Index slot) {
  const ElementSlot& s = all.slots[slot];
  ElementHere<Eight> here;
  here.rest = rest_of(s), here.lame = {Eight::load(s.mu), Eight::load(s.lambda)};
  here.flat = all.flat, here.through = Eight(Real(all.flat ? 1 : 0));
  const Lanes4<Real> x = load_rows(at.base.data, s.corner[0]),
                     a = load_rows(at.remainder.data, s.corner[0]),
                     v = load_rows(at.w.data, s.corner[0]);
  const Eight ahead(at.s), none(Real(0));
  here.x[0] = {{none, none, none}};
  for (int k = 1; k < Nodes::nodes; ++k) {
    const Index* node = k < 4 ? s.corner[k] : all.middles[slot].middle[k - 4];
    const Lanes4<Real> y = load_rows(at.base.data, node), w = load_rows(at.w.data, node),
                       b = load_rows(at.remainder.data, node);
    here.x[k] = {{fma(ahead, w.x - v.x, (y.x - x.x) + (b.x - a.x)),
                  fma(ahead, w.y - v.y, (y.y - x.y) + (b.y - a.y)),
                  fma(ahead, w.z - v.z, (y.z - x.z) + (b.z - a.z))}};
  }
  if constexpr (std::is_same_v<Law, Plastic>)
    for (int q = 0; q < Nodes::points(all.flat); ++q) here.plastic[q] = eight_strains(all, slot, q);
  return here;
}

template <class Law, class Nodes>
double forces_of_slot(const Elements& all, const Places& at, Index slot, Row4* to) {
  const Eight none(Real(0));
  VecT<Eight, 3> f[Nodes::nodes];
  for (auto& each : f) each = {{none, none, none}};
  const Eight energy = element_forces<Law, Nodes>(eight_here<Law, Nodes>(all, at, slot), f);
  for (int k = 0; k < Nodes::nodes; ++k)
    store_rows(to + k * lane_count, {f[k][0], f[k][1], f[k][2], none});
  return double(energy.sum());
}

template <class Law, class Nodes>
void tangents_of_slot(const Elements& all, const Places& at, Real scale, Index slot, Mat3<Real>* to,
                      Index left) {
  Mat3<Eight> n[Nodes::pairs];
  element_tangents<Law, Nodes>(eight_here<Law, Nodes>(all, at, slot), Eight(-scale), true, n);
  for (int k = 0; k < Nodes::pairs; ++k) {
    Real each[9][lane_count];
    for (int a = 0; a < 9; ++a) n[k].row[a / 3][a % 3].store(each[a]);
    for (Index l = 0; l < left; ++l)
      for (int a = 0; a < 9; ++a) to[Nodes::pairs * l + k].row[a / 3][a % 3] = each[a][l];
  }
}

template <class Law, class Nodes>
void join_extremes_of_slot(const Elements& all, const Places& at, Index slot, Index left,
                           Extremes& to) {
  const ElementHere<Eight> here = eight_here<Law, Nodes>(all, at, slot);
  for (int q = 0; q < Nodes::points(all.flat); ++q) {
    const Mat3<Eight> F = deformation_at<Nodes>(here, q);
    const Mat3<Eight> P = respond<Law>(here, q, F).stress;
    Real ratio[lane_count], stress[lane_count];
    determinant(F).store(ratio), von_mises(P, F).store(stress);
    for (Index l = 0; l < left; ++l) {
      if (double(ratio[l]) < to.least_ratio) to.least_ratio = double(ratio[l]);
      if (double(stress[l]) > to.greatest_stress) to.greatest_stress = double(stress[l]);
    }
  }
}

Index elements_in(const Elements& all, Index slot) {
  const Index left = all.count - lane_count * slot;
  return left < lane_count ? left : lane_count;
}

}  // namespace

Extremes extremes_lanes(const Exec& ex, const Elements& all, const Places& at) {
  const Index slots = all.slots.size;
  std::vector<Extremes> part(std::size_t((slots + slots_per_task - 1) / slots_per_task),
                             Extremes{1e30, 0});
  with_law(all, [&](auto law, auto nodes) {
    parallel_chunks(ex, "fem.extremes", slots, slots_per_task, [&](Index begin, Index end) {
      for (Index s = begin; s < end; ++s)
        join_extremes_of_slot<decltype(law), decltype(nodes)>(
            all, at, s, elements_in(all, s), part[std::size_t(begin / slots_per_task)]);
    });
  });
  Extremes all_parts{1e30, 0};
  for (const Extremes& e : part) {
    if (e.least_ratio < all_parts.least_ratio) all_parts.least_ratio = e.least_ratio;
    if (e.greatest_stress > all_parts.greatest_stress)
      all_parts.greatest_stress = e.greatest_stress;
  }
  return all_parts;
}

double forces_lanes(const Exec& ex, const Elements& all, const Places& at, Span<Row4> to) {
  const Index slots = all.slots.size;
  std::vector<double> part(std::size_t((slots + slots_per_task - 1) / slots_per_task));
  with_law(all, [&](auto law, auto nodes) {
    parallel_chunks(ex, "fem.forces", slots, slots_per_task, [&](Index begin, Index end) {
      double energy = 0;
      for (Index s = begin; s < end; ++s)
        energy += forces_of_slot<decltype(law), decltype(nodes)>(
            all, at, s, to.data + force_row(nodes.nodes, lane_count * s, 0));
      part[std::size_t(begin / slots_per_task)] = energy;
    });
  });
  double sum = 0;
  for (const double x : part) sum += x;
  return sum;
}

void tangents_lanes(const Exec& ex, const Elements& all, const Places& at, Real scale,
                    Span<Mat3<Real>> to) {
  with_law(all, [&](auto law, auto nodes) {
    parallel_chunks(
        ex, "fem.tangents", all.slots.size, slots_per_task, [&](Index begin, Index end) {
          for (Index s = begin; s < end; ++s)
            tangents_of_slot<decltype(law), decltype(nodes)>(
                all, at, scale, s, to.data + nodes.pairs * lane_count * s, elements_in(all, s));
        });
  });
}

}  // namespace rtsim::fem
