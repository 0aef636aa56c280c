#include "cache/chunk_compress.h"

#include <libdeflate.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "cache/plane_deflate.h"

namespace rtsim {

namespace {

static_assert(std::endian::native == std::endian::little,
              "chunks are written as they lie in memory");

// Nearest with `keep` bits of mantissa, ties to even. Numbers that would round to infinity are cut
// instead; infinities and NaN stay.
template <class Bits, int mantissa>
void round_bits(std::byte* data, std::size_t n, int keep) {
  if (keep <= 0 || keep >= mantissa) return;
  const int drop = mantissa - keep;
  const Bits exponent = ((Bits(1) << (8 * sizeof(Bits) - 1 - mantissa)) - 1) << mantissa;
  const Bits mask = ~((Bits(1) << drop) - 1);
  for (std::size_t k = 0; k < n; ++k) {
    Bits x;
    std::memcpy(&x, data + k * sizeof x, sizeof x);
    const Bits half = (Bits(1) << (drop - 1)) - 1 + ((x >> drop) & 1);
    const Bits rounded = (x + half) & mask;
    const Bits y = (rounded & exponent) == exponent ? x & mask : rounded;
    if ((x & exponent) != exponent) std::memcpy(data + k * sizeof x, &y, sizeof y);
  }
}

// Byte b of every number, then byte b+1: numbers alike in their high bytes compress better.
template <std::size_t size>
void shuffle(const std::byte* in, std::byte* out, std::size_t n) {
  for (std::size_t b = 0; b < size; ++b)
    for (std::size_t k = 0; k < n; ++k) out[b * n + k] = in[k * size + b];
}

void shuffle(const std::byte* in, std::byte* out, std::size_t n, std::size_t size) {
  if (size == 4) return shuffle<4>(in, out, n);
  if (size == 8) return shuffle<8>(in, out, n);
  std::memcpy(out, in, n * size);
}

// As whole numbers, which vectorises.
template <class Bits>
void unshuffle(const std::byte* in, std::byte* out, std::size_t n, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    Bits x = 0;
    for (std::size_t b = 0; b < sizeof x; ++b) x |= Bits(in[b * n + k]) << (8 * b);
    std::memcpy(out + k * sizeof x, &x, sizeof x);
  }
}

void unshuffle(const std::byte* in, std::byte* out, std::size_t n, std::size_t count,
               std::size_t size) {
  if (size == 4) return unshuffle<std::uint32_t>(in, out, n, count);
  if (size == 8) return unshuffle<std::uint64_t>(in, out, n, count);
  std::memcpy(out, in, count * size);
}

// What one thread needs to make chunks, kept from one to the next.
class Compressor {
 public:
  Chunk make(const ChunkSource& s, std::size_t c) {
    const std::size_t size = bytes_of(s.type.scalar), n = s.chunk_rows * std::size_t(s.components);
    const std::size_t first = c * s.chunk_rows;
    const std::size_t count = std::min(s.chunk_rows, s.rows - first);
    plain_.assign(n * size, std::byte(0));
    shuffled_.resize(n * size);
    copy_rows(s, first, count, plain_.data());
    shuffle(plain_.data(), shuffled_.data(), n, size);
    return with_checksum(deflate_.deflate(shuffled_, n));
  }

 private:
  // Behind the compressed bytes, low byte first.
  static Chunk with_checksum(std::span<const std::byte> packed) {
    const std::uint32_t sum = fletcher32(packed);
    Chunk chunk(packed.size() + sizeof sum);
    std::memcpy(chunk.data(), packed.data(), packed.size());
    std::memcpy(chunk.data() + packed.size(), &sum, sizeof sum);
    return chunk;
  }

  PlaneDeflate deflate_;
  std::vector<std::byte> plain_, shuffled_;
};

struct Job {
  std::size_t source, chunk;
};

}  // namespace

std::size_t chunk_rows(std::size_t rows) {
  constexpr std::size_t most = 32768;
  const std::size_t chunks = std::max<std::size_t>(1, (rows + most - 1) / most);
  return std::max<std::size_t>(1, (rows + chunks - 1) / chunks);
}

Chunk compress_numbers(std::span<const float> numbers) {
  const std::span<const std::byte> plain = std::as_bytes(numbers);
  std::vector<std::byte> shuffled(plain.size());
  shuffle(plain.data(), shuffled.data(), numbers.size(), sizeof(float));
  PlaneDeflate deflate;
  const std::span<const std::byte> packed = deflate.deflate(shuffled, numbers.size());
  return {packed.begin(), packed.end()};
}

void copy_rows(const ChunkSource& s, std::size_t first, std::size_t count, std::byte* out) {
  const std::size_t in_row = s.type.bytes();
  const std::size_t out_row = bytes_of(s.type.scalar) * std::size_t(s.components);
  const std::byte* in = s.data + first * in_row;
  if (in_row == out_row) {
    std::memcpy(out, in, count * in_row);
  } else {
    std::memset(out, 0, count * out_row);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(out + i * out_row, in + i * in_row, in_row);
  }
  const std::size_t n = count * std::size_t(s.components);
  if (s.type.scalar == Scalar::f32) round_bits<std::uint32_t, 23>(out, n, s.keep_bits);
  if (s.type.scalar == Scalar::f64) round_bits<std::uint64_t, 52>(out, n, s.keep_bits);
}

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  std::uint32_t sum1 = 0, sum2 = 0;
  const auto fold = [&] {
    sum1 = (sum1 & 0xffff) + (sum1 >> 16);
    sum2 = (sum2 & 0xffff) + (sum2 >> 16);
  };
  const std::byte* p = bytes.data();
  for (std::size_t words = bytes.size() / 2; words > 0;) {
    const std::size_t some = std::min<std::size_t>(words, 360);  // the most that cannot overflow
    for (std::size_t k = 0; k < some; ++k, p += 2) {
      sum1 += std::uint32_t(p[0]) << 8 | std::uint32_t(p[1]);
      sum2 += sum1;
    }
    fold();
    words -= some;
  }
  if (bytes.size() % 2) {
    sum1 += std::uint32_t(*p) << 8;
    sum2 += sum1;
    fold();
  }
  fold();
  return sum2 << 16 | sum1;
}

std::vector<std::vector<Chunk>> compress_chunks(std::span<const ChunkSource> sources, int threads) {
  std::vector<std::vector<Chunk>> chunks(sources.size());
  std::vector<Job> jobs;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    chunks[s].resize(sources[s].chunks());
    for (std::size_t c = 0; c < chunks[s].size(); ++c) jobs.push_back({s, c});
  }

  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      Compressor compressor;
      for (std::size_t j; (j = next++) < jobs.size();)
        chunks[jobs[j].source][jobs[j].chunk] =
            compressor.make(sources[jobs[j].source], jobs[j].chunk);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others(
        std::min<std::size_t>(std::size_t(std::max(threads, 1)), jobs.size()));
    for (std::size_t t = 1; t < others.size(); ++t) others[t] = std::jthread(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return chunks;
}

Unpacker::Unpacker() : inflate_(libdeflate_alloc_decompressor(), libdeflate_free_decompressor) {
  if (!inflate_) throw std::bad_alloc();
}

void Unpacker::unpack(std::span<const std::byte> chunk, ElementType type, std::size_t rows,
                      std::size_t count, std::byte* out) {
  constexpr std::size_t checksum = 4;
  const std::size_t size = bytes_of(type.scalar), components = std::size_t(type.components);
  shuffled_.resize(rows * type.bytes());
  if (chunk.size() < checksum ||
      libdeflate_zlib_decompress(inflate_.get(), chunk.data(), chunk.size() - checksum,
                                 shuffled_.data(), shuffled_.size(), nullptr) != LIBDEFLATE_SUCCESS)
    throw Error(ExitCode::io, "a chunk does not unpack to the size that it should have");
  unshuffle(shuffled_.data(), out, rows * components, count * components, size);
}

}  // namespace rtsim
