#include "rigid/motion/rest.h"

#include "exec/parallel.h"
#include "rigid/motion/inverse_inertia.h"

namespace rtsim::rigid {

namespace {

template <class T>
RTSIM_HD bool is_zero(const T& v) {
  return dot(v, v) == 0;
}

template <int D>
RTSIM_HD bool rests(const Sleepers<D>& s, Index i) {
  const Bodies<D>& b = s.bodies;
  return is_zero(b.velocity[i]) && is_zero(b.angular_velocity[i]) &&
         (s.island[i] >= 0 || !(inverse_or_zero(b.mass[i]) > 0));
}

template <int D>
struct Resting {
  Sleepers<D> sleepers;
  Span<std::uint8_t> out;
  RTSIM_HD void operator()(Index i) const { out[i] = rests(sleepers, i); }
};

template <int D>
struct Pushed {
  Sleepers<D> sleepers;
  Loads<D> loads;
  Span<std::uint8_t> called;
  RTSIM_HD Index operator()(Index i) const {
    called[i] = !rests(sleepers, i) || dot(loads.force[i], loads.force[i]) > 0 ||
                dot(loads.torque[i], loads.torque[i]) > 0;
    return called[i] && sleepers.island[i] >= 0;
  }
};

template <int D>
struct CountStill {
  Stillness law;
  Bodies<D> bodies;
  Span<Real> still;
  RTSIM_HD void operator()(Index i) const {
    const Real speed =
        norm(bodies.velocity[i]) + law.reach[law.shape[i]] * norm(bodies.angular_velocity[i]);
    still[i] = speed < law.speed ? still[i] + law.dt : Real(0);
  }
};

template <int D>
struct Ready {
  Sleepers<D> sleepers;
  Span<const Real> still;
  Real after;
  RTSIM_HD Index operator()(Index i) const {
    return sleepers.island[i] < 0 && still[i] >= after &&
           inverse_or_zero(sleepers.bodies.mass[i]) > 0;
  }
};

struct Asleep {
  Span<const std::int32_t> island;
  RTSIM_HD Index operator()(Index i) const { return island[i] >= 0; }
};

}  // namespace

template <int D>
void find_resting(const Exec& ex, const Sleepers<D>& sleepers, Span<std::uint8_t> out) {
  parallel_for(ex, "rigid.resting", sleepers.island.size, Resting<D>{sleepers, out});
}

template <int D>
Index find_pushed(const Exec& ex, const Sleepers<D>& sleepers, const Loads<D>& loads,
                  Span<std::uint8_t> called) {
  return reduce(ex, "rigid.pushed", sleepers.island.size, Index(0),
                Pushed<D>{sleepers, loads, called}, Plus{});
}

template <int D>
void count_still(const Exec& ex, const Stillness& law, const Bodies<D>& bodies, Span<Real> still) {
  parallel_for(ex, "rigid.still", still.size, CountStill<D>{law, bodies, still});
}

template <int D>
Index count_ready(const Exec& ex, const Sleepers<D>& sleepers, Span<const Real> still, Real after) {
  return reduce(ex, "rigid.ready", still.size, Index(0), Ready<D>{sleepers, still, after}, Plus{});
}

Index count_asleep(const Exec& ex, Span<const std::int32_t> island) {
  return reduce(ex, "rigid.asleep", island.size, Index(0), Asleep{island}, Plus{});
}

#define RTSIM_INSTANTIATE(D)                                                                 \
  template void find_resting<D>(const Exec&, const Sleepers<D>&, Span<std::uint8_t>);        \
  template Index find_pushed<D>(const Exec&, const Sleepers<D>&, const Loads<D>&,            \
                                Span<std::uint8_t>);                                         \
  template void count_still<D>(const Exec&, const Stillness&, const Bodies<D>&, Span<Real>); \
  template Index count_ready<D>(const Exec&, const Sleepers<D>&, Span<const Real>, Real);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
