#pragma once
#include <limits>

#include "exec/exec.h"
#include "poisson/level.h"

// Bodies that yield to the pressure while it is looked for. Body b with the velocity V = (v, w) of
// its centre sends the flow k_c . V / h into each cell c beside it, out counted positive, where
//   k_c = sum over the faces f of c that it closes, by 1 - open_f of each:  +-(e_a, r_f x e_a).
// Pressure pushes it with h^(D-1) sum_c p_c k_c, which over a step changes V; so the equation of
// level.h gets the term L p of rank 6 a body,
//   L = rho h^D sum_b k_b W_b k_b^T,  W_b the inverse of its mass and inertia
// (Batty, Bertails & Bridson, "A fast variational framework for accurate solid-fluid coupling",
// SIGGRAPH 2007, sec. 5). The points of a mesh that closes faces are bodies of their own, which do
// not turn (lib/grids/flow_meshes.h).
namespace rtsim::poisson {

// A force and its torque about a centre, or a velocity and a turning, in double.
struct Screw {
  double v[6] = {0, 0, 0, 0, 0, 0};

  friend RTSIM_HD Screw operator+(const Screw& a, const Screw& b) {
    Screw s;
    for (int i = 0; i < 6; ++i) s.v[i] = a.v[i] + b.v[i];
    return s;
  }
};

// k of one cell and one body.
struct BodyTerm {
  Index cell, body;
  Real flow[6];
};

// W of a body: the inverse mass along each axis, and the inverse inertia about its centre, xx, yy,
// zz, xy, xz, yz.
struct InverseMassMatrix {
  double mass[3] = {0, 0, 0}, inertia[6] = {0, 0, 0, 0, 0, 0};

  RTSIM_HD Screw operator()(const Screw& f) const {
    const double *i = inertia, *t = f.v + 3;
    return {{mass[0] * f.v[0], mass[1] * f.v[1], mass[2] * f.v[2],
             i[0] * t[0] + i[3] * t[1] + i[4] * t[2], i[3] * t[0] + i[1] * t[1] + i[5] * t[2],
             i[4] * t[0] + i[5] * t[1] + i[2] * t[2]}};
  }
  bool yields() const { return mass[0] > 0 || mass[1] > 0 || mass[2] > 0; }
};

// All terms, by cells, and where they are by bodies.
struct BodyTerms {
  Span<const BodyTerm> terms;       // by cells
  Span<const Index> first_of_cell;  // where those of one cell begin, with the end behind them
  Span<const Index> of_body;        // their places by bodies, and in those by cells
  Span<const Index> first_of_body;  // in of_body, with the end
  Span<const InverseMassMatrix> mobility;  // times rho h^D

  Span<const Screw> left_out;  // what pushes bodies besides, as sum_c p_c k_c; empty: nothing
  // The number from which on bodies are pushed by a constant of the pressure, too: points of a
  // surface with fluid on one side alone. Where such a one yields the constant is known.
  Index first_one_sided = std::numeric_limits<Index>::max();

  bool empty() const { return terms.size == 0; }
};

// What products with the terms take, in the order that they read it in: the terms by bodies, and
// the cell of each group of terms. -1: of a cell without an unknown, where the terms count nothing.
void find_unknown(const Exec&, const Level&, const BodyTerms&, Span<BodyTerm> of_bodies,
                  Span<Index> cells);
// out_b = sum_c p_c k_c
template <class T>
void gather(const Exec&, const BodyTerms&, Span<const BodyTerm> of_bodies, Span<T> p,
            Span<Screw> out);
// r_c += sum of value_b over the bodies beside cell c
void add_of_bodies(const Exec&, const BodyTerms&, Span<const double> value, Span<Real> r);
// response_b = W push_b; dot_response() also returns the sum of push_b . response_b.
void respond(const Exec&, const BodyTerms&, Span<const Screw> push, Span<Screw> response);
double dot_response(const Exec&, const BodyTerms&, Span<const Screw> push, Span<Screw> response);
// r_c -= factor sum_b k_c . response_b
void subtract_response(const Exec&, const BodyTerms&, Span<const Index> cells, double factor,
                       Span<const Screw> response, Span<Real> r);

}  // namespace rtsim::poisson
