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

RTSIM_HD inline Sym3 inverse_diagonal(const Vectors& s, Index i) {
  return s.inverse_diagonal[i / lane_count][i % lane_count];
}

struct FindResidual {
  Vectors s;
  Span<const Row4> b;
  RTSIM_HD void operator()(Index i) const { s.r[i] = add(b[i], -1, s.q[i]); }
};

struct Advance {
  Vectors s;
  Real alpha;
  Span<Row4> x;
  RTSIM_HD void operator()(Index i) const {
    x[i] = add(x[i], alpha, s.p[i]);
    s.r[i] = add(s.r[i], -alpha, s.q[i]);
  }
};

struct Precondition {
  Vectors s;
  RTSIM_HD Squares operator()(Index i) const {
    const Row4 r = free(i, s.r[i]), own = times(inverse_diagonal(s, i), r);
    const bool grouped = s.levels.point_parent.size > 0;
    const Row4 z = free(i, grouped ? add(own, 1, s.levels.z[s.levels.point_parent[i]]) : own);
    s.q[i] = z;
    const Real m = s.inertia[i];
    return {double(dot(r, z)), m > 0 ? double(dot(r, r)) / double(m) : 0};
  }
  RTSIM_HD Row4 free(Index i, const Row4& v) const {
    const Vec<3> f = filtered(s.levels.filter[i], v);
    return {f[0], f[1], f[2], 0};
  }
};
struct AddSquares {
  RTSIM_HD Squares operator()(const Squares& a, const Squares& b) const {
    return {a.rz + b.rz, a.bound + b.bound};
  }
};

struct UpdateDirection {
  Vectors s;
  Real beta;
  RTSIM_HD void operator()(Index i) const {
    s.p[i] = beta == 0 ? s.q[i] : add(s.q[i], beta, s.p[i]);
  }
};

struct ResidualSum {
  Vec3d sum;
  Index held = 0;  // rows that are held: r has a part that the filter takes out
};
struct SumResiduals {
  Vectors s;
  RTSIM_HD ResidualSum operator()(Index i) const {
    const Row4& r = s.r[i];
    const Vec<3> free = filtered(s.levels.filter[i], r);
    return {widen(free), free == Vec<3>{{r.x, r.y, r.z}} ? 0 : 1};
  }
};
struct AddResidualSums {
  RTSIM_HD ResidualSum operator()(const ResidualSum& a, const ResidualSum& b) const {
    return {a.sum + b.sum, a.held + b.held};
  }
};

struct ProjectMean {
  Vectors s;
  Row4 along;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> p = filtered(s.levels.filter[i], along);
    s.p[i] = {p[0], p[1], p[2], 0};
  }
};

}  // namespace

void find_residual(const Exec& ex, const Vectors& s, Span<const Row4> b) {
  parallel_for(ex, "block_cg.begin", b.size, FindResidual{s, b});
}

void advance(const Exec& ex, const Vectors& s, Real alpha, Span<Row4> x) {
  parallel_for(ex, "block_cg.advance", x.size, Advance{s, alpha, x});
}

Squares precondition(const Exec& ex, const Vectors& s) {
  correct_groups(ex, s.levels, s.r);
  if (ex.cpu_shaped()) return precondition_lanes(ex, s);
  return reduce(ex, "block_cg.precondition", s.r.size, Squares{}, Precondition{s}, AddSquares{});
}

double project_mean(const Exec& ex, const Vectors& s) {
  const ResidualSum residual_sum =
      reduce(ex, "block_cg.rest", s.r.size, ResidualSum{}, SumResiduals{s}, AddResidualSums{});
  const double length = norm(residual_sum.sum);
  if (residual_sum.held > 0 || !(length > 0)) return 0;
  const Vec<3> u = narrow<3>(1 / length * residual_sum.sum);
  parallel_for(ex, "block_cg.project_mean", s.p.size, ProjectMean{s, {u[0], u[1], u[2], 0}});
  return length;
}

void update_direction(const Exec& ex, const Vectors& s, Real beta) {
  parallel_for(ex, "block_cg.turn", s.p.size, UpdateDirection{s, beta});
}

}  // namespace rtsim::block_cg
