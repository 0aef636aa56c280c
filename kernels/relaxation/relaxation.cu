#include "relaxation/relaxation.h"

#include "exec/parallel.h"
#include "sph/swept_contact.h"

namespace rtsim::relaxation {

namespace {

template <int D>
struct Predict {
  Real dt;
  Vec<D> gravity;
  Span<Vec<D>> velocity, position;
  RTSIM_HD void operator()(Index i) const {
    velocity[i] = velocity[i] + dt * gravity;
    position[i] = position[i] + dt * velocity[i];
  }
};

template <int D>
struct KeepInside {
  sph::Balls balls;
  Span<const Row4> predicted;
  Span<const Vec<D>> velocity;
  Span<Row4> shift;
  Span<Index> met;
  Span<Row4> lost;
  RTSIM_HD void operator()(Index i) const {
    if (met.size > 0) met[i] = -1;
    const Vec<D> v = velocity[i];
    const Vec<3> x = sph::xyz(predicted[i]), v3{{v[0], v[1], D == 3 ? v[D - 1] : Real(0)}};
    const Vec<3> before = x - balls.dt * v3, wanted = x + sph::xyz(shift[i]);
    sph::Path path{before, wanted - before, 0};
    const Index ball = sph::slide(balls, path);
    if (ball < 0) return;
    const Vec<3> s = path.at + path.way - x;
    const Row4 was = shift[i];
    shift[i] = {s[0], s[1], s[2], was.w};
    if (met.size > 0) met[i] = ball, lost[i] = {was.x - s[0], was.y - s[1], was.z - s[2], 0};
  }
};

template <int D>
struct Settle {
  Real inv_dt;
  Span<const Row4> shift;
  Span<Vec<D>> velocity, position;
  RTSIM_HD void operator()(Index i) const {
    const Real s[3] = {shift[i].x, shift[i].y, shift[i].z};
    for (int k = 0; k < D; ++k) position[i][k] += s[k], velocity[i][k] += inv_dt * s[k];
  }
};

struct LoadW {
  Span<const Real> w;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index i) const { rows[i].w = w[i]; }
};

}  // namespace

template <int D>
void predict(const Exec& ex, Real dt, Vec<D> gravity, Span<Vec<D>> velocity,
             Span<Vec<D>> position) {
  parallel_for(ex, "relaxation.predict", position.size,
               Predict<D>{dt, gravity, velocity, position});
}

template <int D>
void keep_inside(const Exec& ex, Real dt, Real spacing, bool moving, const sph::PairRows& walls,
                 Span<const Row4> predicted, Span<const Vec<D>> velocity, Span<Row4> shift,
                 Span<Index> met, Span<Row4> lost) {
  if (walls.cells.rows.size == 0) return;
  const Real radius = Real(0.9) * spacing, reach = moving ? radius + spacing : radius;
  const sph::Balls balls{walls.cells, walls.motion, radius, reach, dt, 1};
  parallel_for(ex, "relaxation.keep_inside", velocity.size,
               KeepInside<D>{balls, predicted, velocity, shift, met, lost});
}

template <int D>
void settle(const Exec& ex, Real dt, Span<const Row4> shift, Span<Vec<D>> velocity,
            Span<Vec<D>> position) {
  parallel_for(ex, "relaxation.settle", position.size,
               Settle<D>{1 / dt, shift, velocity, position});
}

void load_w(const Exec& ex, Span<const Real> w, Span<Row4> rows) {
  parallel_for(ex, "relaxation.load", w.size, LoadW{w, rows});
}

#define RTSIM_INSTANTIATE(D)                                                                  \
  template void predict<D>(const Exec&, Real, Vec<D>, Span<Vec<D>>, Span<Vec<D>>);            \
  template void keep_inside<D>(const Exec&, Real, Real, bool, const sph::PairRows&,           \
                               Span<const Row4>, Span<const Vec<D>>, Span<Row4>, Span<Index>, \
                               Span<Row4>);                                                   \
  template void settle<D>(const Exec&, Real, Span<const Row4>, Span<Vec<D>>, Span<Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::relaxation
