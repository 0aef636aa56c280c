#include <sys/mman.h>

#include <cstdio>
#include <iterator>
#include <map>
#include <mutex>

#include "exec/simt/device.h"
#include "exec/simt/runtime.h"

namespace rtsim::simt {

namespace {

constexpr std::size_t page = 4096, line = array_gap;
constexpr unsigned char poison = 0xff;  // floats that are no numbers, indices that are negative

// Arrays of the device, each followed by a line that nobody may write to. Freed ones are given out
// again to those of the same size.
class Arena {
 public:
  Arena() : bytes_((settings().memory + page - 1) / page * page) {
    void* const p =
        mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
      fault("no room for the device's memory; set RTSIM_SIMT_MEMORY to fewer MB");
    begin_ = static_cast<char*>(p);
  }

  bool holds(const void* p) const { return p >= begin_ && p < begin_ + bytes_; }
  std::size_t size() const { return bytes_; }
  Range range() const { return {begin_, begin_ + bytes_}; }
  std::size_t taken() const { return top_; }

  void protect(int how) const {
    if (top_ > 0) mprotect(begin_, (top_ + page - 1) / page * page, how);
  }

  void* take(std::size_t bytes) {
    const std::size_t whole = (bytes + line - 1) / line * line + line;
    char* p;
    if (const auto f = free_.find(whole); f != free_.end()) {
      p = f->second;
      free_.erase(f);
    } else {
      if (top_ + whole > bytes_) return nullptr;
      p = begin_ + top_;
      top_ += whole;
    }
    live_[p] = {bytes, whole};
    open_memory();
    protect(PROT_READ | PROT_WRITE);  // what is new as well
    std::memset(p, poison, whole);
    close_memory();
    mark_taken(p, bytes, true);
    return p;
  }

  void give_back(void* p) {
    const auto a = live_.find(static_cast<char*>(p));
    if (a == live_.end()) fault("frees what is not allocated");
    open_memory();
    for (std::size_t k = a->second.bytes; k < a->second.whole; ++k)
      if (static_cast<unsigned char>(a->first[k]) != poison)
        fault("something wrote " + std::to_string(k - a->second.bytes) +
              " bytes behind an array of " + std::to_string(a->second.bytes) +
              " bytes, found as it is freed");
    std::memset(p, poison, a->second.whole);
    close_memory();
    mark_taken(p, a->second.bytes, false);
    free_.insert({a->second.whole, a->first});
    live_.erase(a);
  }

  // Whether [p, p + bytes) lies within one array.
  bool within(const void* p, std::size_t bytes) const {
    auto a = live_.upper_bound(static_cast<char*>(const_cast<void*>(p)));
    if (a == live_.begin()) return false;
    --a;
    return static_cast<const char*>(p) + bytes <= a->first + a->second.bytes;
  }

 private:
  struct Array {
    std::size_t bytes, whole;
  };
  std::size_t bytes_, top_ = 0;
  char* begin_;
  std::map<char*, Array> live_;
  std::multimap<std::size_t, char*> free_;
};

std::recursive_mutex moving;
int opened = 0;

Arena& arena() {
  static Arena a;
  return a;
}

const char* name(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice   ? "upload"
         : kind == cudaMemcpyDeviceToHost ? "download"
                                          : "copy";
}

void check_end(cudaMemcpyKind kind, const char* end, bool device, const void* p,
               std::size_t bytes) {
  if (device ? arena().holds(p) && arena().within(p, bytes) : !arena().holds(p)) return;
  fault(std::string(name(kind)) + " of " + std::to_string(bytes) + " bytes " + end + " " +
        what_is(p, bytes));
}

cudaError_t move(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const std::scoped_lock lock(moving);
  check_end(kind, "to", kind != cudaMemcpyDeviceToHost, to, bytes);
  check_end(kind, "from", kind != cudaMemcpyHostToDevice, from, bytes);
  count_copy(kind, bytes);
  open_memory();
  std::memmove(to, from, bytes);
  close_memory();
  return cudaSuccess;
}

}  // namespace

bool on_device(const void* p) { return arena().holds(p); }
Range device_memory() { return arena().range(); }

std::string what_is(const void* p, std::size_t bytes) {
  if (!arena().holds(p)) return "the host's memory";
  return arena().within(p, bytes) ? "the device's memory"
                                  : "the device's memory, over an array's end";
}

void open_memory() {
  const std::scoped_lock lock(moving);
  if (opened++ == 0) arena().protect(PROT_READ | PROT_WRITE);
}
void close_memory() {
  const std::scoped_lock lock(moving);
  if (--opened == 0) arena().protect(PROT_NONE);
}

}  // namespace rtsim::simt

using namespace rtsim::simt;

cudaError_t cudaMallocAsync(void** p, std::size_t bytes, int) {
  const std::scoped_lock lock(moving);
  *p = arena().take(bytes);
  return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeAsync(void* p, int) {
  const std::scoped_lock lock(moving);
  if (p) arena().give_back(p);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            int) {
  return move(to, from, bytes, kind);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return move(to, from, bytes, kind);
}

cudaError_t cudaMemsetAsync(void* p, int value, std::size_t bytes, int) {
  const std::scoped_lock lock(moving);
  if (!arena().holds(p) || !arena().within(p, bytes)) fault("zeroes " + what_is(p, bytes));
  open_memory();
  std::memset(p, value, bytes);
  close_memory();
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = arena().size();
  *free = arena().size() - arena().taken();
  return cudaSuccess;
}
