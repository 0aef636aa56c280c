#pragma once
#include "exec/buffer.h"
#include "mac/mac.h"
#include "mac/margin.h"

// Implicit diffusion on one lattice: x' - x = c L (theta x' + (1 - theta) x), c = dt nu / h^2, with
// L x the sum over the neighbours of (neighbour - x), with walls at their distance; where solids
// leave the share V of a cell, or of the like about a face, V (x' - x). theta = 1: backward Euler,
// first order and without limits; 1/2: Crank-Nicolson, second order, rings where c is large.
namespace rtsim::diffusion {

struct Law {
  double c = 0, theta = 1;
  double tolerance = 1e-5;  // of the residual, relative to the change that diffusion makes
  int max_iterations = 500;
};

struct Scratch {
  explicit Scratch(const Exec& ex) : padded(ex), residual(ex), direction(ex), image(ex) {}
  Buffer<Real> padded, residual, direction, image;
};

// Conjugate gradients; both return the iterations. A component of the velocity sticks to walls and
// to faces that are closed; a scalar does not pass faces, as far as they are closed, but those of
// walls that hold it.
int velocity(const Exec&, const mac::Domain&, const mac::Walls&, const Law&, int axis, Scratch&,
             Span<Real> u);
// `volume`: V of each cell; empty: 1.
int scalar(const Exec&, const mac::Domain&, const mac::Walls&, Span<const Real> volume,
           const mac::ScalarConditions&, const Law&, Scratch&, Span<Real> x);
// A component of a velocity in the middles of cells, without solids.
int centred(const Exec&, const mac::Domain&, const Law&, int component, Scratch&, Span<Real> u);

// The sum of (value - x) / (1/2) over the cells along a wall: what comes in through it, in parts of
// nu h^(D - 2).
double through_wall(const Exec&, const mac::Domain&, const mac::Walls&,
                    const mac::ScalarConditions&, int axis, int end, Span<const Real> x);

}  // namespace rtsim::diffusion
