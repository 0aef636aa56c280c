#include "pbd/shape_match.h"

#include "exec/parallel.h"
#include "pbd/best_rotation.h"

namespace rtsim::pbd {

namespace {

template <int terms>
struct Matrix {
  double m[3][terms] = {};

  RTSIM_HD double determinant() const {  // of the linear part
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
           m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  }
};

// `terms`: 3, or 9 of a quadratic basis. A number that is known: nvcc 13.0 at -O3 makes NaN of what
// loops up to one of the launch's parameters sum.
template <int terms>
struct MatchRegion {
  ShapeRegions r;
  Span<const Row4> place;
  Span<Vec<3>> goals;

  RTSIM_HD void operator()(Index region) const {
    double c[3];
    centre(region, c);
    const Matrix<terms> moments = moments_about(c, region);
    const Matrix<terms> g = transform(moments, region);
    for (Index s = r.first[region]; s < r.first[region + 1]; ++s) {
      double b[terms];
      basis(s, region, b);
      for (int a = 0; a < 3; ++a) {
        double sum = c[a];
        for (int k = 0; k < terms; ++k) sum += g.m[a][k] * b[k];
        goals[s][a] = Real(sum);
      }
    }
  }

 private:
  RTSIM_HD void basis(Index s, Index region, double* b) const {
    shape_terms(r.rest[s], terms, b);
    for (int k = 0; k < terms; ++k) b[k] -= r.mean[region * terms + k];
  }
  RTSIM_HD void centre(Index region, double* c) const {
    double mass = 0;
    c[0] = c[1] = c[2] = 0;
    for (Index s = r.first[region]; s < r.first[region + 1]; ++s) {
      const Row4& x = place[r.point[s]];
      const double m = double(r.mass[s]);
      c[0] += m * double(x.x), c[1] += m * double(x.y), c[2] += m * double(x.z);
      mass += m;
    }
    for (int a = 0; a < 3; ++a) c[a] /= mass;
  }
  // sum m x b^T
  RTSIM_HD Matrix<terms> moments_about(const double* c, Index region) const {
    Matrix<terms> sum;
    for (Index s = r.first[region]; s < r.first[region + 1]; ++s) {
      const Row4& p = place[r.point[s]];
      const double x[3] = {double(p.x) - c[0], double(p.y) - c[1], double(p.z) - c[2]};
      double b[terms];
      basis(s, region, b);
      for (int a = 0; a < 3; ++a)
        for (int k = 0; k < terms; ++k) sum.m[a][k] += double(r.mass[s]) * x[a] * b[k];
    }
    return sum;
  }
  RTSIM_HD Matrix<terms> transform(const Matrix<terms>& moments, Index region) const {
    double a[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) a[i][j] = moments.m[i][j];
    const BestRotation rotation = BestRotation::of(a);
    const double size = r.size[region];
    Matrix<terms> g;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) g.m[i][j] = size * rotation.r[i][j];
    if (r.terms == 0 || r.rigid[region]) return g;
    const Matrix<terms> best = fitted(moments, region);
    const double volume = best.determinant() / (size * size * size);
    if (!(volume > 0)) return g;  // flat or mirrored: only the rotation leads back
    const double scale = terms == 3 ? 1 / std::cbrt(volume) : 1, beta = double(r.beta);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < terms; ++k)
        g.m[i][k] = beta * scale * best.m[i][k] + (1 - beta) * g.m[i][k];
    return g;
  }
  // (sum m x b^T) (sum m b b^T)^-1
  RTSIM_HD Matrix<terms> fitted(const Matrix<terms>& moments, Index region) const {
    const double* inverse = r.inverse.data + Offset(region) * terms * terms;
    Matrix<terms> f;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < terms; ++k)
        for (int l = 0; l < terms; ++l) f.m[i][k] += moments.m[i][l] * inverse[l * terms + k];
    return f;
  }
};

struct MoveToGoals {
  PointSlots at;
  Real share;
  Span<const Vec<3>> goals;
  Span<Row4> place;
  RTSIM_HD void operator()(Index i) const {
    Row4& x = place[i];
    const Index begin = at.first[i], end = at.first[i + 1];
    if (begin == end || !(x.w > 0)) return;
    const Vec<3> p{{x.x, x.y, x.z}};
    Vec<3> sum;
    for (Index k = begin; k < end; ++k) sum = sum + (goals[at.slots[k]] - p);
    const Real s = share / Real(end - begin);
    x.x += s * sum[0], x.y += s * sum[1], x.z += s * sum[2];
  }
};

}  // namespace

void match_shapes(const Exec& ex, const ShapeRegions& r, const PointSlots& at, Real share,
                  Span<Vec<3>> goals, Span<Row4> place) {
  if (r.terms > 3)
    parallel_for(ex, "pbd.match", r.size.size, MatchRegion<most_terms>{r, place, goals});
  else
    parallel_for(ex, "pbd.match", r.size.size, MatchRegion<3>{r, place, goals});
  parallel_for(ex, "pbd.move_to_goals", place.size, MoveToGoals{at, share, goals, place});
}

}  // namespace rtsim::pbd
