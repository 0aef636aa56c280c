#pragma once
#include "rigid/clusters/lcp_row.h"
#include "rigid/contacts/contacts.h"
#include "rigid/material.h"

// Contacts that bear much for the mass of what is between them, solved together. A pass takes about
// a share m / (m + M) of the error away where a body m bears M, and what changes by little in a
// pass can be no stiffer than the passes let it (kernels/rigid/contacts/contact_stiffness.h). What
// is solved at once is stable however stiff it is, so these contacts give by as little as is
// wanted: columns do not buckle, and 1e6 kg stand on 1 kg. Passes still come behind, for friction
// that slides and for contacts that are in no group.
namespace rtsim::rigid {

// Groups, the contacts of each, their bodies, and what the solve works on. No body is in two.
template <int D>
struct Clusters {
  static constexpr int most_rows = Manifold<D>::most_points + D * (D - 1) / 2;  // of a contact

  Span<const Index> first_slot;  // of a group; and the end
  Span<const Index> slots;       // block * lane_count + lane
  Span<const Real> growth;       // of each one's stiffness
  Span<const Index> first_body;
  Span<ClusterBody<D>> bodies;
  Span<LcpRow<D>> rows;  // most_rows of each contact
  Span<const std::int64_t> first_number;
  Span<double> numbers;  // of each group's matrix
  bool weighs = false;   // finds what of the impulses stops bodies

  RTSIM_HD Index groups() const { return first_slot.size - 1; }
};

// The greatest load of late of all blocks, and of each contact that of its two bodies, in the order
// of their rows: that of the lighter one, which it is much for, or of both.
template <int D>
Real most_peak(const Exec&, Span<const ContactBlock<D>>);
template <int D>
void loads_of(const Exec&, Span<const ContactBlock<D>>, Span<const Row4> solver_bodies,
              Span<VecT<Real, 2>>);

// As stiff as they need to be.
template <int D>
void stiffen_clusters(const Exec&, const Stiffness&, const Clusters<D>&,
                      Span<const Row4> solver_bodies, Span<ContactBlock<D>>);

// Impulses and velocities of all groups. `own`, if any, are the contacts' materials.
template <int D>
void solve_clusters(const Exec&, const ContactLaw&, Span<const LaneMaterials<D>> own,
                    const Clusters<D>&, Span<ContactBlock<D>>, Span<Row4> solver_bodies);

}  // namespace rtsim::rigid
