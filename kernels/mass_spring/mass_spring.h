#pragma once
#include "exec/exec.h"
#include "mass_spring/network.h"
#include "mass_spring/steps.h"
#include "plate_bending/plate.h"

// Launchers of mass-spring networks. Held points have no acceleration: with the velocity that
// `aim` gives them, every integrator takes them along a straight line.
namespace rtsim::mass_spring {

// v = (target - x) / dt of held points.
void aim(const Exec&, const Points&, Span<const Vec<3>> target, Real dt);
// x = target of held points: no rounding adds up.
void arrive(const Exec&, const Points&, Span<const Vec<3>> target);
// Whether points that are held move.
bool moves_held(const Exec&, const Points&);

// Rows of which neighbours are read, with zeros behind the last up to a full slice.
void pack(const Exec&, Span<const Vec<3>> from, Span<Row4> to);
void unpack(const Exec&, Span<const Row4> from, Span<Vec<3>> to);

// a_i of packed places x and velocities v.
struct Acceleration {
  Network net;
  Field field;
  Span<const Real> inverse_mass;
  Span<const Row4> x, v;
  Span<Vec<3>> a;
};
void accelerate(const Exec&, const Acceleration&);
// Adds that of bending.
void accelerate(const Exec&, const plate::SlotForces&, Span<const Real> inverse_mass,
                Span<Vec<3>> a);

// What pushes held points there, with their weight [N].
void force_on_held(const Exec&, const Acceleration&, Span<const Real> mass,
                   const plate::SlotForces&, Span<Row4> to);

// The steps of steps.h. The stage's places and velocities stand apart from the sums: neighbours
// read them.
struct Stages {
  Span<Vec<3>> x, v, sum_x, sum_v;
};
void first_stage(const Exec&, const Points&, const Stages&);
void next_stage(const Exec&, const Points&, Span<const Vec<3>> a, Real hb, Real hc, const Stages&);
void add_stages(const Exec&, const Points&, const Stages&);
void symplectic_euler(const Exec&, const Points&, Span<const Vec<3>> a, Real h);
void verlet_start(const Exec&, const Points&, Span<const Vec<3>> a, Real h);
void half_kick_and_drift(const Exec&, const Points&, Span<const Vec<3>> a, Real h,
                         Span<Vec<3>> predicted);
void half_kick(const Exec&, const Points&, Span<const Vec<3>> a, Real h);

// Gershgorin's bounds of the greatest omega^2 = k/m [1/s^2] and damping rate c/m [1/s]; springs to
// held points count once, others twice; `bending`, which may be empty, is that of rows [N/m].
struct Rates {
  double omega2 = 0, damping = 0;
};
Rates rates(const Exec&, const Network&, Real drag, Span<const Real> inverse_mass,
            Span<const Real> bending);

struct Totals {
  double kinetic = 0, elastic = 0, potential = 0;  // [J]
  double mass = 0;                                 // [kg]
  double momentum[3] = {0, 0, 0};                  // [kg m/s]
  double angular_momentum[3] = {0, 0, 0};          // about the origin [kg m^2/s]
  double strain = 0;                               // sum of l / l0 - 1 over all halves
  double greatest_strain = 0;
};
Totals totals(const Exec&, const Network&, const Points&, const Vec<3>& gravity);

// Mean of (l - l0) / l0 over the springs of each point.
void strain(const Exec&, const Network&, Span<const Vec<3>> x, Span<Real> strain);

}  // namespace rtsim::mass_spring
