#include "exec/exec.h"

#include <sys/mman.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "exec/cuda.h"
#include "exec/flush_subnormals.h"
#include "exec/profile.h"
#include "exec/team.h"

namespace rtsim {

struct Exec::Shared {
  explicit Shared(int threads) : tasks(threads) {
    if (threads > tbb::info::default_concurrency())
      more.emplace(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
  }
  std::optional<tbb::global_control> more;  // than processors: tests of determinism ask for it
  tbb::task_arena tasks;                    // kept: making one per launch costs a hundred launches
  Profile profile;
  std::atomic<std::size_t> bytes{0}, peak{0}, allocations{0};
  std::mutex mutex;
  std::unordered_map<void*, std::size_t> device_bytes;  // host arrays carry theirs in front

  void count(std::size_t more) {
    const std::size_t now = bytes += more;
    std::size_t highest = peak;
    while (now > highest && !peak.compare_exchange_weak(highest, now)) {
    }
  }
};

Exec::Exec(Backend backend, int threads, int device)
    : backend_(backend), threads_(threads), device_(device), shared_(new Shared(threads)) {}

Exec Exec::cpu(int threads) {
  return Exec(Backend::cpu, threads > 0 ? threads : tbb::info::default_concurrency(), -1);
}

Exec Exec::cuda(int device) {
  const int count = cuda::device_count();
  if (!cuda::built())
    throw Error(ExitCode::no_device,
                "this rtsim was built without CUDA; use --device cpu, or build it with\n"
                "  cmake --preset cuda && cmake --build --preset cuda --target rtsim\n"
                "which needs nvcc 12 or newer, and run build/cuda/bin/rtsim");
  if (device < 0 || device >= count)
    throw Error(ExitCode::no_device, "no CUDA device " + std::to_string(device) +
                                         ": this machine has " + std::to_string(count) +
                                         "; use --device cpu");
  cuda::select(device);
  return Exec(Backend::cuda, tbb::info::default_concurrency(), device);
}

Profile& Exec::profile() const { return shared_->profile; }
std::size_t Exec::bytes_in_use() const { return shared_->bytes; }
std::size_t Exec::peak_bytes() const { return shared_->peak; }

std::string Exec::device_name() const {
  if (backend_ == Backend::cuda) return cuda::name(device_);
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "cpu";
}

namespace {

// In front of every host allocation.
struct Header {
  void* base;
  std::size_t bytes;  // of the whole mapping
};
constexpr std::size_t line = 64, huge_page = std::size_t(2) << 20;

}  // namespace

// Large arrays sit on huge pages, but for their ends, and each starts a few cache lines further
// into its page than the one before: arrays that share a page offset fight for the same cache sets.
void* Exec::allocate(std::size_t bytes) const {
  Shared& s = *shared_;
  const std::size_t stagger = (1 + s.allocations++ % 16) * 2 * line;
  const std::size_t align = bytes >= huge_page ? huge_page : line;
  const std::size_t whole = (stagger + bytes + line - 1) / line * line;
  if (backend_ == Backend::cuda) {
    bytes = std::max<std::size_t>(bytes, 1);
    void* p = cuda::allocate(bytes);
    const std::scoped_lock lock(s.mutex);
    s.device_bytes[p] = bytes;
    s.count(bytes);
    return p;
  }
  void* base = nullptr;
  if (posix_memalign(&base, align, whole) != 0) throw std::bad_alloc();
  if (align == huge_page) madvise(base, whole / huge_page * huge_page, MADV_HUGEPAGE);
  char* p = static_cast<char*>(base) + stagger;
  new (p - sizeof(Header)) Header{base, whole};
  s.count(whole);
  return p;
}

void Exec::release(void* p) const {
  if (!p) return;
  if (backend_ == Backend::cuda) {
    const std::scoped_lock lock(shared_->mutex);
    shared_->bytes -= shared_->device_bytes.extract(p).mapped();
    return cuda::release(p);
  }
  const Header h = *reinterpret_cast<Header*>(static_cast<char*>(p) - sizeof(Header));
  shared_->bytes -= h.bytes;
  std::free(h.base);
}

void Exec::upload(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  if (backend_ == Backend::cuda) return cuda::upload(to, from, bytes);
  std::memcpy(to, from, bytes);
}
void Exec::download(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  if (backend_ == Backend::cuda) return cuda::download(to, from, bytes);
  std::memcpy(to, from, bytes);
}

namespace {

// f(begin, size) over pieces of memory.
template <class F>
void for_pieces(const Exec& ex, std::size_t bytes, const F& f) {
  constexpr std::size_t piece = std::size_t(1) << 18;
  struct Pieces {
    std::size_t bytes;
    const F& f;
  } const all{bytes, f};
  const Exec::ChunkBody body = [](const void* context, Index begin, Index end) {
    const auto& p = *static_cast<const Pieces*>(context);
    const std::size_t from = std::size_t(begin) * piece;
    p.f(from, std::min(p.bytes, std::size_t(end) * piece) - from);
  };
  ex.for_chunks(Index((bytes + piece - 1) / piece), 1, body, &all);
}

}  // namespace

void Exec::copy(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  if (backend_ == Backend::cuda) return cuda::copy(to, from, bytes);
  for_pieces(*this, bytes, [&](std::size_t begin, std::size_t size) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, size);
  });
}
void Exec::zero(void* p, std::size_t bytes) const {
  if (bytes == 0) return;
  if (backend_ == Backend::cuda) return cuda::zero(p, bytes);
  for_pieces(*this, bytes, [&](std::size_t begin, std::size_t size) {
    std::memset(static_cast<char*>(p) + begin, 0, size);
  });
}
void Exec::wait() const {
  if (backend_ == Backend::cuda) cuda::wait();
}

namespace {

// Does work(k) for k in [0, chunks) if this thread leads others that are free to.
template <class Work>
bool by_team(Index chunks, const Work& work) {
  Team* const team = Team::of_this_thread();
  if (!team || chunks < 2) return false;
  team->run(
      chunks, [](const void* w, Index k) { (*static_cast<const Work*>(w))(k); }, &work);
  return true;
}

}  // namespace

void Exec::for_chunks(Index n, Index grain, ChunkBody body, const void* context) const {
  const Index chunks = Index((Offset(n) + grain - 1) / grain);
  const auto work = [&](Index chunk) {
    const Index begin = chunk * grain;
    body(context, begin, n - begin < grain ? n : begin + grain);
  };
  const auto run = [&](Index chunk) {
    const FlushSubnormals flush;
    work(chunk);
  };
  if (by_team(chunks, work)) return;
  if (chunks < 4 || threads_ == 1) {
    const FlushSubnormals flush;
    for (Index chunk = 0; chunk < chunks; ++chunk) work(chunk);
    return;
  }
  shared_->tasks.execute([&] { tbb::parallel_for(Index(0), chunks, run); });
}

void Exec::for_tasks(Index n, ChunkBody body, const void* context) const {
  const auto work = [&](Index task) { body(context, task, task + 1); };
  const auto run = [&](Index task) {
    const FlushSubnormals flush;
    work(task);
  };
  if (by_team(n, work)) return;
  if (n < 2 || threads_ == 1) {
    for (Index task = 0; task < n; ++task) run(task);
    return;
  }
  shared_->tasks.execute([&] { tbb::parallel_for(Index(0), n, run, tbb::simple_partitioner()); });
}

}  // namespace rtsim
