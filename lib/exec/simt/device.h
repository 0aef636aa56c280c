#pragma once
#include <cstddef>
#include <string>

#include "exec/simt/runtime.h"

// What the parts of the device that is not there share: its memory, whether it is at work, and how
// it ends the process that does something which a real one would not survive.
namespace rtsim::simt {

// Says on stderr what was done, after which launch and from where in the program, and leaves.
constexpr int fault_exit = 86;
[[noreturn]] void fault(const std::string& what);

// Order in which threads run; what depends on it is a race.
enum class Order { forward, backward, shuffled };

struct Settings {
  Order order = Order::forward;       // RTSIM_SIMT_ORDER
  std::size_t memory = 0;             // [bytes] RTSIM_SIMT_MEMORY, in MB
  const char* counts_file = nullptr;  // RTSIM_SIMT_COUNTS: where counts go at the end, as JSON
};
const Settings& settings();

// Memory of the device: reserved whole, and not to be touched while nothing runs.
bool on_device(const void*);
std::string what_is(const void* p, std::size_t bytes);  // for reports
void open_memory();                                     // nests
void close_memory();

constexpr std::size_t array_gap = 256;  // [bytes] behind each array, at least

struct Range {
  const char *begin, *end;
};
Range device_memory();
bool is_shared(const void*);    // of the block
bool is_constant(const void*);  // part of the program

// Accesses of the device's threads, followed one by one (accesses.cpp). What lies on `stack` or in
// `kernel` is a thread's own; arrays are told of as they come and go.
void begin_accesses(Range stack, Range kernel);
void begin_thread(std::uint32_t number);
void end_thread();
void mark_taken(const void*, std::size_t bytes, bool taken);

void count_copy(cudaMemcpyKind, std::size_t bytes);
void start_work(const char* label, const char* type);  // which reports name from then on

}  // namespace rtsim::simt
