#include "force_field/force_field.h"

#include "exec/parallel.h"
#include "force_field/field.h"

namespace rtsim::force_field {

namespace {

template <int D>
struct PushRow {
  Field field;
  Real dt;
  Span<const Vec<D>> position;
  Span<Vec<D>> velocity;

  RTSIM_HD void operator()(Index i) const {
    const Vec<D> p = position[i];
    const Real x[3] = {p[0], p[1], D == 3 ? p[D - 1] : Real(0)};
    if (!field.acts_at(x)) return;
    Real a[3];
    field.acceleration(x, a);
    for (int k = 0; k < D; ++k) velocity[i][k] += dt * a[k];
  }
};

}  // namespace

template <int D>
void push(const Exec& ex, const Fields& fields, Real dt, Span<const Vec<D>> position,
          Span<Vec<D>> velocity) {
  parallel_for(ex, "force_field.push", position.size, PushRow<D>{{fields}, dt, position, velocity});
}

template void push<2>(const Exec&, const Fields&, Real, Span<const Vec<2>>, Span<Vec<2>>);
template void push<3>(const Exec&, const Fields&, Real, Span<const Vec<3>>, Span<Vec<3>>);

}  // namespace rtsim::force_field
