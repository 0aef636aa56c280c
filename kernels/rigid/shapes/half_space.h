#pragma once
#include "rigid/narrow_phase/round.h"

// Planes, solid below, against all that is convex. The body is the first of the pair.
namespace rtsim::rigid {

template <int D>
struct HalfSpace {
  Vec<D> point, normal;
};

template <int D>
RTSIM_HD HalfSpace<D> placed_plane(const BodyPose<D>& f, const Part<D>& p,
                                   Span<const Vec<D>> points) {
  return {placed(f, points[p.first_point]), turned(f.axes, p.axes[0])};
}

// Corners that come one by one, of which those stay that hold the area best.
template <int D>
class BestPoints;

template <>
class BestPoints<3> {
 public:
  RTSIM_HD BestPoints(const Vec<3>& origin, const Vec<3>& normal)
      : origin_(origin), normal_(normal) {
    const Vec<3> x{{1, 0, 0}}, y{{0, 1, 0}};
    u_ = cross(normal, normal[0] * normal[0] < Real(0.5) ? x : y);
    u_ = Real(1) / norm(u_) * u_;
    v_ = cross(normal, u_);
  }

  // `alike` [m]: depths that count as equal.
  RTSIM_HD void add(const Vec<3>& p, Real gap, std::uint32_t feature, Real alike) {
    const Vec<3> r = p - origin_;
    if (n_ == most) n_ = reduce_points(kept_, n_, alike);
    kept_[n_++] = {dot(r, u_), dot(r, v_), gap, feature};
  }
  // Points lie `gap` along the normal from the plane through the origin.
  RTSIM_HD void write(Real alike, ContactGeometry<3>& out) {
    n_ = reduce_points(kept_, n_, alike);
    for (int k = 0; k < n_; ++k)
      out.add(
          origin_ + kept_[k].u * u_ + kept_[k].v * v_ + Real(0.5) * kept_[k].separation * normal_,
          kept_[k].separation, kept_[k].feature);
  }

 private:
  static constexpr int most = 32;
  Vec<3> origin_, normal_, u_, v_;
  AreaPoint kept_[most];
  int n_ = 0;
};

// In the plane the two outermost.
template <>
class BestPoints<2> {
 public:
  RTSIM_HD BestPoints(const Vec<2>& origin, const Vec<2>& normal)
      : origin_(origin), normal_(normal), u_{{normal[1], -normal[0]}} {}

  RTSIM_HD void add(const Vec<2>& p, Real gap, std::uint32_t feature, Real) {
    const Real u = dot(p - origin_, u_);
    if (n_ == 0 || u < u_of_[0]) keep(0, u, gap, feature);
    if (n_ == 0 || u > u_of_[1]) keep(1, u, gap, feature);
    ++n_;
  }
  RTSIM_HD void write(Real, ContactGeometry<2>& out) {
    for (int k = 0; k < 2 && k < n_; ++k)
      out.add(origin_ + u_of_[k] * u_ + Real(0.5) * gap_[k] * normal_, gap_[k], feature_[k]);
  }

 private:
  RTSIM_HD void keep(int k, Real u, Real gap, std::uint32_t feature) {
    u_of_[k] = u, gap_[k] = gap, feature_[k] = feature;
  }
  Vec<2> origin_, normal_, u_;
  Real u_of_[2] = {}, gap_[2] = {};
  std::uint32_t feature_[2] = {};
  int n_ = 0;
};

// A part's own points, with its radius around them.
template <int D>
RTSIM_HD ContactGeometry<D> collide_plane(const BodyPose<D>& f, const Part<D>& p,
                                          Span<const Vec<D>> points, const HalfSpace<D>& s,
                                          Real reach) {
  ContactGeometry<D> out;
  out.normal = -s.normal;
  const Real above = dot(f.x - s.point, s.normal);
  if (above - p.reach > reach) return out;
  BestPoints<D> best(s.point, s.normal);
  const Real alike = Real(0.005) * p.reach;
  for (Index k = 0; k < p.points; ++k) {
    const Vec<D> x = placed(f, points[p.first_point + k]);
    const Real gap = dot(x - s.point, s.normal) - p.radius;
    if (gap <= reach) best.add(x, gap, corner_of_first(int(k)), alike);
  }
  best.write(alike, out);
  return out;
}

}  // namespace rtsim::rigid
