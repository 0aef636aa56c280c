#include "cache/plane_deflate.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/error.h"

namespace rtsim {

namespace {

constexpr std::size_t most_stored = 65535;  // in one block of deflate
constexpr std::size_t sample_parts = 4, sample_part = 2048;

}  // namespace

PlaneDeflate::PlaneDeflate()
    : compressor_(libdeflate_alloc_compressor(1), libdeflate_free_compressor) {
  if (!compressor_) throw std::bad_alloc();
}

std::span<const std::byte> PlaneDeflate::deflate(std::span<const std::byte> bytes,
                                                 std::size_t plane) {
  std::size_t stored = 0;
  while (stored < bytes.size() && is_noise(bytes.subspan(stored, plane))) stored += plane;
  const std::size_t blocks = (stored + most_stored - 1) / most_stored;
  constexpr std::size_t header = 2, of_block = 5, checksum = 4;
  out_.resize(header + blocks * of_block + stored + checksum +
              libdeflate_deflate_compress_bound(compressor_.get(), bytes.size() - stored));
  size_ = 0;
  put({0x78, 0x01});  // deflate with a window of 32 KB, packed fast
  store(bytes.first(stored));
  pack(bytes.subspan(stored));
  const std::uint32_t sum = libdeflate_adler32(1, bytes.data(), bytes.size());
  put({sum >> 24, sum >> 16, sum >> 8, sum});
  return {out_.data(), size_};
}

// Whether a few places of the plane, packed together, keep more than 7/8 of their size.
bool PlaneDeflate::is_noise(std::span<const std::byte> plane) {
  constexpr std::size_t all = sample_parts * sample_part;
  if (plane.size() < all) return false;
  sample_.resize(all);
  for (std::size_t k = 0; k < sample_parts; ++k)
    std::memcpy(sample_.data() + k * sample_part,
                plane.data() + (plane.size() - sample_part) * k / (sample_parts - 1), sample_part);
  packed_sample_.resize(all - all / 8);  // 0: it does not fit
  return libdeflate_deflate_compress(compressor_.get(), sample_.data(), all, packed_sample_.data(),
                                     packed_sample_.size()) == 0;
}

void PlaneDeflate::put(std::initializer_list<unsigned> low_bytes) {
  for (const unsigned b : low_bytes) out_[size_++] = std::byte(b & 255);
}

// Blocks of type 0, none of them the last: size and its complement, low byte first.
void PlaneDeflate::store(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto n = unsigned(std::min(bytes.size(), most_stored));
    put({0, n, n >> 8, ~n, ~n >> 8});
    std::memcpy(out_.data() + size_, bytes.data(), n);
    size_ += n;
    bytes = bytes.subspan(n);
  }
}

void PlaneDeflate::pack(std::span<const std::byte> bytes) {
  const std::size_t n = libdeflate_deflate_compress(compressor_.get(), bytes.data(), bytes.size(),
                                                    out_.data() + size_, out_.size() - size_);
  if (n == 0) throw Error(ExitCode::internal, "libdeflate cannot compress a chunk");
  size_ += n;
}

}  // namespace rtsim
