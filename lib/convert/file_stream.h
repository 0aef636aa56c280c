#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "base/hash.h"
#include "cache/durable.h"

namespace rtsim {

// A file that is made, hashed and written by blocks, each of which stays in the processor's nearer
// cache from one to the next.
class FileStream {
 public:
  static constexpr std::size_t block = 256 << 10;

  explicit FileStream(const std::filesystem::path& path) : file_(path) {}

  // Place for so many bytes, a block at most; the first of them are put when take() says how many.
  std::span<char> room(std::size_t bytes);
  void take(std::size_t bytes) { used_ += bytes; }

  void put(std::string_view);
  void close();
  std::uint64_t hash() const { return hash_.value(); }  // of all, once it is closed

 private:
  void write(std::string_view);
  void flush();

  NewFile file_;
  PartsHash hash_;
  std::unique_ptr<char[]> block_ = std::make_unique_for_overwrite<char[]>(block);
  std::size_t used_ = 0;
};

}  // namespace rtsim
