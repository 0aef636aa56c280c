#pragma once
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "exec/exec.h"
#include "exec/span.h"

namespace rtsim {

// Array in the memory of one Exec. Data crosses to the host only through upload() and download():
// grep for them to find every transfer of a run.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Buffer(Exec ex, std::size_t size = 0) : ex_(std::move(ex)) { resize(size); }
  Buffer(Exec ex, std::span<const T> host) : ex_(std::move(ex)) { upload(host); }
  Buffer(Buffer&& o) noexcept
      : ex_(o.ex_),
        data_(std::exchange(o.data_, nullptr)),
        size_(std::exchange(o.size_, 0)),
        capacity_(std::exchange(o.capacity_, 0)) {}
  Buffer& operator=(Buffer&& o) noexcept {
    swap(o);
    return *this;
  }
  ~Buffer() { ex_.release(data_); }

  void swap(Buffer& o) noexcept {
    std::swap(ex_, o.ex_), std::swap(data_, o.data_), std::swap(size_, o.size_);
    std::swap(capacity_, o.capacity_);
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  Span<T> span() { return {data_, Index(size_)}; }
  Span<const T> span() const { return {data_, Index(size_)}; }

  // Contents are lost where the array has to grow; it never shrinks.
  void resize(std::size_t size) {
    if (size > capacity_) {
      ex_.release(data_);
      data_ = nullptr, capacity_ = 0;
      data_ = static_cast<T*>(ex_.allocate(size * sizeof(T)));
      capacity_ = size;
    }
    size_ = size;
  }
  // Memory for so many, with the contents kept; the size stays.
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    Buffer larger(ex_, capacity);
    larger.size_ = size_;
    ex_.copy(larger.data_, data_, size_ * sizeof(T));
    swap(larger);
  }
  void zero() { ex_.zero(data_, size_ * sizeof(T)); }

  void upload(std::span<const T> host) {
    resize(host.size());
    ex_.upload(data_, host.data(), host.size_bytes());
  }
  std::vector<T> download() const {
    std::vector<T> host(size_);
    ex_.download(host.data(), data_, size_ * sizeof(T));
    return host;
  }

 private:
  Exec ex_;
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace rtsim
