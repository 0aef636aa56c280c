#pragma once
#include "base/vec.h"
#include "exec/buffer.h"

namespace rtsim {

// Positions or velocities as they were before a part of a step that may be tried again.
inline void keep(const Exec& ex, Span<const Vec<3>> from, Buffer<Vec<3>>& to) {
  to.resize(std::size_t(from.size));
  ex.copy(to.data(), from.data, to.size() * sizeof(Vec<3>));
}
inline void bring_back(const Exec& ex, const Buffer<Vec<3>>& from, Span<Vec<3>> to) {
  ex.copy(to.data, from.data(), from.size() * sizeof(Vec<3>));
}

}  // namespace rtsim
