#include "bodies/contacts/contact_colours.h"

#include <bit>

namespace rtsim {

std::vector<Index> match_contacts(const std::vector<ContactKey>& old,
                                  const std::vector<ContactKey>& now) {
  std::vector<Index> previous(now.size(), -1);
  std::size_t o = 0;
  for (std::size_t n = 0; n < now.size(); ++n) {
    while (o < old.size() && old[o] < now[n]) ++o;
    if (o < old.size() && old[o] == now[n]) previous[n] = Index(o++);
  }
  return previous;
}

std::vector<std::int32_t> colour_contacts(const std::vector<ContactKey>& now,
                                          const std::vector<Index>& previous,
                                          const std::vector<std::int32_t>& old_colours,
                                          const std::vector<bool>& moves) {
  constexpr std::uint64_t of_moving = (std::uint64_t(1) << moving_colours) - 1;
  constexpr std::uint64_t of_fixed = ~of_moving & ~(std::uint64_t(1) << overflow_colour);
  std::vector<std::uint64_t> used(moves.size());
  std::vector<std::int32_t> colour(now.size(), unsolved);
  const auto take = [&](const ContactKey& k, std::int32_t c) {
    if (c == overflow_colour) return;
    for (const Index body : {k.a, k.b})
      if (moves[std::size_t(body)]) used[std::size_t(body)] |= std::uint64_t(1) << c;
  };
  for (std::size_t n = 0; n < now.size(); ++n) {
    const std::int32_t kept = previous[n] < 0 ? unsolved : old_colours[std::size_t(previous[n])];
    if (kept == unsolved || kept == overflow_colour) continue;
    colour[n] = kept, take(now[n], kept);
  }
  for (std::size_t n = 0; n < now.size(); ++n) {
    const bool a = moves[std::size_t(now[n].a)], b = moves[std::size_t(now[n].b)];
    if (colour[n] != unsolved || (!a && !b)) continue;
    const std::uint64_t taken =
        (a ? used[std::size_t(now[n].a)] : 0) | (b ? used[std::size_t(now[n].b)] : 0);
    const std::uint64_t free = ~taken & (a && b ? of_moving : of_fixed);
    colour[n] = free == 0 ? overflow_colour : std::countr_zero(free);
    take(now[n], colour[n]);
  }
  return colour;
}

}  // namespace rtsim
