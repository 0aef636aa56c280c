#include "pbf/pbf.h"

#include "pbf/passes.h"
#include "sph/pair_cells.h"

namespace rtsim::pbf {

namespace {

template <class Pass>
void for_pairs(const Exec& ex, const char* label, const Pairs& p, const Pass& pass) {
  sph::for_pairs(ex, label, p.fluid, p.walls, p.lists, p.law.density.support, pass);
}

// The diagonal has the sample's own gradient in it though samples stay: all samples of a face push
// the same rows, together about as much as that.
struct LambdaOfSample {
  Law law;
  sph::PairRows fluid, walls;
  Span<const Real> limit;
  Span<const Index> first, row;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index b) const {
    const Row4 p = walls.cells.rows[b];
    Real x = 0, y = 0, z = 0, squares = 0, shapes = 0;
    for (Index n = first[b]; n < first[b + 1]; ++n) {
      const Index i = row[n];
      const Row4 q = fluid.cells.rows[i];
      const auto d = relaxation::shifted(sph::separation<Real>(p, q, fluid.cells.grid.box), Row4{},
                                         fluid.motion[i]);
      const Real g = law.slope(d.r2);
      x += g * d.x, y += g * d.y, z += g * d.z, squares += g * g * d.r2;
      shapes += law.density.shape(d.r2);
    }
    const Real c = law.volume * law.density.scale * shapes - limit[b];
    const Real below = x * x + y * y + z * z + squares + law.epsilon;
    motion[b].w = c > 0 && below > 0 ? -c / below : Real(0);
  }
};

struct ErrorOfRow {
  Span<const Real> error;
  RTSIM_HD Errors operator()(Index i) const {
    const double c = error[i] > 0 ? error[i] : Real(0);
    return {c, c};
  }
};
struct WorseErrors {
  RTSIM_HD Errors operator()(const Errors& a, const Errors& b) const {
    return {a.sum + b.sum, a.max > b.max ? a.max : b.max};
  }
};

}  // namespace

void lambda(const Exec& ex, const Pairs& p, Span<Real> lambda, Span<Real> error) {
  for_pairs(ex, "pbf.lambda", p, LambdaPass{p.law, lambda, error});
}

void lambda_of_samples(const Exec& ex, const Pairs& p, Span<const Real> limit,
                       Span<const Index> first, Span<const Index> row, Span<Row4> motion) {
  parallel_for(ex, "pbf.lambda_of_samples", limit.size,
               LambdaOfSample{p.law, p.fluid, p.walls, limit, first, row, motion});
}

void shift(const Exec& ex, const Pairs& p, Span<Row4> shift) {
  for_pairs(ex, "pbf.shift", p, ShiftPass{p.law, shift});
}

void shift_on_walls(const Exec& ex, const Pairs& p, Real scale, Span<Row4> force) {
  sph::add_wall_reaction(ex, "pbf.on_walls", p.fluid, p.walls, p.law.density.support, -scale,
                         ShiftPass{p.law, {}}, force);
}

Errors errors(const Exec& ex, Span<const Real> error) {
  return reduce(ex, "pbf.errors", error.size, Errors{}, ErrorOfRow{error}, WorseErrors{});
}

template <int D>
void xsph(const Exec& ex, const Pairs& p, Real part, Span<Vec<D>> velocity) {
  for_pairs(ex, "pbf.xsph", p, XsphPass<D>{p.law, part, velocity});
}

void curl(const Exec& ex, const Pairs& p, Span<Row4> curl, Span<Real> length) {
  for_pairs(ex, "pbf.curl", p, CurlPass{p.law, curl, length});
}

template <int D>
void confine(const Exec& ex, const Pairs& p, Real impulse, Span<const Row4> curl,
             Span<Vec<D>> velocity) {
  for_pairs(ex, "pbf.confine", p, ConfinePass<D>{p.law, impulse, curl, velocity});
}

#define RTSIM_INSTANTIATE(D)                                            \
  template void xsph<D>(const Exec&, const Pairs&, Real, Span<Vec<D>>); \
  template void confine<D>(const Exec&, const Pairs&, Real, Span<const Row4>, Span<Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::pbf
