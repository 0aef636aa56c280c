#include "cache/plane_deflate.h"

#include <libdeflate.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

namespace rtsim {

namespace {

using Bytes = std::vector<std::byte>;

// Whole numbers below `most`, in no order.
Bytes noise(std::size_t n, unsigned most, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(n);
  for (std::byte& b : bytes) b = std::byte(random() % most);
  return bytes;
}

Bytes counting(std::size_t n) {
  Bytes bytes(n);
  for (std::size_t k = 0; k < n; ++k) bytes[k] = std::byte(k & 255);
  return bytes;
}

Bytes joined(const std::vector<Bytes>& planes) {
  Bytes all;
  for (const Bytes& p : planes) all.insert(all.end(), p.begin(), p.end());
  return all;
}

std::size_t packed_bytes(const Bytes& bytes, std::size_t plane) {
  PlaneDeflate deflate;
  const std::span<const std::byte> packed = deflate.deflate(bytes, plane);
  Bytes back(bytes.size());
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflate(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  // Its checksum is looked at, too.
  REQUIRE(libdeflate_zlib_decompress(inflate.get(), packed.data(), packed.size(), back.data(),
                                     back.size(), nullptr) == LIBDEFLATE_SUCCESS);
  CHECK(back == bytes);
  return packed.size();
}

// Two bytes of zlib's header, four of its checksum, and five for each block of 65535 that is
// stored.
std::size_t stored_bytes(std::size_t n) { return 6 + n + (n + 65534) / 65535 * 5; }

}  // namespace

TEST_CASE("plane_deflate: planes of noise are stored, and what follows is packed") {
  const std::size_t n = 100'000;  // two blocks
  const Bytes first = noise(n, 256, 1), zeros(n);
  const std::size_t bytes = packed_bytes(joined({first, zeros}), n);
  CHECK(bytes > stored_bytes(n));
  CHECK(bytes < stored_bytes(n) + n / 100);  // a run of zeros takes next to nothing
}

TEST_CASE("plane_deflate: all planes may be noise, and none may be there") {
  const std::size_t n = 9000;
  // A stream must end with a last block; the largest empty one is a stored one of five bytes.
  const std::size_t bytes = packed_bytes(joined({noise(n, 256, 1), noise(n, 256, 2)}), n);
  CHECK(bytes > stored_bytes(2 * n));
  CHECK(bytes <= stored_bytes(2 * n) + 5);
  packed_bytes({}, 0);
}

TEST_CASE("plane_deflate: even bytes that repeat, as those of counts, are no noise") {
  const std::size_t n = 50'000;
  CHECK(packed_bytes(counting(n), n) < n / 10);
}

TEST_CASE("plane_deflate: a plane of few values is packed though it comes first") {
  const std::size_t n = 50'000;
  // Huffman's codes of 16 even values have 4 bits and save half of the plane. At least half of
  // that, because a block that spans both planes has one code for both.
  CHECK(packed_bytes(joined({noise(n, 16, 3), noise(n, 256, 4)}), n) < 2 * n - n / 4);
}

TEST_CASE("plane_deflate: planes of any size come back") {
  for (const std::size_t n : {1, 2, 100, 8191, 8192, 8193, 65535, 65536, 131070})
    packed_bytes(joined({noise(n, 256, 5), noise(n, 256, 6), noise(n, 250, 7), Bytes(n)}), n);
}

}  // namespace rtsim
