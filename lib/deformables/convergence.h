#pragma once
#include <string>

// How near projections of compliant constraints come to what they stand for. In a substep h at
// rest, Gauss-Seidel solves (G W G^T + a) lambda = b for multipliers that start at 0, with a =
// compliance / h^2 (Macklin, Müller & Chentanez 2016, eq. 18). Of loads that are smooth over many
// constraints, neighbours balance one another: G W G^T lambda is small against its diagonal A = sum
// w |grad C|^2, and as half of the neighbours come later, a projection answers with
//   lambda = a / (a + A/2)
// of what it should, m of them with 1 - rho^m, rho = (A/2) / (a + A/2). The rest is missing in
// every substep anew: constraints are as compliant as if they had 1 / (1 - rho^m) of their
// compliance. Found of strips of cells of about like sides to a third of what is missing; of cells
// twice as long as wide, bent along their short sides, it tells up to five times too much. Of
// averaged projections (Jacobi), each with a weight of 1/k, it is k (a + A) / a.
namespace rtsim {

struct Projections {
  double h;  // of a substep [s]
  int substeps, iterations;
  double diagonal;  // A, of those that bear most [1/kg times the square of C's gradient]
  double sharing;   // k constraints share a correction; 0: one after the other
};

// Compliance that comes out over that asked for; infinite where that is 0.
double softening(const Projections&, double compliance);

// What to tell where a mesh bends more than it should by two parts in a hundred, or edges are
// longer by as much than they should be, and what would mend it; else nothing. `off` is the root of
// the mean square strain of edges now.
std::string tell_bending(const std::string& mesh, const Projections&, double stiffness);
std::string tell_stretch(const std::string& mesh, const Projections&, double compliance,
                         double off);
// And where what gravity moves a point in a substep, h^2 |g|, is less than the last digit of a
// place as far out as this [m]: rounding decides then what is at rest.
std::string tell_rounding(const std::string& mesh, const Projections&, double gravity, double far);

}  // namespace rtsim
