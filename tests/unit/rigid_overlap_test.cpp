#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "rigid_bodies.h"
#include "shapes/rotation.h"

using namespace rtsim;

namespace {

Rotation rotation_of(const std::array<double, 4>& q) {
  return rotation_about({{q[0], q[1], q[2]}}, 2 * std::atan2(std::hypot(q[0], q[1], q[2]), q[3]));
}

// How far a part reaches along d.
double reach_of(const ConvexPart& p, const Rotation& r, const Vec3d& d) {
  const Vec3d own = r.apply_inverse(d);
  double most = -1e30;
  for (const Vec3d& x : p.points) most = std::max(most, dot(x, own));
  if (p.kind == ConvexPart::Kind::cylinder) return most + p.radius * std::hypot(own[0], own[2]);
  return most + p.radius;
}

struct Pair {
  ConvexPart a, b;
  std::array<double, 4> qa, qb;
  Vec3d x;  // of b
  Rotation ra = rotation_of(qa), rb = rotation_of(qb);

  double gap(const Vec3d& n) const { return dot(x, n) - reach_of(a, ra, n) - reach_of(b, rb, -n); }
};

std::array<double, 4> any_turn(std::mt19937& g, int dim) {
  std::normal_distribution<double> u;
  std::array<double, 4> q{u(g), u(g), u(g), u(g)};
  if (dim == 2) q[0] = q[1] = 0;
  double s = 0;
  for (double c : q) s += c * c;
  for (double& c : q) c /= std::sqrt(s);
  return q;
}

// The largest gap over all directions: the distance, or minus the depth. Sampled, then refined.
double largest_gap(const Pair& p, int dim, std::mt19937& g) {
  std::normal_distribution<double> u;
  const auto any = [&] {
    Vec3d n{{u(g), u(g), dim == 2 ? 0 : u(g)}};
    return (1 / norm(n)) * n;
  };
  Vec3d best = any();
  double most = p.gap(best);
  for (int k = 0; k < 1000; ++k) {
    const Vec3d n = any();
    if (p.gap(n) > most) most = p.gap(n), best = n;
  }
  for (double step = 0.1; step > 1e-5;) {
    Vec3d n = best + step * any();
    n = (1 / norm(n)) * n;
    if (p.gap(n) > most)
      most = p.gap(n), best = n;
    else
      step *= 0.96;
  }
  return most;
}

ConvexPart any_part(int kind, int dim) {
  if (dim == 2) {
    if (kind == 0) return sphere_part(0.5);
    if (kind == 1) return capsule_part(0.3, 0.3);
    if (kind == 2) return cylinder_part(0.3, 0.5);
    return polygon_part(kind, 0.6);
  }
  switch (kind) {
    case 0:
      return sphere_part(0.5);
    case 1:
      return capsule_part(0.4, 0.3);
    case 2:
      return cylinder_part(0.4, 0.5);
    case 3:
      return box_part({{0.3, 0.4, 0.5}});
    case 4:
      return hull_part({{0.5, 0.3, 0.4}});
    default:
      return octahedron_part(0.6);
  }
}

template <int D>
struct Answer {
  bool found;
  double least;
  Vec3d normal;
};

template <int D>
Answer<D> answer(const Pair& p, double margin) {
  Touched t(D);
  t.add(t.add_shape({p.a}), {{0, 0, 0}}, p.qa);
  t.add(t.add_shape({p.b}), p.x, p.qb);
  const auto m = t.find<D>(margin);
  if (m.empty()) return {false, 0, {}};
  double least = 1e30;
  for (int k = 0; k < m[0].points; ++k) least = std::min(least, double(m[0].separation(k)));
  return {true, least, widen(m[0].normal)};
}

template <int D>
void compare(int kinds) {
  std::mt19937 g(7);
  std::uniform_real_distribution<double> u(-1, 1);
  constexpr double margin = 0.1, slack = 0.01 * 0.5 + 2e-3;
  int met = 0;
  for (int ka = 0; ka < kinds; ++ka)
    for (int kb = 0; kb < kinds; ++kb)
      for (int k = 0; k < 12; ++k) {
        Pair p{any_part(ka, D),
               any_part(kb, D),
               any_turn(g, D),
               any_turn(g, D),
               {{u(g), u(g), D == 2 ? 0 : u(g)}}};
        const double most = largest_gap(p, D, g);
        const Answer<D> r = answer<D>(p, margin);
        INFO("kinds " << ka << ' ' << kb << " case " << k << " gap " << most);
        if (std::abs(most - margin) < 0.02) continue;
        // The deepest place may be clipped away: by the eight corners that stand for a cap's rim,
        // and where a corner lies beyond the face that it is measured from.
        const double rim = D == 3 && (ka == 2 || kb == 2) ? 0.5 * (1 - std::cos(pi / 8)) : 8e-3;
        // Faces of sharp parts may understate a distance between corners.
        if (most > margin && r.found) CHECK(r.least > 0);
        if (most < margin) {
          REQUIRE(r.found);
          ++met;
          INFO("found " << r.least << " along its normal " << p.gap(r.normal));
          // Where parts overlap, another direction may be as good as the best is to a fifth of
          // the depth.
          CHECK(p.gap(r.normal) > most - slack - 0.2 * std::max(-most, 0.0));
          CHECK(r.least == Approx(p.gap(r.normal)).margin(rim));
        }
      }
  CHECK(met > 4 * kinds * kinds);
}

}  // namespace

TEST_CASE("rigid_overlap: bodies in space overlap least along the normal, whatever they are") {
  compare<3>(6);
}

TEST_CASE("rigid_overlap: bodies in the plane overlap least along the normal") { compare<2>(7); }
