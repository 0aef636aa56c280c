#include "block_cg/block_cg.h"

#include "block_cg/lanes.h"
#include "exec/parallel.h"

namespace rtsim::block_cg {

namespace {

RTSIM_HD inline Row4 times(const Sym3& m, const Row4& v) {
  return {fma(m.xx, v.x, fma(m.xy, v.y, m.xz * v.z)), fma(m.xy, v.x, fma(m.yy, v.y, m.yz * v.z)),
          fma(m.xz, v.x, fma(m.yz, v.y, m.zz * v.z)), 0};
}
RTSIM_HD inline Real dot(const Row4& a, const Row4& b) {
  return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}
// a + s b
RTSIM_HD inline Row4 add(const Row4& a, Real s, const Row4& b) {
  return {fma(s, b.x, a.x), fma(s, b.y, a.y), fma(s, b.z, a.z), fma(s, b.w, a.w)};
}

RTSIM_HD inline Sym3 precondition(const Vectors& s, Index i) {
  return s.inverse_diagonal[i / lane_count][i % lane_count];
}

struct Begin {
  Vectors s;
  Span<const Row4> b;
  RTSIM_HD Start operator()(Index i) const {
    const Row4 b_i = b[i], r = add(b_i, -1, s.q[i]), z = times(precondition(s, i), r);
    s.r[i] = r, s.p[i] = z;
    return {double(dot(r, z)), double(dot(b_i, times(precondition(s, i), b_i)))};
  }
};
struct AddStarts {
  RTSIM_HD Start operator()(const Start& a, const Start& b) const {
    return {a.rz + b.rz, a.bb + b.bb};
  }
};

struct Advance {
  Vectors s;
  Real alpha;
  Span<Row4> x;
  RTSIM_HD double operator()(Index i) const {
    x[i] = add(x[i], alpha, s.p[i]);
    const Row4 r = add(s.r[i], -alpha, s.q[i]);
    const Row4 z = times(precondition(s, i), r);
    s.r[i] = r, s.q[i] = z;
    return double(dot(r, z));
  }
};

struct Turn {
  Vectors s;
  Real beta;
  RTSIM_HD void operator()(Index i) const { s.p[i] = add(s.q[i], beta, s.p[i]); }
};

}  // namespace

Start begin(const Exec& ex, const Vectors& s, Span<const Row4> b) {
  return reduce(ex, "block_cg.begin", b.size, Start{}, Begin{s, b}, AddStarts{});
}

double advance(const Exec& ex, const Vectors& s, Real alpha, Span<Row4> x) {
  if (ex.cpu_shaped()) return advance_lanes(ex, s, alpha, x);
  return reduce(ex, "block_cg.advance", x.size, 0.0, Advance{s, alpha, x}, Plus{});
}

void turn(const Exec& ex, const Vectors& s, Real beta) {
  parallel_for(ex, "block_cg.turn", s.p.size, Turn{s, beta});
}

}  // namespace rtsim::block_cg
