#pragma once
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "grids/closed_regions.h"
#include "grids/multigrid.h"
#include "param/describe.h"
#include "poisson/body_terms.h"
#include "world/grid.h"

namespace rtsim {

enum class PoissonMethod { multigrid_cg, cg, jacobi, red_black_gauss_seidel };

struct PoissonParams {
  PoissonMethod method = PoissonMethod::multigrid_cg;
  double tolerance = 1e-4;  // of max |right-hand side - left-hand side| / max |right-hand side|
  int max_iterations = 2000;
};
void describe(Describe&, PoissonParams&);

struct PoissonResult {
  int iterations = 0;
  double residual =
      0;  // max |right-hand side - left-hand side| / max |right-hand side|, from the pressure
  double scale = 0;         // max |right-hand side|
  double removed_mean = 0;  // the largest mean taken from the right-hand side of a closed region

  // What to say of a solve that ran out of iterations, or nothing.
  std::string warning(const PoissonParams&) const;
};

// Where fluid can go. Spans may change from one prepare() to the next.
struct PoissonDomain {
  // The fraction of each face that fluid can pass, in rows of GridShape::faces(axis); axes without
  // an extent are not read. 0 closes a face: no flow, the pressure's slope is 0. Open faces on the
  // border of the grid lead outside, where the pressure is 0 in the centre of the cell beyond.
  Span<const Real> open[3];
  // The first and the last layer of faces are one; the first is read.
  bool periodic[3] = {false, false, false};
  // Cells where the pressure is 0, as in the air over water; empty: none.
  Span<const std::uint8_t> air;
  // The signed distance of a liquid's surface at the centres of cells, < 0 in the liquid, in any
  // unit; empty: no surface. Cells from 0 on are air, and the pressure is 0 where the distance,
  // linear between two centres, is 0 (Gibou, Fedkiw, Cheng & Kang, "A Second-Order-Accurate
  // Symmetric Discretization of the Poisson Equation on Irregular Domains", J. Comput. Phys. 176,
  // 2002).
  Span<const Real> surface;
  // Bodies that yield while the pressure is looked for; by conjugate gradients alone.
  poisson::BodyTerms bodies;
};

// Whether bodies can yield while the pressure is looked for.
inline bool yields(const PoissonParams& p) {
  return p.method == PoissonMethod::multigrid_cg || p.method == PoissonMethod::cg;
}

// The pressure p in the cells of a grid that solves
//   sum over the faces f of a cell  open_f (p_neighbour - p) / h^2 = right-hand side.
// Cells with all faces closed are solid: 0, as in air. Regions that no open face joins to p = 0 are
// closed: the mean is taken from their right-hand side, so that there is a solution, and from their
// p, so that there is one.
class Poisson {
 public:
  Poisson(const Exec&, const GridShape&, const PoissonParams&);

  // Memory for each cell [B], without the 32 of cells on lines that meet solids or air.
  static double row_bytes(const PoissonParams&);

  // Before the first solve, and anew when solids or the air moved.
  void prepare(const PoissonDomain&);

  // `pressure`: what to start from (the last step's, or 0), then the solution. Inside, the pressure
  // is double: as Real its own rounding would be a residual of 1e-4 at 128^3. `scale`: what the
  // tolerance is of, where that is more than this right-hand side; for corrections.
  PoissonResult solve(Span<const Real> right_hand_side, Span<Real> pressure, double scale = 0);

  // Bodies do not yield any more, until the next prepare().
  void hold_bodies();

  // As if the last solve had found this pressure.
  void hold(Span<const Real> pressure);

  // sum_c p_c k_c of each body with the pressure of the last solve (poisson/body_terms.h).
  std::vector<poisson::Screw> pushes();

  // velocity_f -= factor (p_upper - p_lower) / h on open faces, with the pressure of the last solve
  // in double, and with the part of h that lies in the liquid where the surface crosses it; axes
  // without an extent are left out. Of the domain of the last prepare(), whose spans must still be
  // there.
  void subtract_gradient(double factor, Span<Real> x, Span<Real> y, Span<Real> z) const;

 private:
  struct Cg;
  void find_body_terms();
  void respond(double factor, Span<const poisson::Screw> push, Span<Real> r);
  void conjugate_gradients(double enough, PoissonResult&);
  double residual();
  double p_dot_Ap();
  void jacobi(double enough, PoissonResult&);
  void gauss_seidel(double enough, PoissonResult&);
  double precondition();
  double advance(Real alpha);

  Exec ex_;
  GridShape shape_;
  PoissonParams params_;
  poisson::Faces faces_;
  Multigrid multigrid_;
  ClosedRegions closed_;
  poisson::BodyTerms bodies_;
  Buffer<poisson::Screw> push_, response_;  // of the last p or x on each body, and W times that
  Buffer<poisson::BodyTerm> of_bodies_;     // poisson::find_unknown(), as the next
  Buffer<Index> cells_of_bodies_;
  CellValues<double> x_, next_x_;
  CellValues<Real> b_, r_, z_, p_;
};

}  // namespace rtsim
