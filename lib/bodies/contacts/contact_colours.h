#pragma once
#include <cstdint>
#include <vector>

#include "base/types.h"

namespace rtsim {

// Two bodies that meet, and in which part; sorted by (a, b, part_a, part_b).
struct ContactKey {
  Index a, b;
  std::uint32_t part_a, part_b;
  auto operator<=>(const ContactKey&) const = default;
};

// What may be solved at once: no two contacts of a colour have a body in common. Contacts with what
// does not move have colours of their own, which are solved last; what finds no colour is solved
// alone.
constexpr std::int32_t moving_colours = 32, all_colours = 63, overflow_colour = 63, unsolved = -1;

// For each of the new contacts its row among the old ones, or -1.
std::vector<Index> match_contacts(const std::vector<ContactKey>& old,
                                  const std::vector<ContactKey>& now);

// Contacts that stay keep their colours; new ones take the lowest that is free, in their order.
// moves(body): whether impulses move it.
std::vector<std::int32_t> colour_contacts(const std::vector<ContactKey>& now,
                                          const std::vector<Index>& previous,
                                          const std::vector<std::int32_t>& old_colours,
                                          const std::vector<bool>& moves);

}  // namespace rtsim
