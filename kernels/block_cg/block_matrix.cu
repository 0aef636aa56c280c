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

}  // namespace

double multiply(const Exec& ex, const BlockMatrix& A, Span<const Row4> p, Span<Row4> q) {
  if (ex.cpu_shaped()) return multiply_lanes(ex, A, p, q);
  return reduce(ex, "block_cg.multiply", q.size, 0.0, Multiply{A, p, q}, Plus{});
}

}  // namespace rtsim::block_cg
