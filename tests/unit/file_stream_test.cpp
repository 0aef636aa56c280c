#include "convert/file_stream.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "cache_scratch.h"

namespace rtsim {

namespace {

// Bytes that no shift by a block repeats.
std::string bytes_of_length(std::size_t n) {
  std::string text(n, '\0');
  for (std::size_t k = 0; k < n; ++k) text[k] = char(k * 31 + k / 251);
  return text;
}

}  // namespace

TEST_CASE("file_stream: short and long pieces, put or made in place, follow one another") {
  const Scratch scratch;
  FileStream to(scratch / "file");
  std::string expected;
  for (const std::size_t n :
       {std::size_t(0), std::size_t(1), FileStream::block / 8, FileStream::block / 8 + 1,
        FileStream::block - 1, FileStream::block, 2 * FileStream::block + 7}) {
    const std::string piece = bytes_of_length(n);
    to.put(piece);
    expected += piece;
    const std::string made = bytes_of_length(std::min(n, FileStream::block));
    const std::span<char> room = to.room(made.size());
    REQUIRE(room.size() >= made.size());
    std::ranges::copy(made, room.begin());
    to.take(made.size());
    expected += made;
  }
  to.close();
  CHECK(read_file(scratch / "file") == expected);
  CHECK(to.hash() == hash_bytes(expected.data(), expected.size()));
}

}  // namespace rtsim
