#pragma once
#include "base/random.h"
#include "base/vec.h"

namespace rtsim::wind {

// What a triangle of unit normal n feels in air that passes it with u [m/s]; for each square metre:
//   viscous fluid  eta (n . u) n
//   drag           rho/2 c_d |u|^2 cos a  e          e = u / |u|, cos a = |n . e|
//   lift           rho/2 c_l |u|^2 cos a (n' - cos a e), n' = n on the lee side: of length
//                  sin a cos a, none face on and none edge on, as of a flat plate
// Keckeisen et al., "Modelling Effects of Wind Fields in Cloth Animations", WSCG 2004; the fluid is
// that of mass-spring cloth in the manner of Provot 1995.
struct Coefficients {
  Real viscous;     // eta [kg/(m^2 s)]
  Real drag, lift;  // rho c_d / 2, rho c_l / 2 [kg/m^3]
};

struct Load {
  Vec<3> force;  // [N/m^2]
  Real rate;     // of force over speed [kg/(m^2 s)]
};

RTSIM_HD inline Load load(const Coefficients& c, const Vec<3>& n, const Vec<3>& u) {
  const Real across = dot(n, u), facing = across < 0 ? -across : across, speed = norm(u);
  const Real back = speed > 0 ? across * across / speed : 0;
  const Vec<3> lift = (speed * across) * n - back * u;
  return {(c.viscous * across) * n + (c.drag * facing) * u + c.lift * lift,
          c.viscous + c.drag * facing + c.lift * speed};
}

// Gusts: a vector from -1 to 1 along each axis, smooth over unit cells, drawn at their corners.
RTSIM_HD inline Vec<3> corner_gust(std::uint64_t seed, Index i, Index j, Index k) {
  constexpr std::uint32_t stream = 0x57494e44u;  // of wind alone
  const std::uint64_t column = std::uint64_t(std::uint32_t(i)) << 32 | std::uint32_t(j);
  const Random4 r = philox(seed, stream, column, std::uint32_t(k));
  return {{Real(2 * uniform(r.c[0]) - 1), Real(2 * uniform(r.c[1]) - 1),
           Real(2 * uniform(r.c[2]) - 1)}};
}

RTSIM_HD inline Vec<3> gust(std::uint64_t seed, const Vec<3>& x) {
  Index low[3];
  Real s[3];
  for (int a = 0; a < 3; ++a) {
    const Real f = std::floor(x[a]), t = x[a] - f;
    low[a] = Index(f), s[a] = t * t * (3 - 2 * t);
  }
  Vec<3> sum{};
  for (int corner = 0; corner < 8; ++corner) {
    const Index d[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
    Real weight = 1;
    for (int a = 0; a < 3; ++a) weight *= d[a] ? s[a] : 1 - s[a];
    sum = sum + weight * corner_gust(seed, low[0] + d[0], low[1] + d[1], low[2] + d[2]);
  }
  return sum;
}

}  // namespace rtsim::wind
