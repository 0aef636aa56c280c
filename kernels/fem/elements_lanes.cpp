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

Lame<Eight> eight_of(const Lame<Real>& k) { return {Eight(k.mu), Eight(k.lambda)}; }

ElementRest<Eight> rest_of(const ElementSlot& s) {
  ElementRest<Eight> rest;
  for (int k = 0; k < 3; ++k)
    for (int a = 0; a < 3; ++a) rest.g[k][a] = Eight::load(s.g[3 * k + a]);
  rest.volume = Eight::load(s.volume);
  return rest;
}

Mat3<Eight> deformation_of(const Elements& all, const Places& at, const ElementSlot& s,
                           const ElementRest<Eight>& rest) {
  const Lanes4<Real> x = load_rows(at.base.data, s.corner[0]),
                     v = load_rows(at.w.data, s.corner[0]);
  const Eight ahead(at.s);
  VecT<Eight, 3> d[3];
  for (int k = 0; k < 3; ++k) {
    const Lanes4<Real> y = load_rows(at.base.data, s.corner[k + 1]),
                       w = load_rows(at.w.data, s.corner[k + 1]);
    d[k] = {{fma(ahead, w.x - v.x, y.x - x.x), fma(ahead, w.y - v.y, y.y - x.y),
             fma(ahead, w.z - v.z, y.z - x.z)}};
  }
  return deformation(rest, d, Eight(all.through));
}

template <class Law>
double forces_of_slot(const Elements& all, const Places& at, Index slot, Row4* to) {
  const ElementRest<Eight> rest = rest_of(all.slots[slot]);
  const Response<Eight> r =
      Law::respond(eight_of(all.lame), deformation_of(all, at, all.slots[slot], rest));
  VecT<Eight, 3> sum{};
  for (int k = 1; k < 4; ++k) {
    const VecT<Eight, 3> f = corner_force(rest, r.stress, k);
    sum = sum + f;
    store_rows(to + k * lane_count, {f[0], f[1], f[2], Eight(0)});
  }
  const Eight none(Real(0));
  store_rows(to, {none - sum[0], none - sum[1], none - sum[2], none});
  return double((rest.volume * r.energy).sum());
}

template <class Law>
void tangents_of_slot(const Elements& all, const Places& at, Real scale, Index slot,
                      ElementBlocks* to, Index left) {
  const ElementRest<Eight> rest = rest_of(all.slots[slot]);
  const PrincipalTangent<Eight> t =
      Law::tangent(eight_of(all.lame), deformation_of(all, at, all.slots[slot], rest), true);
  VecT<Eight, 3> g[4];
  principal_gradients(t, rest, g);
  const Eight times = Eight(-scale) * rest.volume;
  for (int k = 0; k < 6; ++k) {
    const Mat3<Eight> n = times * corner_tangent(t, g[pair_of(k, 0)], g[pair_of(k, 1)]);
    Real each[9][lane_count];
    for (int a = 0; a < 9; ++a) n.row[a / 3][a % 3].store(each[a]);
    for (Index l = 0; l < left; ++l)
      for (int a = 0; a < 9; ++a) to[l].n[k].row[a / 3][a % 3] = each[a][l];
  }
}

template <class Law>
void join_extremes_of_slot(const Elements& all, const Places& at, Index slot, Index left,
                           Extremes& to) {
  const ElementRest<Eight> rest = rest_of(all.slots[slot]);
  const Mat3<Eight> F = deformation_of(all, at, all.slots[slot], rest);
  const Mat3<Eight> P = Law::respond(eight_of(all.lame), F).stress;
  Real ratio[lane_count], stress[lane_count];
  determinant(F).store(ratio), von_mises(P, F).store(stress);
  for (Index l = 0; l < left; ++l) {
    if (double(ratio[l]) < to.least_ratio) to.least_ratio = double(ratio[l]);
    if (double(stress[l]) > to.greatest_stress) to.greatest_stress = double(stress[l]);
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
  with_law(all.material, [&](auto law) {
    parallel_chunks(ex, "fem.extremes", slots, slots_per_task, [&](Index begin, Index end) {
      for (Index s = begin; s < end; ++s)
        join_extremes_of_slot<decltype(law)>(all, at, s, elements_in(all, s),
                                             part[std::size_t(begin / slots_per_task)]);
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
  with_law(all.material, [&](auto law) {
    parallel_chunks(ex, "fem.forces", slots, slots_per_task, [&](Index begin, Index end) {
      double energy = 0;
      for (Index s = begin; s < end; ++s)
        energy += forces_of_slot<decltype(law)>(all, at, s, to.data + force_row(lane_count * s, 0));
      part[std::size_t(begin / slots_per_task)] = energy;
    });
  });
  double sum = 0;
  for (const double x : part) sum += x;
  return sum;
}

void tangents_lanes(const Exec& ex, const Elements& all, const Places& at, Real scale,
                    Span<ElementBlocks> to) {
  with_law(all.material, [&](auto law) {
    parallel_chunks(ex, "fem.tangents", all.slots.size, slots_per_task,
                    [&](Index begin, Index end) {
                      for (Index s = begin; s < end; ++s)
                        tangents_of_slot<decltype(law)>(all, at, scale, s, to.data + lane_count * s,
                                                        elements_in(all, s));
                    });
  });
}

}  // namespace rtsim::fem
