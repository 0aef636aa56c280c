#pragma once
#include "rigid/contacts/contacts.h"
#include "rigid/material.h"

// A contact answers as if its bodies were alone, and joints give it but its share of what hangs on
// them: of a foot that lands with all its body some tenth. So contacts of bodies that joints hold
// and joints answer in turns, until little is left.
//   Where joints hold bodies within each other, pushing these apart changes nothing, and would be
// answered turn by turn without end. A contact that comes no nearer to what it is to be by so much
// that the turns would do is locked: it stops what comes nearer, and takes no more of an overlap
// back.
namespace rtsim::rigid {

constexpr int most_turns = 128;  // leave a tenth where a body bears 55 times its mass

// A turn of those contacts that would change a speed along their normal by more than `little`
// [m/s]; the others stay as they are. Returns the greatest such change, before it. `own`: of each
// block, or of none. `left`: of each lane what it had to change in its last turn of the substep;
// before the first 0, and below once it is locked.
template <int D>
Real answer_more(const Exec&, const ContactLaw&, Real little, Span<const LaneMaterials<D>> own,
                 Span<ContactBlock<D>>, Span<Real> left, Index begin, Index end, bool both,
                 Span<Row4> solver_bodies);

}  // namespace rtsim::rigid
