#pragma once
#include "mac/mac.h"

// Surface tension as a pressure.
namespace rtsim::flip {

// One pass of (1 2 1) / 4 along an axis over the cells; closed sides and walls mirror.
void blur(const Exec&, const mac::Domain&, int axis, Span<const std::uint8_t> layer,
          Span<const Real> from, Span<Real> to);

// sigma kappa, with kappa = -div(grad c / |grad c|) of a smooth share c of liquid, with margins
// filled, to value (0, 0, 0): of circles it is exact at every distance from the middle, whatever
// smoothed them. Where c all but rests it is 0.
template <int D>
void curvature(const Exec&, const mac::Domain&, const Real* share, Real sigma, Span<Real> out);

// q at the point of the smooth surface c = 1/2 that is nearest to the middle of each cell, at most
// two cells off, from a field with margins: so it does not change across the surface. If it fell
// outwards, as the curvature 1 / r does, bulges too small for the smooth surface would have less
// pressure than dents, and grow.
template <int D>
void from_surface(const Exec&, const mac::Domain&, const Real* share, const Real* field,
                  Span<Real> q);

// How many cells lie below the surface, and in how many of them the smooth share is below a third,
// where it is about a half on the surface of all that is large.
struct Thin {
  Index cells = 0, thin = 0;
};
Thin find_thin(const Exec&, Span<const std::uint8_t> layer, Span<const Real> surface,
               Span<const Real> share);

// u -= factor (q_upper - q_lower) on open faces beside cells of the liquid; q is 0 beyond the
// sides.
void push_by(const Exec&, const mac::Domain&, int axis, Span<const Real> open,
             Span<const Real> surface, Span<const Real> q, Real factor, Span<Real> u);

// p += factor q in the cells of the liquid that have an open face.
void add_in_liquid(const Exec&, Span<const std::uint8_t> layer, Span<const Real> surface,
                   Real factor, Span<const Real> q, Span<Real> p);

}  // namespace rtsim::flip
