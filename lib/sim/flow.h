#pragma once
#include <optional>

#include "base/vec.h"
#include "param/describe.h"

namespace rtsim {

// Vortices that turn against their neighbours and decay in a closed form (Taylor & Green,
// "Mechanism of the production of small eddies from large ones", Proc. R. Soc. A 158, 1937):
// (-cos kx sin ky, sin kx cos ky) U, k = 2 pi / wave_length; in 3D times cos kz.
struct TaylorGreenSpec {
  double speed = 1;        // U [m/s]
  double wave_length = 1;  // [m]
};

// v_a = rate_a (x_a - centre_a) along each axis a.
struct StrainSpec {
  Vec3d centre;  // [m]
  Vec3d rates;   // [1/s]
};

// v = rate axis/|axis| x (x - centre).
struct RotationSpec {
  Vec3d centre;  // [m]
  Vec3d axis{{0, 0, 1}};
  double rate = 0;  // [rad/s]
};

// A velocity that differs from place to place: the sum of those given.
struct FlowSpec {
  std::optional<TaylorGreenSpec> taylor_green;
  std::optional<StrainSpec> strain;
  std::optional<RotationSpec> rotation;

  Vec3d velocity(const Vec3d& x, int dim) const;  // [m/s]
};
void describe(Describe&, FlowSpec&);

}  // namespace rtsim
