#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace rtsim {

// What reads files that a user names must not wait for ever, or take all memory: devices and pipes
// are no files, and files have a greatest size.
inline constexpr std::uint64_t largest_text = std::uint64_t(1) << 30;  // scenes, curves, images
inline constexpr std::uint64_t largest_mesh = std::uint64_t(16) << 30;

// Why it cannot be read, as "No such file or directory" or "is no file: a pipe"; empty if it can.
std::string why_unreadable(const std::filesystem::path&, std::uint64_t most_bytes);

// Throws Error{bad_input}: the path, and why.
std::string read_input(const std::filesystem::path&, std::uint64_t most_bytes);

}  // namespace rtsim
