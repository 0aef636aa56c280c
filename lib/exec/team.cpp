#include "exec/team.h"

#include <thread>
#include <utility>

#include "exec/flush_subnormals.h"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace rtsim {

namespace {

// About 50 us: longer than most of what lies between two loops, shorter than what is worth a
// processor.
constexpr int most_pauses = 1000;

void pause() {
#ifdef __SSE__
  _mm_pause();
#endif
}

// How the processor rounds and counts subnormal numbers, which loops change for their bodies.
#ifdef __SSE__
unsigned arithmetic() { return _mm_getcsr(); }
void set_arithmetic(unsigned to) { _mm_setcsr(to); }
#else
unsigned arithmetic() { return 0; }
void set_arithmetic(unsigned) {}
#endif

thread_local Team* leads = nullptr;

// While it lives the thread leads `team`, or none.
class Leading {
 public:
  explicit Leading(Team* team) : before_(leads) { leads = team; }
  ~Leading() { leads = before_; }
  Leading(const Leading&) = delete;

 private:
  Team* before_;
};

constexpr std::uint64_t of_turn(std::uint32_t turn, Index untaken) {
  return std::uint64_t(turn) << 32 | std::uint32_t(untaken);
}

}  // namespace

Team* Team::of_this_thread() { return leads; }

bool Team::take(std::size_t seat, std::uint32_t turn, Index& chunk) {
  std::atomic<std::uint64_t>& untaken = ranges_[seat].untaken;
  std::uint64_t seen = untaken.load(std::memory_order_acquire);
  while (seen >> 32 == turn && std::uint32_t(seen) > 0) {
    if (!untaken.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire)) continue;
    chunk = first(seat) + Index(std::uint32_t(seen)) - 1;
    return true;
  }
  return false;
}

// What fails anywhere waits for the leader, who may not leave while others are at work.
void Team::try_chunk(Index chunk) {
  try {
    chunk_(context_, chunk);
  } catch (...) {
    if (!failed_.test_and_set()) failure_ = std::current_exception();
  }
}

void Team::work(std::size_t seat, std::uint32_t turn) {
  const FlushSubnormals flush;
  Index done = 0, chunk = 0;
  for (std::size_t k = 0; k < ranges_.size(); ++k)
    for (; take((seat + k) % ranges_.size(), turn, chunk); ++done) try_chunk(chunk);
  if (done > 0) left_.fetch_sub(done, std::memory_order_release);
}

void Team::run(Index chunks, Chunk chunk, const void* context) {
  const Leading none(nullptr);
  const std::uint32_t turn = std::uint32_t(turn_.load(std::memory_order_relaxed)) + 1;
  chunks_ = chunks, chunk_ = chunk, context_ = context;
  left_.store(chunks, std::memory_order_relaxed);
  for (std::size_t s = 0; s < ranges_.size(); ++s)
    ranges_[s].untaken.store(of_turn(turn, first(s + 1) - first(s)), std::memory_order_release);
  turn_.store(int(turn), std::memory_order_release);
  turn_.notify_all();
  work(0, turn);
  for (int n = 0; left_.load(std::memory_order_acquire) > 0; ++n)
    n < most_pauses ? pause() : std::this_thread::yield();
  if (!failed_.test()) return;
  failed_.clear();
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Team::help(int seat) {
  int seen = 0;
  while (!closed_.load(std::memory_order_acquire)) {
    int turn = turn_.load(std::memory_order_acquire);
    for (int n = 0; turn == seen && n < most_pauses; ++n)
      pause(), turn = turn_.load(std::memory_order_acquire);
    if (turn == seen)
      turn_.wait(seen, std::memory_order_acquire);
    else
      work(std::size_t(seat), std::uint32_t(seen = turn));
  }
}

void Team::close() {
  closed_.store(true, std::memory_order_release);
  turn_.fetch_add(1, std::memory_order_release);
  turn_.notify_all();
}

void Team::lead(const std::function<void()>& work) {
  struct Closing {
    Team& team;
    ~Closing() { team.close(); }
  } const closing{*this};
  const Leading leading(this);
  work();
}

void with_resident_threads(const Exec& ex, const std::function<void()>& work) {
  if (ex.threads() == 1 || ex.backend() == Backend::cuda || Team::of_this_thread()) return work();
  Team team(ex.threads());
  struct Context {
    Team& team;
    const std::function<void()>& work;
    unsigned arithmetic;
  } const context{team, work, arithmetic()};
  ex.for_tasks(
      ex.threads(),
      [](const void* p, Index seat, Index) {
        const Context& c = *static_cast<const Context*>(p);
        set_arithmetic(c.arithmetic);
        seat == 0 ? c.team.lead(c.work) : c.team.help(int(seat));
      },
      &context);
}

}  // namespace rtsim
