#pragma once
#include <string>
#include <vector>

#include "sim/build/build.h"

namespace rtsim {

// The energy of a run, and what its stages say of what may come into it, at one moment.
struct Energies {
  double stored = 0;     // [J] kinetic, elastic, internal, of joints: what has no datum
  double potential = 0;  // [J] of gravity, less what rows brought that came
  double work = 0;       // [J] that stages fed and added up, without that potential
  double mass = 0;       // [kg]
  double weight = 0;     // [N] of what has a potential energy
  Feed feed;             // sums over the stages; the greatest speed, the first that is unknown
  bool known = false;    // any stage measures an energy

  double total() const { return stored + potential; }
};
// What the series say, without feeds: `potential` with what rows brought, which `work` has too.
Energies energies_of(const World&, const std::vector<Measurement>& measured);
// With what the stages say besides.
Energies with_feeds(Simulation&, Energies);

// What the ledger says of a moment.
struct Growth {
  double gain = 0;       // [J] beyond what was fed, and may have come unseen
  double available = 0;  // [J] to be gained from
  double times = 1;      // 1 + gain / available
};

// Whether a run has more energy than it can have. With E = T + U, of what is stored and of gravity,
//
//   gain = E(t) - E(0) - W - B,    available = T(0) + F + |W| + B,
//
// W is the work that was fed, F the deepest that U has fallen since any earlier moment, |W| the
// most that was fed or taken: differences alone, so that neither the datum of U nor the unit
// matters. B bounds what may have come unseen: what stages say is hidden, and what nobody adds up.
// Walls, handles and nozzles of speed V press with the weight G of all that is there and with what
// turns it round within its own length L; forces accelerate by a at most; motors have a power P:
//
//   dB/dt = V (G + 2 T / L) + P,  and from T to (sqrt(T) + a dt sqrt(m / 2))^2;
//
// what meets a wall of speed V may leave with 2 V, m (2 V)^2 / 2. Rounding: places are known to a
// digit of the farthest coordinate R, so speeds to epsilon R / dt, and weights likewise.
//
// All of it is state, in the table `run.ledger`: a resumed run comes to the same verdict.
class Ledger {
 public:
  static constexpr double warns_at = 2, diverges_at = 100;  // times

  static void add_table(World&);
  // Closes it, so that the next entry opens it: what was there before is of other parameters.
  static void close(World&);
  // dt: a step [s].
  Ledger(World& world, double dt) : world_(world), dt_(dt) {}

  // The first call opens it.
  Growth enter(double time, const Energies&);

  // Where rows were when it was opened [m]; of no extent before.
  struct Box {
    Vec3d low, high;
  };
  Box box() const;
  // E(0) + what was fed - E(t) [J]: what friction took, or nobody added up. 0 before it is opened.
  static double lost(World&, double energy, double fed);

 private:
  World& world_;
  double dt_;
};

// The fastest point of boundaries that move; of those without end, within the box [m/s].
double greatest_wall_speed(const World&, const Ledger::Box&, double time);

// "stage 'wcsph'": the stage that has most of the energy; and "row 17 of 'water' at (0.1, 0.2) m
// with 510 m/s", the fastest there.
struct Culprit {
  std::string stage, place;
};
Culprit find_culprit(Simulation&, const std::vector<Measurement>& measured);

}  // namespace rtsim
