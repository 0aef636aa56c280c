#pragma once
#include "exec/exec.h"
#include "lanes/row4.h"

// Places in twice the digits of a Real: x + r, in which r is what x has rounded away of the ways
// that were added to it (compensated summation; Møller 1965, Kahan 1965). A solid's strains are
// differences of places, and steel feels the last digit of a metre.
namespace rtsim::fem {

struct CompensatedPlaces {
  Span<Vec<3>> x, r;  // [m]; others may write x

  // x + r += way. All differences are exact (Knuth, "The Art of Computer Programming", 4.2.2).
  RTSIM_HD void advance(Index i, const Vec<3>& way) const {
    const Vec<3> from = x[i], add = way + r[i], to = from + add, added = to - from;
    x[i] = to;
    r[i] = (from - (to - added)) + (add - added);
  }
};
// Copies both parts.
void copy(const Exec&, const CompensatedPlaces& from, const CompensatedPlaces& to);
bool same(const Exec&, const CompensatedPlaces&, const CompensatedPlaces&);

}  // namespace rtsim::fem
