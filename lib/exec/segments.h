#pragma once
#include <algorithm>

#include "exec/parallel.h"

namespace rtsim {

constexpr Offset entries_of_chunk = 4096;  // on the CPU

#ifdef __CUDACC__
namespace detail {

constexpr Index segment_lanes = 32, segments_of_block = 4;

template <class T, class Kernel, class Op, class Out>
__global__ void fold_segments(Span<const Index> first, T identity,
                              const __grid_constant__ Kernel kernel, Op op, Span<Out> out) {
  extern __shared__ unsigned char shared_bytes[];
  T* acc = reinterpret_cast<T*>(shared_bytes) + threadIdx.x;
  const Index lane = threadIdx.x % segment_lanes;
  const Index s = blockIdx.x * segments_of_block + threadIdx.x / segment_lanes;
  const Index begin = s < out.size ? first[s] : 0, end = s < out.size ? first[s + 1] : 0;
  *acc = fold_lane(begin + lane, end, segment_lanes, identity, kernel, op);
  __syncthreads();
  for (Index half = segment_lanes / 2; half > 0; half /= 2) {
    if (lane < half) *acc = op(*acc, acc[half]);
    __syncthreads();
  }
  if (lane == 0 && s < out.size) out[s] = *acc;
}

template <class T, class Kernel, class Op, class Out>
void launch_fold_segments(const char* label, Span<const Index> first, const T& identity,
                          const Kernel& kernel, Op op, Span<Out> out) {
  const Index blocks = (out.size + segments_of_block - 1) / segments_of_block;
  constexpr Index threads = segment_lanes * segments_of_block;
#ifdef RTSIM_SIMT
  simt::launch(label, __PRETTY_FUNCTION__, blocks, threads, true,
               [=] { fold_segments(first, identity, kernel, op, out); });
#else
  // clang-format off
  fold_segments<<<blocks, threads, threads * sizeof(T)>>>(first, identity, kernel, op, out);
  // clang-format on
#endif
  cuda::check_launch(label);
}

}  // namespace detail

#endif

template <class T, class Kernel, class Op, class Out>
struct FoldSegment {
  Span<const Index> first;
  T identity;
  Kernel kernel;
  Op op;
  Span<Out> out;

  RTSIM_HD void operator()(Index s) const {
    T a = identity;
    for (Index e = first[s]; e < first[s + 1]; ++e) a = op(a, kernel(e));
    out[s] = a;
  }
};

// out[s] = kernel(e) folded over e in [first[s], first[s + 1]): for segments of some dozens,
// which are too few for a thread of a device each. In an order that depends on the segment alone.
template <class T, class Kernel, class Op, class Out>
void reduce_segments(const Exec& ex, const char* label, Span<const Index> first, const T& identity,
                     const Kernel& kernel, Op op, Span<Out> out) {
#ifdef __CUDACC__
  if (ex.backend() == Backend::cuda) {
    if (out.size == 0) return;
    const Launch launch(ex, label, out.size);
    return detail::launch_fold_segments(label, first, identity, kernel, op, out);
  }
#endif
  const FoldSegment<T, Kernel, Op, Out> fold{first, identity, kernel, op, out};
  if (out.size == 0) return;
  // Chunks of so many entries; `first` is memory of the host here.
  const Offset entries = std::max(first[out.size] - first[0], Index(1));
  const Index segments = Index(Offset(out.size) * entries_of_chunk / entries) + 1;
  parallel_chunks(ex, label, out.size, segments, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) fold(s);
  });
}

}  // namespace rtsim
