#pragma once
#include "exec/buffer.h"
#include "flip/tension.h"

namespace rtsim {

// The pressure sigma kappa on the surface of a liquid, as a field q around it that is known before
// the liquid's pressure is looked for. With p + q in place of p the solve has p = 0 on the surface:
// the jump is met where the surface lies between two centres, and no number is divided by a short
// way to it. What q is deep in the liquid does not matter. The curvature is that of the share of
// each cell that is liquid, smoothed. Such a pressure is not made of pairs of forces: momentum is
// kept as far as the curvature is right.
class SurfaceTension {
 public:
  SurfaceTension(const Exec&, const mac::Domain&, double sigma);

  // `surface`: signed distance; `layer` as mac::solid_layers.
  template <int D>
  void find(Span<const std::uint8_t> layer, Span<const Real> surface);
  Span<const Real> pressure() const { return pressure_.span(); }  // q
  double thin() const { return thin_; }  // share of the liquid in what is too small for it

  // The longest step in which waves of two cells are followed,
  //   dt = sqrt(rho h^3 / (2 pi sigma))
  // (Brackbill, Kothe & Zemach, "A Continuum Method for Modeling Surface Tension", J. Comput. Phys.
  // 100, 1992, as Denner & van Wachem, J. Comput. Phys. 285, 2015, have it) [s].
  static double stable_dt(double sigma, double density, double spacing);

  static double numbers(double padded) { return 3 + 2 * padded; }  // for each cell

 private:
  template <int D>
  void smooth(Span<const std::uint8_t> layer, Buffer<Real>&);
  const Real* padded(Span<const std::uint8_t> layer, const Buffer<Real>&, Buffer<Real>& to);

  Exec ex_;
  mac::Domain domain_;
  mac::Layout layout_;
  double sigma_, thin_ = 0;
  Buffer<Real> share_, spare_, pressure_, share_padded_, pressure_padded_;
};

}  // namespace rtsim
