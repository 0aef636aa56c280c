#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <vector>

#include "exec/simt/device.h"

rtsim::simt::Dim blockIdx, threadIdx, blockDim, gridDim;

namespace rtsim::detail {
alignas(16) unsigned char shared_bytes[48 * 1024];  // a block's, as much as it has without asking
}

namespace rtsim::simt {

namespace {

std::recursive_mutex at_work;  // one stream

// Counted through all blocks, from 0.
std::uint32_t thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

void run_thread(const Grid& g) {
  begin_thread(thread_number());
  g.thread(g.kernel);
  end_thread();
}

constexpr std::size_t fibre_stack = std::size_t(128) << 10, most_threads = 256;

// Threads of one block that meet at barriers: each has a stack of its own and runs to the next.
class Fibres {
 public:
  void run(const Grid& grid, Order order) {
    grid_ = &grid;
    if (fibres_.size() < grid.threads) fibres_.resize(grid.threads);
    for (unsigned t = 0; t < grid.threads; ++t) start(t);
    std::vector<unsigned> turn(grid.threads);
    std::iota(turn.begin(), turn.end(), 0u);
    if (order == Order::backward) std::reverse(turn.begin(), turn.end());
    for (bool left = true; left;) {
      if (order == Order::shuffled) std::shuffle(turn.begin(), turn.end(), random_);
      left = false;
      for (const unsigned t : turn) {
        if (fibres_[t].done) continue;
        current_ = threadIdx.x = t;
        begin_thread(thread_number());
        swapcontext(&caller_, &fibres_[t].context);
        left = left || !fibres_[t].done;
      }
    }
  }

  void wait_for_others() {
    const unsigned t = current_;
    end_thread();
    swapcontext(&fibres_[t].context, &caller_);
    threadIdx.x = t;
  }

  Range stacks() const { return {stacks_.get(), stacks_.get() + most_threads * fibre_stack}; }

 private:
  struct Fibre {
    ucontext_t context;
    bool done = false;
  };

  static void enter();

  void start(unsigned t) {
    Fibre& f = fibres_[t];
    f.done = false;
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = stacks_.get() + t * fibre_stack;
    f.context.uc_stack.ss_size = fibre_stack;
    f.context.uc_link = nullptr;
    makecontext(&f.context, &Fibres::enter, 0);
  }

  std::vector<Fibre> fibres_;
  std::unique_ptr<char[]> stacks_{new char[most_threads * fibre_stack]};
  ucontext_t caller_;
  unsigned current_ = 0;
  const Grid* grid_ = nullptr;
  std::mt19937_64 random_{11};
};

Fibres& fibres() {
  static Fibres f;
  return f;
}

void Fibres::enter() {
  Fibres& f = fibres();
  const unsigned t = f.current_;
  f.grid_->thread(f.grid_->kernel);
  end_thread();
  f.fibres_[t].done = true;
  swapcontext(&f.fibres_[t].context, &f.caller_);
}

// The k-th of `count` in the order asked for; a shuffled one goes by steps without a common
// divisor.
class Sequence {
 public:
  Sequence(std::uint64_t count, Order order) : count_(count), order_(order) {
    if (order != Order::shuffled || count < 2) return;
    static std::mt19937_64 random(7);
    step_ = random() % count | 1;
    while (std::gcd(step_, count) != 1) step_ += 2;
    start_ = random() % count;
  }
  std::uint64_t operator()(std::uint64_t k) const {
    if (order_ == Order::backward) return count_ - 1 - k;
    return std::uint64_t((__uint128_t(k) * step_ + start_) % count_);
  }

 private:
  std::uint64_t count_, step_ = 1, start_ = 0;
  Order order_;
};

void run_with_barriers(const Grid& g) {
  const char* const kernel = static_cast<const char*>(g.kernel);
  begin_accesses(fibres().stacks(), {kernel, kernel + g.kernel_bytes});
  const Sequence block(g.blocks, settings().order);
  for (unsigned b = 0; b < g.blocks; ++b) {
    blockIdx.x = unsigned(block(b));
    std::memset(detail::shared_bytes, 0xff, sizeof detail::shared_bytes);
    fibres().run(g, settings().order);
  }
}

// Threads run on the stack below this function's own part of it.
void run_without_barriers(const Grid& g) {
  const char* const kernel = static_cast<const char*>(g.kernel);
  const char* const frame = static_cast<const char*>(__builtin_frame_address(0));
  begin_accesses({frame - (std::size_t(8) << 20), frame}, {kernel, kernel + g.kernel_bytes});
  const std::uint64_t count = std::uint64_t(g.blocks) * g.threads;
  const Sequence sequence(count, settings().order);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t at = sequence(k);
    blockIdx.x = unsigned(at / g.threads), threadIdx.x = unsigned(at % g.threads);
    run_thread(g);
  }
}

}  // namespace

Working::Working(const char* label, const char* type) {
  at_work.lock();
  start_work(label, type);
  open_memory();
}

Working::~Working() {
  close_memory();
  at_work.unlock();
}

void run(const Grid& g) {
  if (g.blocks == 0) fault("a grid without blocks");
  const Working working(g.label, g.type);
  gridDim.x = g.blocks, blockDim.x = g.threads;
  g.barriers ? run_with_barriers(g) : run_without_barriers(g);
}

bool is_shared(const void* p) {
  return p >= detail::shared_bytes && p < detail::shared_bytes + sizeof detail::shared_bytes;
}

}  // namespace rtsim::simt

void __syncthreads() { rtsim::simt::fibres().wait_for_others(); }
