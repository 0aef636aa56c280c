#include "base/random.h"

#include <catch2/catch.hpp>
#include <set>

using namespace rtsim;

TEST_CASE("random: Philox-4x32-10 gives the published vectors") {
  // Salmon et al., Random123, kat_vectors: philox4x32 10 rounds.
  const Random4 zero = philox(0, 0, 0, 0);
  CHECK(zero.c[0] == 0x6627e8d5u);
  CHECK(zero.c[1] == 0xe169c58du);
  CHECK(zero.c[2] == 0xbc57ac4cu);
  CHECK(zero.c[3] == 0x9b00dbd8u);
  const Random4 ones = philox(~0ull, ~0u, ~0ull, ~0u);
  CHECK(ones.c[0] == 0x408f276du);
  CHECK(ones.c[1] == 0x41c83b0eu);
  CHECK(ones.c[2] == 0xa20bc7c6u);
  CHECK(ones.c[3] == 0x6d5451fdu);
}

TEST_CASE("random: neighbours in any part of the key are different draws, in [0, 1)") {
  std::set<std::uint32_t> seen;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    for (const std::uint32_t bits :
         {philox(1, 2, 3, i).c[0], philox(1, 2, 3 + i + 1, 0).c[0], philox(1, 3 + i, 3, 0).c[0]}) {
      seen.insert(bits);
      CHECK(uniform(bits) >= 0);
      CHECK(uniform(bits) < 1);
    }
  }
  CHECK(seen.size() > 2990);
}
