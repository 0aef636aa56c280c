#pragma once
#include "base/types.h"

namespace rtsim {

// Counter-based random numbers: a draw depends on its key alone, so it needs no state, no order and
// no checkpoint. Philox-4x32-10 of Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3",
// SC 2011, table 2.
struct Random4 {
  std::uint32_t c[4];
};

RTSIM_HD inline Random4 philox(std::uint64_t seed, std::uint32_t stage, std::uint64_t step,
                               std::uint32_t id) {
  Random4 x{{std::uint32_t(step), std::uint32_t(step >> 32), id, stage}};
  std::uint32_t k0 = std::uint32_t(seed), k1 = std::uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const std::uint64_t a = std::uint64_t(0xD2511F53u) * x.c[0];
    const std::uint64_t b = std::uint64_t(0xCD9E8D57u) * x.c[2];
    x = {{std::uint32_t(b >> 32) ^ x.c[1] ^ k0, std::uint32_t(b),
          std::uint32_t(a >> 32) ^ x.c[3] ^ k1, std::uint32_t(a)}};
  }
  return x;
}

// Uniform in [0, 1), from the upper 24 bits: exact in float.
RTSIM_HD inline double uniform(std::uint32_t bits) { return (bits >> 8) * (1.0 / 16777216.0); }

}  // namespace rtsim
