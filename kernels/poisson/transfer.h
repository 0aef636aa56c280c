#pragma once
#include "poisson/lines.h"
#include "poisson/poisson.h"

// Prolongation and restriction, an axis after the other. A coarse cell c has the finer cells 2 c
// and 2 c + 1 along an axis. Prolongation gives these the values
//   own_low p_c + other_low p_(c-1) and own_high p_c + other_high p_(c+1);
// restriction is the transpose. Factors of finer cells that are not there are 0.
namespace rtsim::poisson {

RTSIM_HD constexpr int low(int first, int axis) { return first + 2 * axis; }
RTSIM_HD constexpr int high(int first, int axis) { return first + 2 * axis + 1; }

// The cells before and after c along an axis, or c itself, whose factors are 0 there.
struct Beside {
  Index before, after;
  RTSIM_HD Beside(const Level& level, int axis, Index c) : before(c), after(c) {
    const Index n = level.n[axis];
    if (c > 0 || level.periodic[axis]) before = c > 0 ? c - 1 : n - 1;
    if (c < n - 1 || level.periodic[axis]) after = c < n - 1 ? c + 1 : 0;
  }
};

struct Loaded {
  const Real* values;
  RTSIM_HD Real operator()(Index i) const { return values[i]; }
};

// out_i = sum of factors_i in_i of a few lines.
template <int count>
struct Blend {
  const Real* factor[count];
  const Real* in[count];

  RTSIM_HD Real operator()(Index i) const {
    const Real a = factor[0][i] * in[0][i] + factor[1][i] * in[1][i];
    if constexpr (count == 2)
      return a;
    else
      return a + (factor[2][i] * in[2][i] + factor[3][i] * in[3][i]);
  }
  void line(Index begin, Index end, Real* out) const {
    const Blend b = *this;
    RTSIM_INDEPENDENT
    for (Index i = begin; i < end; ++i) out[i] = b(i);
  }
};

}  // namespace rtsim::poisson
