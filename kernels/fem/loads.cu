#include "exec/parallel.h"
#include "fem/element_rows.h"

// Plastic flow, and pressure on faces.
namespace rtsim::fem {

namespace {

template <class Nodes>
struct FlowOf {
  Elements all;
  Places at;
  Flow k;

  RTSIM_HD Mat3<Real> flowed(const Lame<Real>& lame, const Mat3<Real>& F,
                             const Mat3<Real>& plastic) const {
    const Svd<Real> f = svd(F);
    Mat3<Real> d = Plastic::strain(f, plastic);
    d = shifted(d, -trace(d) / 3);
    const Real E = lame.mu * (3 * lame.lambda + 2 * lame.mu) / (lame.lambda + lame.mu);
    const Real size = root(contraction(d, d)), yield = k.yield * E / (root(Real(6)) * lame.mu);
    if (!(size > yield)) return plastic;
    const Real part = k.share * (size - yield) / size;
    const Mat3<Real> p = plastic + part * product_transposed(product(f.v, d), f.v);
    const Real beyond = root(contraction(p, p) * Real(2. / 3)) / k.most;
    return beyond > 1 ? (1 / beyond) * p : p;
  }
  RTSIM_HD double operator()(Index e) const {
    const ElementHere<Real> here = element_here<Plastic, Nodes>(all, at, e);
    const Index points = Nodes::points(all.flat);
    double most = 0;
    for (int q = 0; q < points; ++q) {
      const Mat3<Real> p = flowed(here.lame, deformation_at<Nodes>(here, q), here.plastic[q]);
      k.plastic[e * points + q] = strain_of(p);
      const double size = std::sqrt(double(contraction(p, p)) * 2 / 3);
      most = size > most ? size : most;
    }
    return most;
  }
};
struct Greater {
  RTSIM_HD double operator()(double a, double b) const { return a > b ? a : b; }
};

// Of a triangle p A n / 3 on each corner, of an edge of a rim p L n / 2, a metre deep. For a closed
// surface that is the slope of p times its volume.
struct Press {
  Faces faces;
  Points p;
  Span<Vec<3>> to;
  RTSIM_HD Vec<3> force(Index slot) const {
    const auto& c = faces.corners[slot / 3];
    const Real by = faces.pressure[slot / 3];
    const Vec<3> ab = p.position[c[1]] - p.position[c[0]];
    if (c[2] < 0) return (by / 2) * Vec<3>{{-ab[1], ab[0], 0}};
    return (-by / 6) * cross(ab, p.position[c[2]] - p.position[c[0]]);
  }
  RTSIM_HD void operator()(Index i) const {
    Vec<3> f{};
    for (Index k = faces.first[i]; k < faces.first[i + 1]; ++k) f = f + force(faces.slots[k]);
    to[i] = f;
  }
};

struct Work {
  Span<const Vec<3>> force, before;
  Points p;
  RTSIM_HD double operator()(Index i) const {
    return dot(widen(force[i]), widen(p.position[i]) - widen(before[i]));
  }
};

}  // namespace

double flow(const Exec& ex, const Elements& all, const Places& at, const Flow& k) {
  if (all.middles.size > 0)
    return reduce(ex, "fem.flow", all.count, 0.0, FlowOf<TenNodes>{all, at, k}, Greater{});
  return reduce(ex, "fem.flow", all.count, 0.0, FlowOf<FourNodes>{all, at, k}, Greater{});
}

void press(const Exec& ex, const Faces& faces, const Points& p, Span<Vec<3>> force) {
  parallel_for(ex, "fem.press", p.mass.size, Press{faces, p, force});
}

double work(const Exec& ex, Span<const Vec<3>> force, Span<const Vec<3>> before, const Points& p) {
  return reduce(ex, "fem.work", p.mass.size, 0.0, Work{force, before, p}, Plus{});
}

}  // namespace rtsim::fem
