#pragma once
#include "exec/exec.h"
#include "exec/span.h"
#include "wind/law.h"

// Launchers of wind on triangles.
namespace rtsim::wind {

struct Air {
  Coefficients coefficients;
  Vec<3> velocity;   // mean [m/s]
  Real gust;         // greatest along each axis [m/s]; 0: none
  Real inv_length;   // of gusts [1/m]
  Vec<3> travelled;  // by the mean wind since time 0, in lengths of gusts
  std::uint64_t seed;
};

using Triangle = VecT<std::int32_t, 3>;

// A third of what each triangle feels [N], and of its rate [kg/s]; nothing where `torn`, which may
// be empty, is set.
struct Share {
  Vec<3> force;
  Real rate;
};
void loads(const Exec&, const Air&, Span<const Triangle>, Span<const std::uint32_t> torn,
           Span<const Vec<3>> x, Span<const Vec<3>> v, Span<Share>);

// The triangles of every point: slots[first[i]] to slots[first[i + 1] - 1], thrice the triangle's
// row and which corner.
struct Around {
  Span<const Index> first, slots;
};
// v += dt F / (m + dt rate) of free points: implicit in the point's own speed, so that light cloth
// comes up to the wind and no further; load += dt F of held ones, which may be empty. Returns the
// kinetic energy that this gave [J].
double push(const Exec&, const Around&, Span<const Share>, Real dt, Span<const Real> mass,
            Span<const Real> inverse_mass, Span<Vec<3>> v, Span<Vec<3>> load);

}  // namespace rtsim::wind
