#include "block_cg/block_matrix.h"

#include "block_cg/lanes.h"
#include "exec/parallel.h"

namespace rtsim::block_cg {

namespace {

RTSIM_HD Vec<3> vec(const Row4& r) { return {{r.x, r.y, r.z}}; }

struct Multiply {
  BlockMatrix A;
  Span<const Row4> p;
  Span<Row4> q;
  RTSIM_HD double operator()(Index i) const {
    const Vec<3> p_i = vec(p[i]);
    const Index l = i % lane_count;
    Vec<3> sum = A.inertia[i] * p_i;
    for (Index e = A.first[i / lane_count]; e < A.first[i / lane_count + 1]; ++e) {
      const BlockSlot& k = A.blocks[e];
      sum = sum + k[l] * (p_i - vec(p[k.other[l]]));
    }
    sum = sum + A.more.product(i, p);
    q[i] = {sum[0], sum[1], sum[2], 0};
    return double(dot(p_i, sum));
  }
};

struct SumOutside {
  BlockMatrix A;
  Outside k;
  RTSIM_HD void operator()(Index i) const {
    Sym3 sums[most_levels];
    const Index l = i % lane_count, s = i / lane_count;
    for (Index e = A.first[s]; e < A.first[s + 1]; ++e) {
      const int apart = k.apart(k.blocks[e * lane_count + l], A.blocks[e].other[l]);
      if (apart > 0) sums[apart - 1] = sums[apart - 1] + symmetric(A.blocks[e][l]);
    }
    add_outside(A.more, k, i, sums);
    for (int m = 0; m < k.levels; ++m) k.sums[k.levels * i + m] = sums[m];
  }
};

}  // namespace

double multiply(const Exec& ex, const BlockMatrix& A, Span<const Row4> p, Span<Row4> q) {
  if (ex.cpu_shaped()) return multiply_lanes(ex, A, p, q);
  return reduce(ex, "block_cg.multiply", q.size, 0.0, Multiply{A, p, q}, Plus{});
}

void sum_outside(const Exec& ex, const BlockMatrix& A, const Outside& k) {
  parallel_for(ex, "block_cg.outside", k.sums.size / k.levels, SumOutside{A, k});
}

}  // namespace rtsim::block_cg
