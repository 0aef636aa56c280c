#include "exec/sort.h"

#include <algorithm>
#include <cstring>

#include "exec/parallel.h"

#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#endif

namespace rtsim {

namespace {

// One stable counting pass over the CPU threads. Each part of the rows has its own histogram; the
// start of (bin, part) is the number of rows in lower bins, and in lower parts of the same bin. The
// result does not depend on the number of parts.
class CountingPass {
 public:
  CountingPass(const Exec& ex, Index rows, std::uint32_t bins)
      : ex_(ex),
        rows_(rows),
        bins_(Index(bins)),
        parts_(std::clamp<Index>(rows / 8192, 1, std::min(ex.threads(), 16))),
        count_(ex, std::size_t(parts_) * bins) {}

  // Key: (row) -> bin; Place: (row, position).
  template <class Key, class Place>
  void run(Key key, Place place, Index* first) {
    struct Context {
      CountingPass& pass;
      Key key;
      Place place;
    } context{*this, key, place};
    ex_.for_tasks(
        parts_,
        [](const void* p, Index part, Index) {
          const Context& c = *static_cast<const Context*>(p);
          Index* count = c.pass.part(part);
          std::memset(count, 0, std::size_t(c.pass.bins_) * sizeof(Index));
          for (Index i = c.pass.begin(part); i < c.pass.begin(part + 1); ++i) ++count[c.key(i)];
        },
        &context);
    starts(first);
    ex_.for_tasks(
        parts_,
        [](const void* p, Index part, Index) {
          const Context& c = *static_cast<const Context*>(p);
          Index* next = c.pass.part(part);
          for (Index i = c.pass.begin(part); i < c.pass.begin(part + 1); ++i)
            c.place(i, next[c.key(i)]++);
        },
        &context);
  }

 private:
  Index begin(Index part) const { return Index(Offset(rows_) * part / parts_); }
  Index* part(Index p) { return count_.data() + std::size_t(p) * std::size_t(bins_); }

  // Counts become starts. Blocks of bins sum in parallel, so many threads do not wait for one.
  void starts(Index* first) {
    const Index blocks = std::clamp<Index>(bins_ / 16384, 1, parts_);
    std::vector<Index> total(std::size_t(blocks) + 1, 0);
    struct Context {
      CountingPass& pass;
      Index blocks;
      Index* total;
      Index* first;
      Index begin(Index block) const { return Index(Offset(pass.bins_) * block / blocks); }
    } const context{*this, blocks, total.data(), first};
    ex_.for_tasks(
        blocks,
        [](const void* p, Index block, Index) {
          const Context& c = *static_cast<const Context*>(p);
          Index sum = 0;
          for (Index q = 0; q < c.pass.parts_; ++q)
            for (Index b = c.begin(block); b < c.begin(block + 1); ++b) sum += c.pass.part(q)[b];
          c.total[block + 1] = sum;
        },
        &context);
    for (Index b = 0; b < blocks; ++b) total[std::size_t(b) + 1] += total[std::size_t(b)];
    ex_.for_tasks(
        blocks,
        [](const void* p, Index block, Index) {
          const Context& c = *static_cast<const Context*>(p);
          Index sum = c.total[block];
          for (Index b = c.begin(block); b < c.begin(block + 1); ++b) {
            if (c.first) c.first[b] = sum;
            for (Index q = 0; q < c.pass.parts_; ++q) {
              Index& n = c.pass.part(q)[b];
              const Index start = sum;
              sum += n, n = start;
            }
          }
        },
        &context);
    if (first) first[bins_] = rows_;
  }

  const Exec& ex_;
  Index rows_, bins_, parts_;
  Buffer<Index> count_;
};

void sort_host(const Exec& ex, Span<const std::uint32_t> keys, std::uint32_t bins, Index* order,
               Index* first) {
  const Index n = keys.size;
  struct WholeKey {
    const std::uint32_t* keys;
    Index operator()(Index i) const { return Index(keys[i]); }
  };
  struct PlaceRow {
    Index* order;
    void operator()(Index i, Index at) const { order[at] = i; }
  };
  // Few bins, or starts wanted: one pass with the whole key. Else digits, lowest first.
  if (first || bins <= 65536 || Offset(bins) <= 4 * Offset(n))
    return CountingPass(ex, n, bins).run(WholeKey{keys.data}, PlaceRow{order}, first);

  struct Digit {
    const std::uint32_t* keys;
    const Index* rows;
    int shift;
    Index operator()(Index i) const { return Index(keys[rows[i]] >> shift & 2047u); }
  };
  struct Move {
    const Index* rows;
    Index* order;
    void operator()(Index i, Index at) const { order[at] = rows[i]; }
  };
  Buffer<Index> other(ex, std::size_t(n));
  Index *from = order, *to = other.data();
  for (Index i = 0; i < n; ++i) from[i] = i;
  CountingPass pass(ex, n, 2048);
  for (int shift = 0; shift < 32 && (bins - 1) >> shift != 0; shift += 11) {
    pass.run(Digit{keys.data, from, shift}, Move{from, to}, nullptr);
    std::swap(from, to);
  }
  if (from != order) std::memcpy(order, from, std::size_t(n) * sizeof(Index));
}

#ifdef __CUDACC__
struct Iota {
  Index* out;
  RTSIM_HD void operator()(Index i) const { out[i] = i; }
};

// first[b] by binary search: keys are sorted.
struct LowerBound {
  const std::uint32_t* keys;
  Index n;
  Index* first;
  RTSIM_HD void operator()(Index b) const {
    Index low = 0, high = n;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (keys[middle] < std::uint32_t(b))
        low = middle + 1;
      else
        high = middle;
    }
    first[b] = low;
  }
};

int bits(std::uint32_t bins) {
  int b = 1;
  while (b < 32 && (bins - 1) >> b) ++b;
  return b;
}

// A routine of CUB: asked without scratch it says how many bytes it wants. What it returns is the
// only report of its failure.
template <class Routine>
void with_scratch(const Exec& ex, const char* label, Index rows, const Routine& routine) {
  std::size_t bytes = 0;
  cuda::check_library(routine(nullptr, bytes), label);
  Buffer<std::byte> scratch(ex, bytes);
  const Launch launch(ex, label, rows);
  cuda::check_library(routine(scratch.data(), bytes), label);
  cuda::check_launch(label);
}

void sort_device(const Exec& ex, const char* label, Span<const std::uint32_t> keys,
                 std::uint32_t bins, Index* order, Index* first) {
  const std::size_t n = std::size_t(keys.size);
  Buffer<std::uint32_t> sorted(ex, n);
  Buffer<Index> rows(ex, n);
  parallel_for(ex, label, keys.size, Iota{rows.data()});
  with_scratch(ex, label, keys.size, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data, sorted.data(), rows.data(),
                                           order, n, 0, bits(bins));
  });
  if (first) parallel_for(ex, label, Index(bins) + 1, LowerBound{sorted.data(), keys.size, first});
}
#endif

}  // namespace

void bin_by_key(const Exec& ex, const char* label, Span<const std::uint32_t> keys,
                std::uint32_t bins, Span<Index> order, Span<Index> first) {
#ifdef __CUDACC__
  if (ex.backend() == Backend::cuda)
    return sort_device(ex, label, keys, bins, order.data, first.data);
#endif
  const Launch launch(ex, label, keys.size);
  sort_host(ex, keys, bins, order.data, first.data);
}

void sort_by_key(const Exec& ex, const char* label, Span<const std::uint32_t> keys,
                 std::uint32_t bins, Span<Index> order) {
  bin_by_key(ex, label, keys, bins, order, {});
}

Index exclusive_scan(const Exec& ex, const char* label, Span<const Index> in, Span<Index> out) {
  if (in.size == 0) return 0;
#ifdef __CUDACC__
  if (ex.backend() == Backend::cuda) {
    Buffer<Index> last(ex, 2);  // of `in`, which may be overwritten, and of `out`: one download
    ex.copy(last.data(), in.data + in.size - 1, sizeof(Index));
    with_scratch(ex, label, in.size, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, in.data, out.data, in.size);
    });
    ex.copy(last.data() + 1, out.data + in.size - 1, sizeof(Index));
    const std::vector<Index> ends = last.download();
    return ends[0] + ends[1];
  }
#endif
  const Launch launch(ex, label, in.size);
  constexpr Index block = 16384;
  const Index blocks = (in.size + block - 1) / block;
  std::vector<Index> total(std::size_t(blocks) + 1, 0);
  struct Context {
    Span<const Index> in;
    Span<Index> out;
    Index* total;
  } const context{in, out, total.data()};
  ex.for_chunks(
      in.size, block,
      [](const void* p, Index begin, Index end) {
        const Context& c = *static_cast<const Context*>(p);
        Index sum = 0;
        for (Index i = begin; i < end; ++i) sum += c.in[i];
        c.total[begin / block + 1] = sum;
      },
      &context);
  for (Index b = 0; b < blocks; ++b) total[std::size_t(b) + 1] += total[std::size_t(b)];
  ex.for_chunks(
      in.size, block,
      [](const void* p, Index begin, Index end) {
        const Context& c = *static_cast<const Context*>(p);
        Index sum = c.total[begin / block];
        for (Index i = begin; i < end; ++i) {
          const Index value = c.in[i];
          c.out[i] = sum, sum += value;
        }
      },
      &context);
  return total.back();
}

namespace {

template <std::size_t Bytes>
struct GatherRow {
  struct Row {
    std::uint32_t word[Bytes / 4];
  };
  Row* to;
  const Row* from;
  Span<const Index> order;
  RTSIM_HD void operator()(Index k) const { to[k] = from[order[k]]; }
};

struct GatherBytes {
  unsigned char* to;
  const unsigned char* from;
  Span<const Index> order;
  std::size_t stride;
  RTSIM_HD void operator()(Index k) const {
    for (std::size_t b = 0; b < stride; ++b)
      to[std::size_t(k) * stride + b] = from[std::size_t(order[k]) * stride + b];
  }
};

template <std::size_t Bytes>
void gather(const Exec& ex, const char* label, void* to, const void* from,
            Span<const Index> order) {
  using Row = typename GatherRow<Bytes>::Row;
  parallel_for(ex, label, order.size,
               GatherRow<Bytes>{static_cast<Row*>(to), static_cast<const Row*>(from), order});
}

}  // namespace

void gather_rows(const Exec& ex, const char* label, void* to, const void* from,
                 Span<const Index> order, std::size_t stride) {
  switch (stride) {
    case 4:
      return gather<4>(ex, label, to, from, order);
    case 8:
      return gather<8>(ex, label, to, from, order);
    case 12:
      return gather<12>(ex, label, to, from, order);
    case 16:
      return gather<16>(ex, label, to, from, order);
    case 24:
      return gather<24>(ex, label, to, from, order);
    default:
      parallel_for(ex, label, order.size,
                   GatherBytes{static_cast<unsigned char*>(to),
                               static_cast<const unsigned char*>(from), order, stride});
  }
}

}  // namespace rtsim
