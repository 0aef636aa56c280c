#include "sph/probe.h"

#include "exec/parallel.h"

namespace rtsim::sph {

namespace {

template <int D>
RTSIM_HD Vec<D> apart(const PeriodicBox& box, const Vec<D>& a, const Vec<D>& b) {
  Vec<D> d = a - b;
  for (int k = 0; k < D; ++k) d[k] = box.nearest(k, d[k]);
  return d;
}

template <int D>
struct PressureOfRow {
  PeriodicBox box;
  CubicSpline kernel;
  Vec<D> x;
  Span<const Vec<D>> position;
  Span<const Real> density, pressure;
  RTSIM_HD PressureAt operator()(Index i) const {
    const Vec<D> d = apart(box, position[i], x);
    const Real r2 = dot(d, d);
    if (!(r2 < kernel.support * kernel.support)) return {};
    const double w = double(kernel.shape(r2)) / double(density[i]);
    return {w * double(pressure[i]), w};
  }
};
struct AddPressure {
  RTSIM_HD PressureAt operator()(const PressureAt& a, const PressureAt& b) const {
    return {a.weighted + b.weighted, a.weight + b.weight};
  }
};

template <int D>
struct HeightOfRow {
  PeriodicBox box;
  Vec<D> x, up;
  Real radius;
  Span<const Vec<D>> position;
  RTSIM_HD double operator()(Index i) const {
    const Vec<D> d = apart(box, position[i], x);
    const Real along = dot(d, up);
    const Vec<D> off = d - along * up;
    return dot(off, off) <= radius * radius ? double(along) : -1e300;
  }
};

template <int D>
struct ForceOfSample {
  Vec<D> normal;
  Span<const Real> weight;
  Span<const Vec<D>> force;
  RTSIM_HD double operator()(Index b) const {
    return weight[b] > 0 ? -double(weight[b]) * double(dot(force[b], normal)) : 0;
  }
};

}  // namespace

template <int D>
PressureAt pressure_at(const Exec& ex, const CubicSpline& kernel, const PeriodicBox& box, Vec<D> x,
                       Span<const Vec<D>> position, Span<const Real> density,
                       Span<const Real> pressure) {
  return reduce(ex, "sph.probe", position.size, PressureAt{},
                PressureOfRow<D>{box, kernel, x, position, density, pressure}, AddPressure{});
}

template <int D>
double height_at(const Exec& ex, const PeriodicBox& box, Vec<D> x, Vec<D> up, Real radius,
                 Span<const Vec<D>> position) {
  return reduce(ex, "sph.probe", position.size, -1e300,
                HeightOfRow<D>{box, x, up, radius, position}, Max{});
}

template <int D>
double force_on_gauge(const Exec& ex, Vec<D> normal, Span<const Real> weight,
                      Span<const Vec<D>> force) {
  return reduce(ex, "sph.probe", weight.size, 0.0, ForceOfSample<D>{normal, weight, force}, Plus{});
}

#define RTSIM_INSTANTIATE(D)                                                                      \
  template PressureAt pressure_at<D>(const Exec&, const CubicSpline&, const PeriodicBox&, Vec<D>, \
                                     Span<const Vec<D>>, Span<const Real>, Span<const Real>);     \
  template double height_at<D>(const Exec&, const PeriodicBox&, Vec<D>, Vec<D>, Real,             \
                               Span<const Vec<D>>);                                               \
  template double force_on_gauge<D>(const Exec&, Vec<D>, Span<const Real>, Span<const Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::sph
