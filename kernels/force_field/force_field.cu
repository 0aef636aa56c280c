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
  Span<const Real> mass, inverse_mass;
  Span<Vec<D>> velocity, load;

  RTSIM_HD double operator()(Index i) const {
    const Vec<D> p = position[i];
    const Real x[3] = {p[0], p[1], D == 3 ? p[D - 1] : Real(0)};
    if (!field.acts_at(x)) return 0;
    Real a[3];
    field.acceleration(x, a);
    if (mass.size > 0 && !(inverse_mass[i] > 0)) {
      for (int k = 0; k < D && load.size > 0; ++k) load[i][k] += dt * mass[i] * a[k];
      return 0;
    }
    double twice = 0;
    for (int k = 0; k < D; ++k) {
      const double before = double(velocity[i][k]);
      velocity[i][k] += dt * a[k];
      const double after = double(velocity[i][k]);
      twice += (after - before) * (after + before);
    }
    return mass.size == 0 ? 0.5 * twice : 0.5 * double(mass[i]) * twice;
  }
};

}  // namespace

template <int D>
double push(const Exec& ex, const Fields& fields, Real dt, Span<const Vec<D>> position,
            Span<const Real> mass, Span<const Real> inverse_mass, Span<Vec<D>> velocity,
            Span<Vec<D>> load) {
  return reduce(ex, "force_field.push", position.size, 0.0,
                PushRow<D>{{fields}, dt, position, mass, inverse_mass, velocity, load}, Plus{});
}

template double push<2>(const Exec&, const Fields&, Real, Span<const Vec<2>>, Span<const Real>,
                        Span<const Real>, Span<Vec<2>>, Span<Vec<2>>);
template double push<3>(const Exec&, const Fields&, Real, Span<const Vec<3>>, Span<const Real>,
                        Span<const Real>, Span<Vec<3>>, Span<Vec<3>>);

}  // namespace rtsim::force_field
