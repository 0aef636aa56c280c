#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "exec/exec.h"

namespace rtsim {

// Does work that launches many short loops, with the threads of the Exec awake between them: on the
// CPU a loop of 10 us is then worth spreading.
void with_resident_threads(const Exec&, const std::function<void()>& work);

// Those threads. One of them leads: it posts loops and works on them; the others take chunks while
// there are any, and look out for the next loop meanwhile. Nobody waits for a helper that has not
// come: only for chunks that it has begun. Each seat has a range of the chunks, the same in every
// loop of as many, so that its rows stay in its cache; who is done with its own goes on with those
// of others.
class Team {
 public:
  using Chunk = void (*)(const void* context, Index chunk);

  explicit Team(int seats) : ranges_(std::size_t(seats)) {}

  // What this thread leads; none within a chunk of a loop.
  static Team* of_this_thread();

  // Seat 0. The team is closed however the work ends.
  void lead(const std::function<void()>& work);
  // The other seats: until the team is closed.
  void help(int seat);

  // By the leader: chunk(context, k) for each k in [0, chunks), on any thread, where subnormal
  // numbers are flushed. Throws what one of them threw, after the others.
  void run(Index chunks, Chunk chunk, const void* context);

 private:
  // Chunks of a range that nobody has taken, from the end: their number below that of the turn.
  struct alignas(64) Range {
    std::atomic<std::uint64_t> untaken{0};
  };
  Index first(std::size_t seat) const {
    return Index(Offset(chunks_) * Offset(seat) / Offset(ranges_.size()));
  }
  bool take(std::size_t seat, std::uint32_t turn, Index& chunk);
  void try_chunk(Index chunk);
  void work(std::size_t seat, std::uint32_t turn);
  void close();

  Index chunks_ = 0;
  Chunk chunk_ = nullptr;
  const void* context_ = nullptr;
  std::vector<Range> ranges_;
  alignas(64) std::atomic<int> turn_{0};
  std::atomic<bool> closed_{false};
  std::atomic_flag failed_;
  std::exception_ptr failure_;
  alignas(64) std::atomic<Index> left_{0};  // chunks of this turn that are not done
};

}  // namespace rtsim
