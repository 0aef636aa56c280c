#pragma once
#ifndef __CUDACC__
#error \
    "exec/device_launch.h holds device code; it is included by exec/parallel.h where there is some"
#endif

#include "base/types.h"
#include "exec/cuda.h"

// The global functions of the program and how they are launched. Kernels are __grid_constant__:
// threads read the one copy among the launch's parameters, where a parameter whose address is taken
// is otherwise copied to the local memory of each thread. `identity` is not: nvcc 13.0 then takes a
// variable that starts from it for the constant itself, and sums lost most of their rows.
namespace rtsim::detail {

constexpr Index device_block = 256;

template <class Kernel>
__global__ void for_each(Index n, const __grid_constant__ Kernel kernel) {
  const Index i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) kernel(i);
}

constexpr Index device_lanes = 256, most_of_tile = 4096;

// Rows that a block folds. A card runs some thousand blocks at once: as few as keep it full, by the
// number of rows alone, and all of them where one block will do.
inline Index device_tile(Index n) {
  Index tile = n > most_of_tile ? device_lanes : most_of_tile;
  while (tile < most_of_tile && n / tile > 2048) tile *= 2;
  return tile;
}

// What a block may share without asking.
constexpr std::size_t most_shared = 48 * 1024;

// As many as have room in that.
template <class T>
RTSIM_HD constexpr Index fold_lanes() {
  Index lanes = device_lanes;
  while (std::size_t(lanes) * sizeof(T) > most_shared) lanes /= 2;
  return lanes;
}

// kernel(i), kernel(i + stride), ... before end, folded. It does not start from the identity: of
// sums of 36 numbers that did, ptxas 13.0 kept that and the last round alone.
template <class T, class Kernel, class Op>
RTSIM_HD T fold_lane(Index i, Index end, Index stride, const T& identity, const Kernel& kernel,
                     Op op) {
  if (i >= end) return identity;
  T a = kernel(i);
  for (i += stride; i < end; i += stride) a = op(a, kernel(i));
  return a;
}

template <class T, class Kernel, class Op>
__global__ void fold_tiles(Index n, Index tile, T identity, const __grid_constant__ Kernel kernel,
                           Op op, T* out) {
  extern __shared__ unsigned char shared_bytes[];
  T* acc = reinterpret_cast<T*>(shared_bytes);
  const Index lane = threadIdx.x;
  const Index begin = blockIdx.x * tile;
  const Index end = n - begin < tile ? n : begin + tile;
  constexpr Index lanes = fold_lanes<T>();
  acc[lane] = fold_lane(begin + lane, end, lanes, identity, kernel, op);
  __syncthreads();
  for (Index half = lanes / 2; half > 0; half /= 2) {
    if (lane < half) acc[lane] = op(acc[lane], acc[lane + half]);
    __syncthreads();
  }
  if (lane == 0) out[blockIdx.x] = acc[0];
}

template <class Body>
__global__ void for_tiles(const __grid_constant__ Body body) {
  extern __shared__ unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<typename Body::Shared*>(shared_bytes);
  for (int phase = 0; phase < Body::phases; ++phase) {
    if (phase > 0) __syncthreads();
    body(phase, Index(blockIdx.x), Index(threadIdx.x), shared);
  }
}

template <class Kernel>
void launch_for_each(const char* label, Index n, const Kernel& kernel) {
  const Index blocks = (n + device_block - 1) / device_block;
#ifdef RTSIM_SIMT
  simt::launch(label, __PRETTY_FUNCTION__, blocks, device_block, false,
               [n, kernel] { for_each(n, kernel); });
#else
  // clang-format off
  for_each<<<blocks, device_block>>>(n, kernel);
  // clang-format on
#endif
  cuda::check_launch(label);
}

template <class T, class Kernel, class Op>
void launch_fold_tiles(const char* label, Index n, Index tile, const T& identity,
                       const Kernel& kernel, Op op, T* out) {
  constexpr Index lanes = fold_lanes<T>();
  const Index tiles = (n + tile - 1) / tile;
#ifdef RTSIM_SIMT
  simt::launch(label, __PRETTY_FUNCTION__, tiles, lanes, true,
               [=] { fold_tiles(n, tile, identity, kernel, op, out); });
#else
  // clang-format off
  fold_tiles<<<tiles, lanes, lanes * sizeof(T)>>>(n, tile, identity, kernel, op, out);
  // clang-format on
#endif
  cuda::check_launch(label);
}

template <class Body>
void launch_for_tiles(const char* label, Index tiles, const Body& body) {
  constexpr std::size_t bytes = sizeof(typename Body::Shared);
  static_assert(bytes <= most_shared && Body::threads <= device_block);
#ifdef RTSIM_SIMT
  simt::launch(label, __PRETTY_FUNCTION__, tiles, Body::threads, true, [body] { for_tiles(body); });
#else
  // clang-format off
  for_tiles<<<tiles, Body::threads, bytes>>>(body);
  // clang-format on
#endif
  cuda::check_launch(label);
}

}  // namespace rtsim::detail
