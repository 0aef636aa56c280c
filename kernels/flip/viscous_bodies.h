#pragma once
#include "flip/viscosity.h"
#include "poisson/body_terms.h"

// The solids in a viscous flow: what they feel, and bodies that yield to it while it is solved.
//   A face in a solid has the velocity J_f . V of that solid, V = (v, w) of its centre, and what it
// closes of faces moves k_c . V out of the cells beside it (poisson/body_terms.h). So its V is one
// more unknown, whose row of the equations is the sum of those of its faces and cells,
//   M (V - V*) + sum_f J_f (A u)_f + sum_c k_c S (bulk k outflow - c q) = 0
// (all over rho h^D), which is the momentum that the liquid loses.
namespace rtsim::flip {

struct SolidFace {
  Index solid;
  Real motion[6];  // J
};
void find_solid_faces(const Exec&, const ViscousFlow&, const mac::SolidNodes&, Span<SolidFace> out);

// By solids. Entry e of `entries` below faces.size is that face, others are terms behind them.
struct SolidRows {
  Span<const SolidFace> faces;       // of flow.in_solids
  poisson::BodyTerms terms;          // empty: there are no bodies
  Span<const Index> entries, first;  // of each solid, with the end
};

// p = J . V of the faces in solids, and moved = k . V of the cells beside bodies; `motion` is V, by
// solids.
void spread(const Exec&, const ViscousFlow&, const SolidRows&, Span<const poisson::Screw> motion,
            Span<const Index> solid_of_body, const Solution&, Span<Real> moved);
// The stress of cells beside bodies: of velocities by rows of the faces, with pressure; or of p.
void stress_of_velocity(const Exec&, const ViscousFlow&, const SolidRows&, Span<const Real> u,
                        Span<const Real> pressure);
void stress_of_change(const Exec&, const ViscousFlow&, const SolidRows&, const Solution&);
// sum J_f value_f + sign sum k_c stress_c of each solid.
void sum_rows(const Exec&, const ViscousFlow&, const SolidRows&, Span<const Real> value,
              double sign, Span<poisson::Screw> out);

// Half of a symmetric 6 x 6 matrix, by rows.
struct Block {
  double a[21] = {};

  friend RTSIM_HD Block operator+(const Block& x, const Block& y) {
    Block s;
    for (int i = 0; i < 21; ++i) s.a[i] = x.a[i] + y.a[i];
    return s;
  }
};
// What of each solid's own rows is its own, but for M: the block before which it is solved.
void own_blocks(const Exec&, const ViscousFlow&, const SolidRows&, Span<const Real> diagonal,
                Span<const EntrySlot> entries, Span<Block> out);

}  // namespace rtsim::flip
