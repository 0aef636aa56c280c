#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace rtsim {

// XXH3, 64 bits (xxhash.com): guards against damage, not against attackers.
std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::uint64_t seed = 0);
std::uint64_t hash_file(const std::filesystem::path&);  // throws Error{io}

// The same of bytes that come in parts.
class PartsHash {
 public:
  PartsHash();
  PartsHash(PartsHash&&) noexcept;
  PartsHash& operator=(PartsHash&&) noexcept;
  ~PartsHash();
  void add(std::string_view part);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string hex(std::uint64_t);  // 16 lower-case digits

}  // namespace rtsim
