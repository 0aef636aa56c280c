#pragma once
#include "rigid/material.h"
#include "rigid/shapes/part.h"

namespace rtsim::rigid {

// What the bodies of each contact make of their materials together: the geometric mean of their
// frictions, in each direction, and the greater of their restitutions and rolling resistances.
// `materials` and `frames` are of bodies, then of boundaries.
template <int D>
void mix_materials(const Exec&, Span<const Material<D>> materials, Span<const BodyPose<D>> poses,
                   Span<const ContactBlock<D>>, Span<LaneMaterials<D>>);

// As solve_contacts, where contacts have materials of their own.
template <int D>
void solve_own_contacts(const Exec&, const ContactLaw&, Span<const LaneMaterials<D>>,
                        Span<ContactBlock<D>>, Index begin, Index end, bool both,
                        Span<Row4> solver_bodies);

}  // namespace rtsim::rigid
