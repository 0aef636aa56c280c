#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "base/types.h"

namespace rtsim {

class Profile;
enum class Backend { cpu, cuda };

// Where work runs. A small value, passed first to everything that launches; all copies share one
// thread arena, one profile and one memory count.
class Exec {
 public:
  static Exec cpu(int threads = 0);  // 0: one per processor this process may use
  static Exec cuda(int device = 0);  // throws Error{no_device}

  Backend backend() const { return backend_; }
  // Whether loops that have a body shaped for the CPU (lanes over lists) take it.
  bool cpu_shaped() const { return cpu_shaped_; }
  // The same place, but with the bodies that a device runs: to hold one shape against the other.
  Exec device_shaped() const {
    Exec e = *this;
    e.cpu_shaped_ = false;
    return e;
  }
  int threads() const { return threads_; }
  std::string device_name() const;
  Profile& profile() const;

  void* allocate(std::size_t bytes) const;
  void release(void* p) const;
  void upload(void* to, const void* from, std::size_t bytes) const;
  void download(void* to, const void* from, std::size_t bytes) const;
  void copy(void* to, const void* from, std::size_t bytes) const;  // within this Exec's memory
  void zero(void* p, std::size_t bytes) const;
  void wait() const;  // until everything launched so far has finished

  std::size_t bytes_in_use() const;
  std::size_t peak_bytes() const;

  // CPU only. Runs body(context, begin, end) over [0, n) in chunks of `grain`; chunk cuts depend on
  // n and grain alone. Fewer than four chunks run on the caller, unless threads are awake
  // (exec/team.h): waking one costs more. One indirect call a chunk keeps TBB inside exec.cpp.
  using ChunkBody = void (*)(const void* context, Index begin, Index end);
  void for_chunks(Index n, Index grain, ChunkBody body, const void* context) const;

  // CPU only. As above for a few large tasks, one index each: always spread over the threads.
  void for_tasks(Index n, ChunkBody body, const void* context) const;

 private:
  struct Shared;
  Exec(Backend backend, int threads, int device);

  Backend backend_;
  bool cpu_shaped_ = backend_ == Backend::cpu;
  int threads_;
  int device_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace rtsim
