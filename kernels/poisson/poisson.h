#pragma once
#include <cstdint>

#include "exec/exec.h"
#include "poisson/level.h"

// Launchers of the pressure solvers on grids.
namespace rtsim::poisson {

// --- weights.cu: the equation

// Where fluid can go, as lib/grids/poisson.h has it.
struct Faces {
  Index n[3] = {1, 1, 1};
  bool spans[3] = {true, true, true};
  bool periodic[3] = {false, false, false};
  const Real* open[3] = {nullptr, nullptr, nullptr};
  const std::uint8_t* air = nullptr;
  const Real* surface = nullptr;

  RTSIM_HD bool in_air(Index cell) const {
    return (air && air[cell]) || (surface && surface[cell] >= 0);
  }
  // Ghost fluid: the part in the liquid of the way from a cell there to one in the air. Short ones
  // stay short: the pressure of a cell whose centre the surface passes goes to 0 from both sides,
  // and which side round-off puts it on is no matter. A millionth keeps weights finite.
  RTSIM_HD Real way_to_air(Index liquid, Index beyond) const {
    if (!surface) return 1;
    const Real in = -surface[liquid], out = surface[beyond];
    const Real part = out > 0 ? in / (in + out) : Real(1);
    return part > Real(1e-6) ? part : Real(1e-6);
  }
};

// The weights of cells of a level that no solid cuts.
struct UniformWeights {
  Real link[3] = {0, 0, 0};    // of an open face across each axis, 0 where there is one cell
  Real dirichlet[2] = {1, 1};  // of an open face at the ends of a line
  Real last[3] = {1, 1, 1};    // share of a cell that the last one along an axis has
};
// Lines that have these weights are of one of so many kinds, and share them; the others are -1. The
// last kind has no unknown.
constexpr Index line_kinds = 65, empty_line = 64;

// A level and the next one. split[c] > 0: coarse cell c has no unknown, since a wall parts it.
struct Coarsening {
  Level finer, coarse;
  const std::uint8_t* split;
};
void find_split_cells(const Exec&, const Level& finer, const Level& coarse,
                      Span<std::uint8_t> split);

// The kind of each line of the finest level, or of one that is coarser than another.
void kinds_of_lines(const Exec&, const Faces&, const UniformWeights&, Span<std::int8_t> kinds);
void kinds_of_lines(const Exec&, const Coarsening&, const UniformWeights&, Span<std::int8_t> kinds);

// The weights of the level coarser than one with these.
UniformWeights coarser(const UniformWeights&, const Level& finer, const Level& coarse);

// The rows of the weights of the lines named, each at its offset in `level`. `damping`: of the
// smoother that is to use them, 1 for none.
void fill_rows(const Exec&, const Faces&, const Level&, Real damping, Span<const Index> lines,
               Span<Real> rows);
void fill_rows(const Exec&, const Coarsening&, const UniformWeights&, Real damping,
               Span<const Index> lines, Span<Real> rows);

// What loops on the CPU need to know of those lines, in their order.
void find_extents(const Exec&, const Level&, Span<const Index> lines, Span<Extent> extents);

// --- smoother.cu: the multigrid's smoother, damped Jacobi; coarsest.cu: its coarsest level

// x = damping b / diagonal: a sweep of damped Jacobi from x = 0.
void smooth_from_zero(const Exec&, const Level&, Real damping, Span<const Real> b, Span<Real> x);
// The same, and the sum of b x.
double smooth_from_zero_and_dot(const Exec&, const Level&, Real damping, Span<const Real> b,
                                Span<Real> x);
// y = x + damping (b - A x) / diagonal
void smooth(const Exec&, const Level&, Real damping, Span<const Real> b, Span<const Real> x,
            Span<Real> y);
// The same, and the sum of b y.
double smooth_and_dot(const Exec&, const Level&, Real damping, Span<const Real> b,
                      Span<const Real> x, Span<Real> y);

// x = matrix b, for the few cells of the coarsest level.
void multiply(const Exec&, Index n, Span<const Real> matrix, Span<const Real> b, Span<Real> x);

// --- restrict.cu, prolongate.cu: restriction and prolongation, between levels

// Prolongation is linear interpolation (3/4 and 1/4), and restriction is its transpose; a neighbour
// behind a closed face is replaced by the cell itself.
// out = the residual b - A x of the finer level, restricted along x
void restrict_residual(const Exec&, const Level& finer, const Level& coarse, Span<const Real> b,
                       Span<const Real> x, Span<Real> out);
// b = that residual, restricted along y and z too, and x = smooth_from_zero(b) of the coarse level
void restrict_across(const Exec&, const Level& finer, const Level& coarse, Span<const Real> in,
                     Real damping, Span<Real> b, Span<Real> x);
// x += p, interpolated
void prolongate(const Exec&, const Level& finer, const Level& coarse, Span<const Real> p,
                Span<Real> x);

// --- conjugate_gradients.cu

// b = -h2 right_hand_side, and x = pressure; both 0 where there is no unknown.
void load(const Exec&, const Level&, double h2, Span<const Real> right_hand_side,
          Span<const Real> pressure, Span<Real> b, Span<double> x);
// max |a|
double max_norm(const Exec&, const Level&, Span<const Real>);
// r = b - A x in double; returns max |r|.
double residual(const Exec&, const Level&, Span<const Real> b, Span<const double> x, Span<Real> r);
// p = z + beta p
void update_direction(const Exec&, const Level&, Real beta, Span<const Real> z, Span<Real> p);
// The sum of p A p.
double p_dot_Ap(const Exec&, const Level&, Span<const Real> p);
// x += alpha p, r -= alpha A p; returns max |r|.
double advance(const Exec&, const Level&, Real alpha, Span<const Real> p, Span<double> x,
               Span<Real> r);
// The same, and smoothed = damping r / diagonal.
double advance_and_smooth(const Exec&, const Level&, Real alpha, Span<const Real> p, Span<double> x,
                          Span<Real> r, Real damping, Span<Real> smoothed);
// x = 0 where there is no unknown (iterations leave any value in those cells), and pressure = x.
void store(const Exec&, const Level&, Span<double> x, Span<Real> pressure);

// velocity_f -= factor (p_upper - p_lower) on open faces across an axis
void subtract_gradient(const Exec&, const Faces&, int axis, double factor, Span<const double> p,
                       Span<Real> velocity);

// --- regions.cu: closed regions

// Cells of a line, all in one region.
struct Run {
  Index first, end;  // rows of the cells
  Index region;
};
// sums[r] = of the numbers of run r; numbers of run r less means[its region]
template <class T>
void sum_runs(const Exec&, Span<const Run>, Span<const T>, Span<double> sums);
template <class T>
void subtract_means(const Exec&, Span<const Run>, Span<const double> means, Span<T>);

// --- jacobi_gauss_seidel.cu: methods to compare with

// y = x + damping (b - A x) / diagonal; returns max |b - A x|.
double jacobi(const Exec&, const Level&, double damping, Span<const Real> b, Span<const double> x,
              Span<double> y);
// x = that with the residual of the cells of a colour 0. Cells of a colour are no neighbours: even
// and odd, and the last layers across periodic axes with an odd number of cells for themselves.
int colours(const Level&);
void gauss_seidel(const Exec&, const Level&, int colour, Span<const Real> b, Span<double> x);

}  // namespace rtsim::poisson
