#pragma once
#include "exec/simt/runtime.h"

namespace cub {

struct DeviceScan {
  template <class In, class Out, class Count>
  static cudaError_t ExclusiveSum(void* scratch, std::size_t& bytes, In in, Out out, Count n) {
    if (!scratch) {
      bytes = 1 + std::size_t(n) / 256;
      return cudaSuccess;
    }
    const rtsim::simt::Working working("cub::DeviceScan");
    std::memset(scratch, 0x5a, bytes);
    std::remove_reference_t<decltype(out[0])> sum = 0;
    for (Count i = 0; i < n; ++i) {
      const auto value = in[i];  // `in` and `out` may be the same
      out[i] = sum, sum += value;
    }
    return cudaSuccess;
  }
};

}  // namespace cub
