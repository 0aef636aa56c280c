#pragma once
#include <cstddef>
#include <string>

// The few calls of the CUDA runtime that Exec needs. A build without CUDA compiles the same file
// (cuda.cu) as C++ and finds no device.
namespace rtsim::cuda {

bool built();        // this binary has device code
int device_count();  // 0 without a driver
void select(int device);
std::string name(int device);
std::string versions();  // "runtime 13.0, driver 12.8", or "none"

void* allocate(std::size_t bytes);
void release(void* p);
void upload(void* to, const void* from, std::size_t bytes);
void download(void* to, const void* from, std::size_t bytes);
void copy(void* to, const void* from, std::size_t bytes);
void zero(void* p, std::size_t bytes);
void wait();
double free_memory();  // [bytes] of the selected device

// A place in the device's work, when it comes there; none where there was no room for one.
using Mark = void*;
Mark mark() noexcept;
void forget(Mark) noexcept;
double seconds_between(Mark, Mark);  // waits for the second

void check_launch(const char* label);             // throws Error{internal} that names the launch
void check_library(int code, const char* label);  // likewise for what CUB returns

}  // namespace rtsim::cuda
