#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "world/table.h"

struct libdeflate_decompressor;

namespace rtsim {

// Makes chunks as HDF5's filters shuffle, deflate (level 1) and fletcher32 make them, which can be
// written raw and read by any HDF5. Its own filters work on one thread, and pack noise as well.

// Rows on their way into a chunked dataset.
struct ChunkSource {
  const std::byte* data = nullptr;
  std::size_t rows = 0;
  ElementType type;
  int components = 1;  // in the file: more than type.components are padded with zeros
  int keep_bits = 0;   // of the mantissa of real numbers; 0 keeps all
  std::size_t chunk_rows = 1;

  std::size_t chunks() const { return (rows + chunk_rows - 1) / chunk_rows; }
};

// Rows a chunk, for `rows` rows: at most 32,768 and evenly cut, because a last chunk is stored
// whole. Depends on the number of rows alone.
std::size_t chunk_rows(std::size_t rows);

using Chunk = std::vector<std::byte>;

// All chunks of all sources, in order, made on `threads` threads; the bytes depend on the sources
// alone.
std::vector<std::vector<Chunk>> compress_chunks(std::span<const ChunkSource>, int threads);

// One chunk of all these numbers, shuffled and deflated, without a checksum.
Chunk compress_numbers(std::span<const float>);

// Rows first..first+count as they stand in the file, rounded and padded, in `out`, which has room.
void copy_rows(const ChunkSource&, std::size_t first, std::size_t count, std::byte* out);

// What a thread needs to take chunks apart again.
class Unpacker {
 public:
  Unpacker();

  // The first `count` rows of a chunk that was made of `rows` rows of this type, into `out`. Takes
  // no notice of its checksum. Throws Error{io} where the bytes are no such chunk.
  void unpack(std::span<const std::byte> chunk, ElementType, std::size_t rows, std::size_t count,
              std::byte* out);

 private:
  std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflate_;
  std::vector<std::byte> shuffled_;
};

// HDF5's checksum (H5_checksum_fletcher32): 16-bit words, high byte first, whatever the machine.
std::uint32_t fletcher32(std::span<const std::byte>);

}  // namespace rtsim
