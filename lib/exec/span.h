#pragma once
#include <type_traits>

#include "base/types.h"

namespace rtsim {

// Non-owning view of one column, passed by value into kernels.
template <class T>
struct Span {
  T* data = nullptr;
  Index size = 0;

  Span() = default;
  RTSIM_HD Span(T* first, Index count) : data(first), size(count) {}
  template <class U>
  requires(std::is_const_v<T>&& std::is_same_v<const U, T> && !std::is_const_v<U>) RTSIM_HD
      Span(Span<U> mutable_span)
      : data(mutable_span.data), size(mutable_span.size) {}

  RTSIM_HD T& operator[](Index i) const { return data[i]; }
};

}  // namespace rtsim
