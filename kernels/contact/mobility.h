#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

namespace rtsim::contact {

// How far points of the inverse masses w let a place with their weights b give way to an impulse of
// one: the sum of w b^2 [1/kg]. Points go w b over that times as far as the place; of equal ones
// (sqrt(3) + 1) / 2 times at the most. Near one that is held, or far heavier than the others, those
// would be thrown by 1 / b: they go no further than equal ones, and the place gives way less.
template <int N>
RTSIM_HD inline Real mobility(const std::int32_t* p, const Real* b, Span<const Real> w) {
  Real sum = 0, most = 0;
  for (int k = 0; k < N; ++k) {
    const Real of_point = w[p[k]] * b[k], size = of_point < 0 ? -of_point : of_point;
    sum += of_point * b[k];
    most = size > most ? size : most;
  }
  const Real least = Real(0.7320508) * most;  // 2 / (sqrt(3) + 1)
  return sum > least ? sum : least;
}

}  // namespace rtsim::contact
