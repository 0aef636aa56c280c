#pragma once
#include <string>

#include "particles/body_response.h"
#include "particles/sph_fluid.h"
#include "particles/walls/wall_pressure.h"
#include "pressure/pressure.h"

namespace rtsim {

// Tolerances of one solve.
struct PressureTolerance {
  double mean, max;  // compression relative to rest density
  int max_iterations;
  double pace = 1;  // part of `mean` to aim at
};

// How a solve finds the density that velocities lead to: from the rate of change now, or from the
// distances between the same neighbours a step later.
enum class Prediction { rate, distances };

// What a solve did.
struct PressureResult {
  int iterations = 0;
  double mean = 0, max = 0;  // compression that it predicts, relative to rest density
  bool missed = false;       // out of iterations before it was within its tolerances

  void keep_worse(const PressureResult& other);
  // What to say of a solve that missed its tolerances, or nothing.
  std::string warning(const char* solve) const;
};

// Finds pressures that keep a fluid from compressing: projected Jacobi steps with the momentum of
// Nesterov's method, started from the last step's pressures. Mean errors count pressure that should
// not be there as well, so that a good start that pushes too hard is mended, not kept.
template <int D>
class PressureSolver {
 public:
  // `bodies` move with the pressure in each iteration. With `tension` the pressure may be below
  // zero where fluid is all round.
  PressureSolver(World&, const SphFluid<D>&, const SphParams&, BodyResponse<D>& bodies,
                 double kinematic_viscosity, Prediction = Prediction::rate, bool tension = false);

  // A pressure k = p / rho^2 is a column of the fluid's table, and of those of its walls' samples.
  void add_pressure(World&, SphFluid<D>&, const char* column);

  // After the neighbours were found: the diagonal, and velocities pushed by a pressure, as long as
  // dt is not zero. Both work on the fluid's motion rows.
  void start(World&, SphFluid<D>&, const char* column, double dt);

  // Predicted motion rows: gravity, viscosity, wall contacts, and the push of the known pressure.
  void predict(World&, SphFluid<D>&, const char* column, double dt);
  Span<Row4> predicted() { return predicted_.span(); }

  // Changes the pressure and pushes `motion` until nothing is compressed after the step, by more
  // than tolerated, but for what of a compression is not to be mended yet.
  PressureResult solve(World&, SphFluid<D>&, const pressure::Mending&, const char* column,
                       Span<Row4> motion, const PressureTolerance&, double dt);

  // The square of how far the fastest row goes in a step, in eighths of what courant_dt() allows, 1
  // at the most. A flow compresses itself by some (v dt / h)^2 a step, which its pressure undoes:
  // at this pace compressions are mended, and by it errors of the solve are tolerated, so that what
  // either adds to the motion stays as small a part of that however slow the flow or short the
  // step. An error in a step that did not fall with the square would feed still water, step by
  // step.
  double pace(World&, SphFluid<D>&, double dt) const;

  // What walls get back, added to the fluid's wall forces: of a finished pressure, and of all but
  // pressure that `predict` adds.
  void push_on_walls(World&, SphFluid<D>&, const char* column);
  void predict_on_walls(World&, SphFluid<D>&, double dt);

 private:
  Span<Real> pressure(World&, SphFluid<D>&, const char* column);
  Span<Real> load(World&, SphFluid<D>&, const char* column);
  void push_bodies(World&, SphFluid<D>&, double dt);
  void find_bearing(World&, const SphFluid<D>&);
  void find_rates(World&, SphFluid<D>&, const pressure::Pairs&, double dt);

  WallPressure<D> walls_;
  BodyResponse<D>& bodies_;
  std::vector<double> viscosities_;  // of the phases, relative: see mixture.h
  Prediction prediction_;
  double omega_;
  Buffer<Row4> predicted_;
  Buffer<Real> diagonal_, rate_, last_;
  bool tension_;
  Buffer<Real> bears_;  // empty without tension
};

}  // namespace rtsim
