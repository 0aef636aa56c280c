#pragma once
#include <vector>

#include "base/vec.h"
#include "bodies/contacts/contact_colours.h"

namespace rtsim {

// Contacts that are solved together, and the moving bodies that they are between.
struct ContactClusters {
  std::vector<Index> first_contact{0}, contacts;
  std::vector<Real> growth;  // of each one's stiffness
  std::vector<Index> first_body{0}, bodies;
  std::vector<Index> reach;  // of each contact: how many before it, and it, to the first it meets
};

// From which load on contacts are solved together where that pays, of each: 1 / 64 in islands of at
// most 128 contacts, in larger ones as many times that as their number squared, up to 4.
std::vector<Real> least_loads(const std::vector<ContactKey>&, const std::vector<bool>& moves);

// `loads` of each contact for its two bodies, 0 where it is not much for one; `moves` of each body,
// and `excluded` of those that are in no group.
ContactClusters cluster_contacts(const std::vector<ContactKey>&,
                                 const std::vector<VecT<Real, 2>>& loads,
                                 const std::vector<Real>& least, const std::vector<bool>& moves,
                                 const std::vector<std::uint8_t>& excluded);

}  // namespace rtsim
