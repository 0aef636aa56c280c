#pragma once
#include "advection/trace.h"
#include "exec/exec.h"

// Carrying fields along a flow, unconditionally stable. Fields have a margin (mac/margin.h).
namespace rtsim::advection {

// How far traces go, and which values they see, on all lattices of a domain.
Flow make_flow(const mac::Domain&, const mac::Faces&, Trace, double dt);

// Fields of one lattice that share their traces.
constexpr int most_fields = 4;
struct Fields {
  int lattice = mac::centres;
  int count = 0;
  const Real* field[most_fields];              // to value (0, 0, 0)
  Real* carried[most_fields];                  // likewise; may not be `field`
  Real *low[most_fields], *high[most_fields];  // likewise; null: not wanted
  Real* out[most_fields];                      // rows of the lattice
};

// Semi-Lagrangian: the value where the flow comes from (Stam, "Stable Fluids", SIGGRAPH 1999).
// First order in time, and it smooths.
void semi_lagrangian(const Exec&, const mac::Domain&, const Flow&, const Fields&);

// MacCormack (Selle, Fedkiw, Kim, Liu & Rossignac, "An Unconditionally Stable MacCormack Method",
// J. Sci. Comput. 35, 2008, eq. 2-5 and the limiter of sec. 3.2):
//   p = A(f), q = A_back(p), f' = p + (f - q) / 2, kept within the corners that p is made of.
// maccormack_predict() gives p and those limits; with margins filled, maccormack_correct() gives f'
// to `out`.
void maccormack_predict(const Exec&, const mac::Domain&, const Flow&, const Fields&);
void maccormack_correct(const Exec&, const mac::Domain&, const Flow&, const Fields&);

}  // namespace rtsim::advection
