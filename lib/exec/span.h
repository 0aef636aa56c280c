#pragma once
#include <type_traits>

#include "base/types.h"

namespace rtsim {

// Non-owning view of one column, passed by value into kernels.
template <class T>
struct Span {
  T* data = nullptr;
  Index size = 0;

  RTSIM_HD T& operator[](Index i) const { return data[i]; }
  RTSIM_HD operator Span<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, size};
  }
};

}  // namespace rtsim
