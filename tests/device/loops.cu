#include "device/loops.h"

#include <cmath>

#include "exec/parallel.h"

namespace rtsim::loops {

namespace {

struct Triple {
  Span<Index> out;
  RTSIM_HD void operator()(Index i) const { out[i] = 3 * i % 1000; }
};

template <class T>
struct Wave {
  RTSIM_HD T operator()(Index i) const { return T(std::sin(0.37 * double(i))); }
};

struct Value {
  Span<const Index> of;
  RTSIM_HD Index operator()(Index i) const { return of[i]; }
};

struct MomentsOf {
  RTSIM_HD Moments operator()(Index i) const {
    Moments m;
    for (Index k = 0; k < 40; ++k) m.sum[k] = double((i + k) % 7);
    return m;
  }
};

struct AddMoments {
  RTSIM_HD Moments operator()(const Moments& a, const Moments& b) const {
    Moments m;
    for (Index k = 0; k < 40; ++k) m.sum[k] = a.sum[k] + b.sum[k];
    return m;
  }
};

// Two rows a thread, so that none reads what it wrote itself.
struct TurnRound {
  struct Shared {
    Index row[100];
  };
  static constexpr int phases = 2;
  static constexpr Index threads = 50;
  Span<const Index> in;
  Span<Index> out;

  RTSIM_HD void operator()(int phase, Index tile, Index thread, Shared& s) const {
    const Index begin = 100 * tile, left = in.size - begin, n = left < 100 ? left : 100;
    for (Index i = thread; i < n; i += threads)
      phase == 0 ? void(s.row[i] = in[begin + i]) : void(out[begin + i] = s.row[n - 1 - i]);
  }
};

}  // namespace

void turn_round(const Exec& ex, Span<const Index> in, Span<Index> out) {
  parallel_tiles(ex, "loops.turn_round", (in.size + 99) / 100, in.size, TurnRound{in, out});
}
void triple(const Exec& ex, Span<Index> out) {
  parallel_for(ex, "loops.triple", out.size, Triple{out});
}
double sum_of_waves(const Exec& ex, Index n) {
  return reduce(ex, "loops.sum", n, 0.0, Wave<double>{}, Plus{});
}
float float_sum_of_waves(const Exec& ex, Index n) {
  return reduce(ex, "loops.sum", n, 0.0f, Wave<float>{}, Plus{});
}
Index greatest(const Exec& ex, Span<const Index> of) {
  return reduce(ex, "loops.greatest", of.size, Index(-1), Value{of}, Max{});
}
Moments moments(const Exec& ex, Index n) {
  return reduce(ex, "loops.moments", n, Moments{}, MomentsOf{}, AddMoments{});
}

}  // namespace rtsim::loops
