#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "exec/simt/runtime.h"

// The two forms of every routine of CUB: without scratch it says how much it wants.
namespace cub {

struct DeviceRadixSort {
  template <class Key, class Value>
  static cudaError_t SortPairs(void* scratch, std::size_t& bytes, const Key* keys, Key* sorted,
                               const Value* values, Value* moved, std::size_t n, int begin_bit,
                               int end_bit) {
    if (!scratch) {
      bytes = 1 + n;
      return cudaSuccess;
    }
    const rtsim::simt::Working working("cub::DeviceRadixSort");
    std::memset(scratch, 0x5a, bytes);
    const Key mask = end_bit >= int(8 * sizeof(Key)) ? ~Key(0) : Key((Key(1) << end_bit) - 1);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return ((keys[a] & mask) >> begin_bit) < ((keys[b] & mask) >> begin_bit);
    });
    for (std::size_t k = 0; k < n; ++k) sorted[k] = keys[order[k]], moved[k] = values[order[k]];
    return cudaSuccess;
  }
};

}  // namespace cub
