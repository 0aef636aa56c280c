#include <vector>

#include "block_cg/isotropic_lanes.h"
#include "block_cg/lanes.h"
#include "exec/parallel.h"
#include "lanes/lanes.h"

namespace rtsim::block_cg {

namespace {

using L = Lanes<Real>;

constexpr Index slices_per_task = 32;

double multiply_slice(const BlockMatrix& A, Index s, Span<const Row4> p, Span<Row4> q) {
  const Index low = s * lane_count;
  const Lanes4<Real> p_i = load_rows(p.data + low);
  const L m = L::load(A.inertia.data + low);
  L x = m * p_i.x, y = m * p_i.y, z = m * p_i.z;
  for (Index e = A.first[s]; e < A.first[s + 1]; ++e) {
    const BlockSlot& k = A.blocks[e];
    const Lanes4<Real> p_j = load_rows(p.data, k.other);
    const L dx = p_i.x - p_j.x, dy = p_i.y - p_j.y, dz = p_i.z - p_j.z;
    x = fma(L::load(k.n[0]), dx, fma(L::load(k.n[1]), dy, fma(L::load(k.n[2]), dz, x)));
    y = fma(L::load(k.n[3]), dx, fma(L::load(k.n[4]), dy, fma(L::load(k.n[5]), dz, y)));
    z = fma(L::load(k.n[6]), dx, fma(L::load(k.n[7]), dy, fma(L::load(k.n[8]), dz, z)));
  }
  add_isotropic(A.more, s, p.data, p_i, x, y, z);
  store_rows(q.data + low, {x, y, z, L(0)});
  return double(fma(p_i.x, x, fma(p_i.y, y, p_i.z * z)).sum());
}

}  // namespace

double multiply_lanes(const Exec& ex, const BlockMatrix& A, Span<const Row4> p, Span<Row4> q) {
  const Index slices = q.size / lane_count;
  std::vector<double> part(std::size_t((slices + slices_per_task - 1) / slices_per_task));
  parallel_chunks(ex, "block_cg.multiply", slices, slices_per_task, [&](Index begin, Index end) {
    double pq = 0;
    for (Index s = begin; s < end; ++s) pq += multiply_slice(A, s, p, q);
    part[std::size_t(begin / slices_per_task)] = pq;
  });
  double sum = 0;
  for (const double x : part) sum += x;
  return sum;
}

}  // namespace rtsim::block_cg
