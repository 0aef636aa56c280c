#include <vector>

#include "block_cg/lanes.h"
#include "exec/parallel.h"
#include "lanes/lanes.h"

namespace rtsim::block_cg {

namespace {

using L = Lanes<Real>;

constexpr Index slices_per_task = 128;

// r -= alpha q, q = P r; returns r . P r of the slice.
double residual(const Vectors& s, Index slice, L alpha) {
  const Index low = slice * lane_count;
  const Lanes4<Real> q = load_rows(s.q.data + low), before = load_rows(s.r.data + low);
  const L minus = L(0) - alpha;
  const L x = fma(minus, q.x, before.x), y = fma(minus, q.y, before.y),
          z = fma(minus, q.z, before.z);
  const Sym3Slot& m = s.inverse_diagonal[slice];
  const L xx = L::load(m.xx), yy = L::load(m.yy), zz = L::load(m.zz), xy = L::load(m.xy),
          xz = L::load(m.xz), yz = L::load(m.yz);
  const L px = fma(xx, x, fma(xy, y, xz * z)), py = fma(xy, x, fma(yy, y, yz * z)),
          pz = fma(xz, x, fma(yz, y, zz * z));
  store_rows(s.r.data + low, {x, y, z, L(0)});
  store_rows(s.q.data + low, {px, py, pz, L(0)});
  return double(fma(x, px, fma(y, py, z * pz)).sum());
}

}  // namespace

double advance_lanes(const Exec& ex, const Vectors& s, Real alpha, Span<Row4> x) {
  const Index slices = x.size / lane_count;
  std::vector<double> part(std::size_t((slices + slices_per_task - 1) / slices_per_task));
  parallel_chunks(ex, "block_cg.advance", slices, slices_per_task, [&](Index begin, Index end) {
    const Real* p = &s.p[begin * lane_count].x;
    Real* to = &x[begin * lane_count].x;
    for (Index k = 0; k < 4 * lane_count * (end - begin); ++k) to[k] = std::fma(alpha, p[k], to[k]);
    double sum = 0;
    for (Index slice = begin; slice < end; ++slice) sum += residual(s, slice, L(alpha));
    part[std::size_t(begin / slices_per_task)] = sum;
  });
  double sum = 0;
  for (const double a : part) sum += a;
  return sum;
}

}  // namespace rtsim::block_cg
