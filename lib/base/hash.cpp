#include "base/hash.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"

namespace rtsim {

std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

std::uint64_t hash_file(const std::filesystem::path& path) {
  const auto fail = [&] {
    return Error(ExitCode::io, path.string() + ": " + std::strerror(errno));
  };
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw fail();
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  XXH3_64bits_reset(state.get());
  std::vector<char> block(1 << 20);
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), file.get()))
    XXH3_64bits_update(state.get(), block.data(), n);
  if (std::ferror(file.get())) throw fail();
  return XXH3_64bits_digest(state.get());
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace rtsim
