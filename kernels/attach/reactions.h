#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"

// Launchers for the reactions of what holds points of a mesh: impulses R_i on held points i that
// keep them on their way against all that pushes them [N s]. Held points have no inverse mass.
namespace rtsim::attach {

struct HeldPoints {
  Span<const Real> mass, inverse_mass;  // [kg], [1/kg]
  Span<const Vec<3>> velocity = {};     // [m/s], where their work is asked for
};

// What acts on points besides, for a time h.
struct Loads {
  Real h;
  Vec<3> gravity;
  Span<const Vec<3>> force = {};  // [N], may be empty
};
// sum_i -= scale left_i + h (m_i gravity + force_i) of held points, where `left` pushes them.
void react(const Exec&, const HeldPoints&, Real scale, Span<const Row4> left, const Loads&,
           Span<Vec<3>> sum);
// The work of those impulses [J].
double work(const Exec&, const HeldPoints&, Real scale, Span<const Row4> left, const Loads&);
// R = sum - load, and load = 0: `load` is what other stages pushed held points with.
void conclude(const Exec&, const HeldPoints&, Span<const Vec<3>> sum, Span<Vec<3>> load,
              Span<Vec<3>> R);

// What the holder of `rows` did in a step, with velocities v from `before`:
//   impulse = sum s (R + m (v - before)),  work = sum s (R . v + m (|v|^2 - |before|^2) / 2),
// s = 1 / (holders of the point), as R acts along a straight way.
struct Held {
  double impulse[3] = {0, 0, 0};  // [N s]
  double work = 0;                // [J]
};
Held held(const Exec&, Span<const Index> rows, Span<const Vec<3>> before,
          Span<const std::uint32_t> holders, const HeldPoints&, Span<const Vec<3>> R,
          Span<const Vec<3>> velocity);

// before = v of those rows.
void remember(const Exec&, Span<const Index> rows, Span<const Vec<3>> velocity,
              Span<Vec<3>> before);

}  // namespace rtsim::attach
