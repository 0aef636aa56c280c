#pragma once
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace rtsim {

// prepare(k) for k < n by `jobs` threads at once, and take(k, what it returned) one after the other
// in order, by whoever is free. At most 2 `jobs` are prepared ahead. After a failure nothing new is
// begun; what came before it is taken, then it is thrown.
template <class Item, class Prepare, class Take>
class InOrder {
 public:
  InOrder(std::size_t n, int jobs, const Prepare& prepare, const Take& take)
      : n_(n), ahead_(2 * std::size_t(jobs)), prepare_(prepare), take_(take) {
    {
      std::vector<std::jthread> others;
      for (int k = 1; k < jobs; ++k) others.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() try {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return failure_ || next_ == n_ || next_ < taken_ + ahead_; });
      if (failure_ || next_ == n_) return;
      const std::size_t k = next_++;
      lock.unlock();
      Item item = prepare_(k);
      lock.lock();
      ready_.emplace(k, std::move(item));
      if (!taking_) take_ready(lock);
    }
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    changed_.notify_all();
  }

  // A failure in here leaves `taking_` set, so that nothing is taken behind a gap.
  void take_ready(std::unique_lock<std::mutex>& lock) {
    taking_ = true;
    for (auto at = ready_.find(taken_); at != ready_.end(); at = ready_.find(taken_)) {
      Item item = std::move(at->second);
      ready_.erase(at);
      lock.unlock();
      take_(taken_, std::move(item));
      lock.lock();
      ++taken_;
      changed_.notify_all();
    }
    taking_ = false;
  }

  const std::size_t n_, ahead_;
  const Prepare& prepare_;
  const Take& take_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, Item> ready_;
  std::size_t next_ = 0, taken_ = 0;
  bool taking_ = false;
  std::exception_ptr failure_;
};

template <class Item, class Prepare, class Take>
void in_order(std::size_t n, int jobs, const Prepare& prepare, const Take& take) {
  const InOrder<Item, Prepare, Take> all(n, jobs, prepare, take);
}

}  // namespace rtsim
