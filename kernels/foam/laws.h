#pragma once
#include <cmath>
#include <cstdint>

#include "base/random.h"
#include "base/vec.h"
#include "neighbours/cell_grid.h"

// Ihmsen, Akinci, Akinci & Teschner, "Unified spray, foam and air bubbles for particle-based
// fluids", The Visual Computer 28, 2012: where a liquid takes air in, and how what comes of it
// moves. Sums over liquid particles j within h weigh with W(r) = 1 - r / h, the paper's, over
// the sum of a full neighbourhood, so that limits are alike in the plane and in space.
namespace rtsim::foam {

enum class Phase : std::int32_t { spray, foam, bubble };

// What the liquid is to its sums.
struct Reach {
  Real support;      // h [m]
  Real inv_support;  // [1/m]
  Real inv_weight;   // 1 / (the sum of W in the midst of the liquid)
};

// A quantity's share of a range: 0 up to `from`, 1 from `to` on; the paper's Phi.
struct Ramp {
  Real from, inv_width;

  RTSIM_HD Real operator()(Real x) const {
    const Real share = (x - from) * inv_width;
    return share > 0 ? (share < 1 ? share : Real(1)) : Real(0);  // also for NaN
  }
};

struct Potentials {
  Ramp air;                   // of the approach of particles [m/s]
  Ramp crests;                // of the curvature of crests
  Ramp energy;                // of v^2 / 2 [m^2/s^2]
  Real air_rate, crest_rate;  // particles that one of the liquid bears at most [1/s]
};

// Twice the speed at which two particles approach, d = x_i - x_j, u = v_i - v_j. The paper's,
// |u| (1 - u.d / (|u| |d|)), is the same for particles that meet head on; but it also counts pairs
// that turn round one another, so that liquid that spins as a rigid body would foam.
RTSIM_HD inline Real approach(const Vec<3>& d, const Vec<3>& u, Real inv_r) {
  const Real closing = -dot(u, d);
  return closing > 0 ? 2 * closing * inv_r : Real(0);
}

// Normals of the surface are those of particles whose neighbours' mean offset is above a share: at
// a flat surface it is 0.25 in space and 0.32 in the plane, in the midst of a liquid without a
// lattice below 0.1.
constexpr Real least_offset = Real(0.15);

// The cosine between velocity and normal from which a surface moves outwards; the paper's.
constexpr Real least_cosine = Real(0.6);

RTSIM_HD inline bool moves_outwards(const Vec<3>& v, const Vec<3>& n) {
  return dot(n, n) > 0 && dot(v, n) > 0 && dot(v, n) >= least_cosine * norm(v);
}

// Of a neighbour of the surface below the tangent plane of i, where the surface is convex:
// 1 - n_i.n_j; the paper's kappa_ij.
RTSIM_HD inline Real convexity(const Vec<3>& d, const Vec<3>& n_i, const Vec<3>& n_j) {
  return dot(n_j, n_j) > 0 && dot(d, n_i) > 0 ? 1 - dot(n_i, n_j) : Real(0);
}

// Draws of a liquid particle in a step: `use` 0 says how many it bears, 1, 2, ... are for each.
struct Draws {
  std::uint64_t seed, step;
  std::uint32_t stage;

  RTSIM_HD Random4 operator()(std::uint32_t id, std::uint32_t use) const {
    return philox(seed, stage + use, step, id);
  }
};

// A whole number whose mean over draws is the expected one.
RTSIM_HD inline Index rounded(Real expected, std::uint32_t bits) {
  return Index(double(expected) + uniform(bits));
}

struct Birth {
  Vec<3> position, velocity;  // [m], [m/s]
  Real life;                  // over the mean one, 0.5 to 1.5
};

// Anywhere in the cylinder that a liquid particle of a radius swept in its last step; as
// in the paper, but behind the particle and not in front of it, where a wall may be. Its velocity
// goes apart from the axis by `spread` of its speed at the radius.
template <int D>
RTSIM_HD inline Birth born(const Vec<3>& x, const Vec<3>& v, Real dt, Real radius, Real spread,
                           const Random4& draw) {
  const Real speed = norm(v), u = Real(uniform(draw.c[0])), turn = Real(uniform(draw.c[1]));
  const Vec<3> axis = 1 / speed * v;
  Vec<3> across;  // over the radius
  if constexpr (D == 2) {
    across = (2 * u - 1) * Vec<3>{{-axis[1], axis[0], 0}};
  } else {
    const Vec<3> other = axis[0] * axis[0] < Real(0.5) ? Vec<3>{{1, 0, 0}} : Vec<3>{{0, 1, 0}};
    const Vec<3> c = cross(axis, other);
    const Vec<3> e1 = 1 / norm(c) * c, e2 = cross(axis, e1);
    const Real r = std::sqrt(u), angle = Real(6.28318530717958648) * turn;
    across = r * std::cos(angle) * e1 + r * std::sin(angle) * e2;
  }
  const Real behind = Real(uniform(draw.c[2])) * dt;
  return {x - behind * v + radius * across, v + spread * speed * across,
          Real(0.5 + uniform(draw.c[3]))};
}

// The liquid around a place.
struct Around {
  Index neighbours = 0;
  Vec<3> velocity;  // their weighed mean [m/s]
};

// What a number of liquid neighbours makes of a particle: in the paper 6 and
// 20 in space.
struct Classes {
  Real spray_below, bubbles_from;  // neighbours

  RTSIM_HD Phase operator()(Index neighbours) const {
    const Real n = Real(neighbours);
    if (n < spray_below || neighbours == 0) return Phase::spray;
    return n < bubbles_from ? Phase::foam : Phase::bubble;
  }
};

struct Motion {
  Vec<3> gravity;  // [m/s^2]
  Vec<3> rise;     // of bubbles in still liquid: -buoyancy g / drag [m/s]
  Real kept;       // exp(-drag dt)
  Real slowed;     // (1 - kept) / drag [s]
  Real dt;
};

// Moves a particle by a step: changes its velocity, and returns its mean one.
//   spray:   x' = v, v' = g, exactly
//   foam:    v = u, the liquid's velocity
//   bubbles: v' = -buoyancy g + drag (u - v), exactly for a u that stays: any step is stable
// The paper's drag is a share a step, and so depends on its length.
RTSIM_HD inline Vec<3> advance(const Motion& m, Phase phase, const Around& around, Vec<3>& v) {
  if (phase == Phase::foam) return v = around.velocity;
  const Vec<3> before = v;
  if (phase == Phase::spray) {
    v = before + m.dt * m.gravity;
    return before + Real(0.5) * m.dt * m.gravity;
  }
  const Vec<3> end = around.velocity + m.rise, lag = before - end;
  v = end + m.kept * lag;
  return end + (m.slowed / m.dt) * lag;
}

}  // namespace rtsim::foam
