#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace rtsim {

// XXH3, 64 bits (xxhash.com): guards against damage, not against attackers.
std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::uint64_t seed = 0);
std::uint64_t hash_file(const std::filesystem::path&);  // throws Error{io}

std::string hex(std::uint64_t);  // 16 lower-case digits

}  // namespace rtsim
