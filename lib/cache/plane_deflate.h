#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

struct libdeflate_compressor;

namespace rtsim {

// Streams of zlib (RFC 1950, 1951) of shuffled numbers, whose first planes, the low bytes of
// mantissas, are noise. Huffman codes would save a few percent of them and cost twice the time, to
// pack and to unpack: planes that a sample says to be noise are stored as they are.
class PlaneDeflate {
 public:
  PlaneDeflate();

  // `bytes` in planes of `plane` bytes each. Valid until the next call; equal bytes, equal streams.
  std::span<const std::byte> deflate(std::span<const std::byte> bytes, std::size_t plane);

 private:
  bool is_noise(std::span<const std::byte> plane);
  void put(std::initializer_list<unsigned> low_bytes);
  void store(std::span<const std::byte>);
  void pack(std::span<const std::byte>);

  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor_;
  std::vector<std::byte> out_, sample_, packed_sample_;
  std::size_t size_ = 0;  // of the stream in `out_` so far
};

}  // namespace rtsim
