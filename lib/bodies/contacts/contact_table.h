#pragma once
#include <string>

#include "rigid/contacts/contact_points.h"
#include "world/world.h"

namespace rtsim {

// Where the bodies of an object touch, a row for each point, for frames: derived columns `bodies`,
// `position`, `normal`, `force`, `moment` and `separation` as in kernels/rigid/contact_points.h.
std::string contact_table(const std::string& bodies);

template <int D>
void add_contact_table(World&, const std::string& bodies);

// `dt` [s]: of the step that the contacts were of.
template <int D>
void fill_contact_table(World&, const std::string& bodies, double dt, const rigid::Bodies<D>&,
                        Span<const rigid::ContactBlock<D>>, Span<const rigid::ReportedImpulses<D>>,
                        Span<const Row4> solver_bodies);

}  // namespace rtsim
