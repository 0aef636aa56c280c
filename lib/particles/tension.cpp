#include "particles/tension.h"

namespace rtsim {

void describe_tension(Describe& d, bool& tension, bool shifts) {
  d("tension", tension,
    "Whether particles that have fluid or walls all round them bear pressure below zero, so that a "
    "body of fluid that turns or is stretched keeps together. Particles at a surface, and what is "
    "more than 1.2 spacings of a gap apart, pull nothing; what is torn stays torn, without limit "
    "of strength short of that. Fluid clings to walls and bodies until it is torn off them, too. "
    "Wants shifting, since particles that pull one another string out, and support 3. No surface "
    "tension. Sheets of two layers and fewer bear none. Without, fluid only pushes, as splashes "
    "do.");
  if (tension && !shifts)
    d.fault("tension",
            "particles that pull one another string out and tear without shifting; add "
            "\"shifting\": {} "
            "and \"support\": 3, or leave out \"tension\"");
}

}  // namespace rtsim
