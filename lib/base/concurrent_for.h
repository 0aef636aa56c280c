#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace rtsim {

// work(0) to work(n - 1), as many at once as there are jobs, for work that waits for disks: loops
// over numbers belong to kernels. After an exception no further ones begin, and the first is
// thrown.
template <class Work>
void concurrent_for(std::size_t n, int jobs, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take = [&] {
    try {
      for (std::size_t k; (k = next++) < n;) work(k);
    } catch (...) {
      next = n;
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t k = 1; k < n && int(k) < jobs; ++k) others.emplace_back(take);
    take();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace rtsim
