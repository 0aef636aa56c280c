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
  PartsHash hash;
  std::vector<char> block(1 << 20);
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), file.get()))
    hash.add({block.data(), n});
  if (std::ferror(file.get())) throw fail();
  return hash.value();
}

struct PartsHash::State {
  XXH3_state_t xxh3;
};

PartsHash::PartsHash() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh3); }
PartsHash::PartsHash(PartsHash&&) noexcept = default;
PartsHash& PartsHash::operator=(PartsHash&&) noexcept = default;
PartsHash::~PartsHash() = default;
void PartsHash::add(std::string_view part) {
  XXH3_64bits_update(&state_->xxh3, part.data(), part.size());
}
std::uint64_t PartsHash::value() const { return XXH3_64bits_digest(&state_->xxh3); }

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace rtsim
