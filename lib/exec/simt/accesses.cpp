#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "exec/simt/device.h"

// Launch files are compiled with -fsanitize=thread, and what that calls before each access to
// memory is defined here instead of in the sanitizer's own library. A thread of the device may
// touch arrays of the device, within their bounds; its own stack; and the launch's parameters.
// Within a launch nobody may touch what another thread has written, but by atomics, nor write what
// another thread has read; threads that write the same value to one place are let be.
namespace rtsim::simt {

namespace {

constexpr std::uint32_t nobody = 0, several = ~0u, by_atomics = ~1u;

// Who was here in the launch numbered so.
struct Visit {
  std::uint32_t launch, thread;
  std::uint32_t in(std::uint32_t now) const { return launch == now ? thread : nobody; }
};
struct Cell {
  Visit write, read;
};

template <class T>
T* reserve(std::size_t n) {
  void* const p = mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) fault("no room to follow accesses; set RTSIM_SIMT_MEMORY to fewer MB");
  return static_cast<T*>(p);
}

// What is known of each byte of the device's memory, and of each word of four.
struct Shadow {
  Shadow()
      : begin(device_memory().begin),
        bytes(std::size_t(device_memory().end - begin)),
        taken(reserve<bool>(bytes)),
        of_bytes(reserve<Cell>(bytes)),
        of_words(reserve<Cell>(bytes / 4)) {}

  const char* begin;
  std::size_t bytes;
  bool* taken;  // by an array
  Cell *of_bytes, *of_words;
};

Shadow& shadow() {
  static Shadow s;
  return s;
}

std::uint32_t this_launch = 0, thread = nobody;  // the thread's number + 1
Range stack{}, parameters{};

// A write over what another thread wrote, looked at again when the thread is done.
struct Overwritten {
  const char* at;
  std::vector<char> was;
};
std::vector<Overwritten> overwritten;

bool within(const char* p, std::size_t bytes, const Range& r) {
  return p >= r.begin && p + bytes <= r.end;
}

std::string place(const char* p, std::size_t bytes) {
  return std::to_string(bytes) + " bytes at " + std::to_string(p - shadow().begin) +
         " of the device's memory";
}

void outside(const char* p, std::size_t bytes, bool write) {
  if (within(p, bytes, stack)) return;
  if (!write && within(p, bytes, parameters)) return;
  if (is_shared(p) || is_constant(p)) return;
  fault(std::string("a thread of the device ") + (write ? "writes" : "reads") +
        " memory of the host");
}

enum class Kind { read, write, atomic };

void visit(Cell& c, std::uint32_t thread, Kind kind, bool& overwrites, const char* p,
           std::size_t bytes) {
  const std::uint32_t wrote = c.write.in(this_launch), read = c.read.in(this_launch);
  const std::uint32_t me = kind == Kind::atomic ? by_atomics : thread;
  if (kind == Kind::read) {
    if (wrote != nobody && wrote != thread)
      fault("a race: a thread reads what another one of the same launch wrote, " + place(p, bytes));
    c.read = {this_launch, read == nobody || read == thread ? thread : several};
    return;
  }
  if (read != nobody && read != thread)
    fault("a race: a thread writes what another one of the same launch read, " + place(p, bytes));
  if (wrote != nobody && wrote != me) overwrites = true;
  c.write = {this_launch, me};
}

void follow(std::uint32_t thread, const void* address, std::size_t bytes, Kind kind) {
  const char* const p = static_cast<const char*>(address);
  Shadow& s = shadow();
  const std::size_t at = std::size_t(p - s.begin);
  if (at >= s.bytes) return outside(p, bytes, kind != Kind::read);
  bool overwrites = false;
  // Lines that are in no array lie between arrays: both ends say it of what is shorter.
  for (std::size_t b = at; b < at + bytes;
       b += std::min(array_gap, std::max(at + bytes - b - 1, std::size_t(1))))
    if (!s.taken[b])
      fault(std::string("a thread ") + (kind == Kind::read ? "reads" : "writes") +
            " outside of arrays, " + place(p, bytes));
  for (std::size_t b = at; b < at + bytes;) {
    const bool word = b % 4 == 0 && b + 4 <= at + bytes;
    visit(word ? s.of_words[b / 4] : s.of_bytes[b], thread, kind, overwrites, p, bytes);
    b += word ? 4 : 1;
  }
  if (overwrites) overwritten.push_back({p, {p, p + bytes}});
}

// The library's own functions may be those that were compiled with launch files: while an access is
// looked at, none is followed.
void access(const void* p, std::size_t bytes, Kind kind) {
  if (thread == nobody) return;
  const std::uint32_t me = std::exchange(thread, nobody);
  follow(me, p, bytes, kind);
  thread = me;
}

}  // namespace

void begin_thread(std::uint32_t number) { thread = number + 1; }

void end_thread() {
  thread = nobody;
  for (const Overwritten& o : overwritten)
    if (std::memcmp(o.at, o.was.data(), o.was.size()) != 0)
      fault("a race: two threads of a launch write different values to " +
            place(o.at, o.was.size()));
  overwritten.clear();
}

void begin_accesses(Range own_stack, Range kernel) {
  ++this_launch;
  stack = own_stack, parameters = kernel;
}

void mark_taken(const void* p, std::size_t bytes, bool taken) {
  std::fill_n(shadow().taken + (static_cast<const char*>(p) - shadow().begin), bytes, taken);
}

}  // namespace rtsim::simt

using rtsim::simt::access;
using rtsim::simt::Kind;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_read_range(const void* p, std::size_t bytes) { access(p, bytes, Kind::read); }
void __tsan_write_range(void* p, std::size_t bytes) { access(p, bytes, Kind::write); }

#define RTSIM_ACCESS(bytes)                                                          \
  void __tsan_read##bytes(const void* p) { access(p, bytes, Kind::read); }           \
  void __tsan_write##bytes(void* p) { access(p, bytes, Kind::write); }               \
  void __tsan_unaligned_read##bytes(const void* p) { access(p, bytes, Kind::read); } \
  void __tsan_unaligned_write##bytes(void* p) { access(p, bytes, Kind::write); }
RTSIM_ACCESS(1)
RTSIM_ACCESS(2)
RTSIM_ACCESS(4)
RTSIM_ACCESS(8)
RTSIM_ACCESS(16)
#undef RTSIM_ACCESS

// Sums of kernels in 64 bits; and counts of owners, of host code in launch files, in 32.
#define RTSIM_FETCH_ADD(bits)                                                        \
  std::int##bits##_t __tsan_atomic##bits##_fetch_add(volatile std::int##bits##_t* p, \
                                                     std::int##bits##_t v, int) {    \
    access(const_cast<const std::int##bits##_t*>(p), bits / 8, Kind::atomic);        \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                               \
  }
RTSIM_FETCH_ADD(32)
RTSIM_FETCH_ADD(64)
#undef RTSIM_FETCH_ADD

}  // extern "C"
