#include "solvers/flip/surface_tension.h"

#include <cmath>

#include "flip/flip.h"
#include "mac/margin.h"

namespace rtsim {

SurfaceTension::SurfaceTension(const Exec& ex, const mac::Domain& domain, double sigma)
    : ex_(ex),
      domain_(domain),
      layout_(mac::Layout::of(domain)),
      sigma_(sigma),
      share_(ex, std::size_t(domain.rows(mac::centres))),
      spare_(ex, share_.size()),
      pressure_(ex, share_.size()),
      share_padded_(ex, std::size_t(layout_.size)),
      pressure_padded_(ex, share_padded_.size()) {}

double SurfaceTension::stable_dt(double sigma, double density, double spacing) {
  constexpr double pi = 3.14159265358979323846;
  return std::sqrt(density * spacing * spacing * spacing / (2 * pi * sigma));
}

// Passes along each axis: as a Gaussian of two cells, in which boxes of particles hardly show.
constexpr int passes = 8;

template <int D>
void SurfaceTension::smooth(Span<const std::uint8_t> layer, Buffer<Real>& values) {
  for (int k = 0; k < passes; ++k)
    for (int a = 0; a < D; ++a) {
      flip::blur(ex_, domain_, a, layer, values.span(), spare_.span());
      values.swap(spare_);
    }
}

template <int D>
void SurfaceTension::find(Span<const std::uint8_t> layer, Span<const Real> surface) {
  flip::share_below<D>(ex_, domain_, layer, surface, share_.span());
  smooth<D>(layer, share_);
  const flip::Thin found = flip::find_thin(ex_, layer, surface, share_.span());
  thin_ = found.cells > 0 ? double(found.thin) / double(found.cells) : 0;
  const Real* const share = padded(layer, share_, share_padded_);
  flip::curvature<D>(ex_, domain_, share, Real(sigma_), pressure_.span());
  flip::from_surface<D>(ex_, domain_, share, padded(layer, pressure_, pressure_padded_),
                        pressure_.span());
}

const Real* SurfaceTension::padded(Span<const std::uint8_t> layer, const Buffer<Real>& values,
                                   Buffer<Real>& to) {
  mac::to_padded(ex_, domain_, mac::centres, values.span(), to.data());
  mac::fill_solids(ex_, domain_, layer, to.data() + layout_.origin);
  mac::fill_scalar_margin(ex_, domain_, {}, to.data());
  return to.data() + layout_.origin;
}

template void SurfaceTension::find<2>(Span<const std::uint8_t>, Span<const Real>);
template void SurfaceTension::find<3>(Span<const std::uint8_t>, Span<const Real>);

}  // namespace rtsim
