#include "exec/cuda.h"

#include <cstdlib>

#include "base/error.h"

#ifdef __CUDACC__
namespace rtsim::cuda {

namespace {
void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  throw Error(ExitCode::internal, std::string(what) + ": CUDA error " + std::to_string(int(code)) +
                                      ", " + cudaGetErrorString(code));
}
}  // namespace

bool built() { return true; }

int device_count() {
  // Without a driver the runtime returns an error and leaves the count alone.
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

void select(int device) {
  check(cudaSetDevice(device), "select device");
  // Keep freed memory in the pool: scratch is taken and returned at every step.
  cudaMemPool_t pool;
  check(cudaDeviceGetDefaultMemPool(&pool, device), "memory pool");
  unsigned long long keep = ~0ull;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "memory pool");
}

std::string name(int device) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "device properties");
  return properties.name;
}

std::string versions() {
  int runtime = 0, driver = 0;
  cudaRuntimeGetVersion(&runtime), cudaDriverGetVersion(&driver);
  const auto text = [](int v) {
    return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
  };
  return "runtime " + text(runtime) + ", driver " + (driver ? text(driver) : "none");
}

void* allocate(std::size_t bytes) {
  void* p = nullptr;
  check(cudaMallocAsync(&p, bytes, 0), "allocate");
  return p;
}
void release(void* p) { cudaFreeAsync(p, 0); }
void upload(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, 0), "upload");
}
void download(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "download");
}
void copy(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, 0), "copy");
}
void zero(void* p, std::size_t bytes) { check(cudaMemsetAsync(p, 0, bytes, 0), "zero"); }
void wait() { check(cudaStreamSynchronize(0), "wait"); }

double free_memory() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "device memory");
  return double(free);
}

Mark mark() noexcept {
  cudaEvent_t event;
  if (cudaEventCreate(&event) == cudaSuccess) {
    if (cudaEventRecord(event, 0) == cudaSuccess) return event;
    cudaEventDestroy(event);
  }
  cudaGetLastError();  // else the next launch would be blamed
  return nullptr;
}
void forget(Mark m) noexcept {
  if (m) cudaEventDestroy(static_cast<cudaEvent_t>(m));
}
double seconds_between(Mark first, Mark second) {
  float milliseconds = 0;
  check(cudaEventSynchronize(static_cast<cudaEvent_t>(second)), "wait");
  check(cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(first),
                             static_cast<cudaEvent_t>(second)),
        "time");
  return 1e-3 * double(milliseconds);
}

void check_launch(const char* label) {
#ifdef RTSIM_SIMT
  simt::count_launch(label);
#endif
  check(cudaGetLastError(), label);
}
void check_library(int code, const char* label) { check(cudaError_t(code), label); }

}  // namespace rtsim::cuda
#else
namespace rtsim::cuda {

bool built() { return false; }
int device_count() { return 0; }
std::string versions() { return "none"; }

// Exec::cuda refuses before any of these can be reached.
void select(int) { std::abort(); }
std::string name(int) { std::abort(); }
void* allocate(std::size_t) { std::abort(); }
void release(void*) { std::abort(); }
void upload(void*, const void*, std::size_t) { std::abort(); }
void download(void*, const void*, std::size_t) { std::abort(); }
void copy(void*, const void*, std::size_t) { std::abort(); }
void zero(void*, std::size_t) { std::abort(); }
void wait() { std::abort(); }
double free_memory() { std::abort(); }
Mark mark() noexcept { std::abort(); }
void forget(Mark) noexcept {}  // there are none
double seconds_between(Mark, Mark) { std::abort(); }
void check_launch(const char*) { std::abort(); }

}  // namespace rtsim::cuda
#endif
