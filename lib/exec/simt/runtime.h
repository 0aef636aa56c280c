#pragma once
// The part of the CUDA runtime that rtsim calls, for a device that is not there: its threads run on
// the host one after the other, in memory that the host cannot touch outside launches and copies.
// The build RTSIM_SIMT includes this file ahead of every launch file, which then is what nvcc's
// host pass sees: __CUDACC__ is defined, __CUDA_ARCH__ is not. What it looks for stands in
// docs/gpu.md.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/types.h"

#define __CUDACC__ 1
#define __host__
#define __device__
#define __global__
#define __shared__
#define __grid_constant__

namespace rtsim::simt {

struct Dim {
  unsigned x = 0, y = 0, z = 0;
};

// While it lives the device is at work, and its memory open.
class Working {
 public:
  explicit Working(const char* label, const char* type = "");
  ~Working();
  Working(const Working&) = delete;
};

void count_launch(const char* label);

// A launch: what each thread does, and the kernel and its type as reports speak of them.
struct Grid {
  const char* label;
  const char* type;
  unsigned blocks, threads;
  bool barriers;
  const void* kernel;
  std::size_t kernel_bytes;
  void (*thread)(const void* kernel);
};
void run(const Grid&);

template <class Kernel>
void launch(const char* label, const char* type, Index blocks, Index threads, bool barriers,
            const Kernel& kernel) {
  Kernel copy = kernel;
  run({label, type, unsigned(blocks), unsigned(threads), barriers, &copy, sizeof copy,
       [](const void* k) { (*static_cast<const Kernel*>(k))(); }});
}

}  // namespace rtsim::simt

extern rtsim::simt::Dim blockIdx, threadIdx, blockDim, gridDim;
void __syncthreads();

using cudaError_t = int;
using cudaMemPool_t = void*;
struct cudaDeviceProp {
  char name[64];
};
constexpr cudaError_t cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2;
enum { cudaMemPoolAttrReleaseThreshold };
enum cudaMemcpyKind {
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3
};

const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, int, void*);
cudaError_t cudaRuntimeGetVersion(int*);
cudaError_t cudaDriverGetVersion(int*);
cudaError_t cudaMallocAsync(void**, std::size_t, int stream);
cudaError_t cudaFreeAsync(void*, int stream);
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, int stream);
cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind);
cudaError_t cudaMemsetAsync(void*, int, std::size_t, int stream);
cudaError_t cudaStreamSynchronize(int stream);
struct SimtEvent;
using cudaEvent_t = SimtEvent*;
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, int stream);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t);
