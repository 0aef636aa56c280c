#pragma once
#include "exec/exec.h"
#include "mass_spring/ahead.h"
#include "plate_bending/law.h"

// Launchers of bending by the patches around triangles.
namespace rtsim::plate {

using mass_spring::Ahead;

// Slots of patch p, its points one after the other, are first[p] to first[p + 1] - 1; the first
// three are the corners of its triangle. Those of point i are slots[first_slot[i]] to
// slots[first_slot[i + 1] - 1].
struct Patches {
  Span<const Index> first, points;
  Span<const Vec<3>> weights;   // k_ji of each slot [1/m]
  Span<const Mat3<Real>> rest;  // c_j of each patch; none where all is flat at rest
  Span<const Index> first_slot, slots;

  RTSIM_HD Index size() const { return first.size > 0 ? first.size - 1 : 0; }
};

struct Stiffness {
  Real bending;  // B [N m]
  Real lag;      // tau / h of damping, which adds B tau / (2 h) sum_j |C_j - R c0_j|^2 to E
};

// Curvatures in the frames of their triangles: c0_j, as they are.
void curvatures(const Exec&, const Patches&, Span<const Vec<3>> position, Span<Mat3<Real>> to);

struct Energies {
  double bending = 0, damping = 0;  // [J]
};
// Forces on the points of each slot; `start` may be empty where nothing lags.
Energies forces(const Exec&, const Patches&, const Stiffness&, Span<const Mat3<Real>> start,
                const Ahead&, Span<Vec<3>> to);

double energy(const Exec&, const Patches&, Real bending, Span<const Vec<3>> position);

// The forces of the slots of each point, for kernels that gather; may be empty.
struct SlotForces {
  Span<const Index> first_slot, slots;
  Span<const Vec<3>> force;  // [N]

  RTSIM_HD Vec<3> on(Index i) const {
    Vec<3> sum{};
    if (force.size == 0) return sum;
    for (Index e = first_slot[i]; e < first_slot[i + 1]; ++e) sum = sum + force[slots[e]];
    return sum;
  }
};

}  // namespace rtsim::plate
