#include "solvers/rigid/rigid.h"

namespace rtsim {

void describe(Describe& d, RigidParams& p) {
  static constexpr const char* bodies[] = {"bodies"};
  static constexpr const char* boundaries[] = {"boundary"};
  d.role("bodies", p.bodies, bodies, "The bodies that it moves.");
  d.roles("boundary", p.boundary, boundaries, "What they touch besides each other.");
  d("substeps", p.substeps, "", between(1, 1000),
    "Parts of a step, with one solve of all contacts each. Contacts are found once a step.");
  d("friction", p.friction, "", at_least(0), "Friction to pressure of what slides.");
  d("static_friction", p.static_friction, "", at_least(0),
    "The ratio at which sliding begins. Default: friction.");
  d("restitution", p.restitution, "", between(0, 1), "Speed of separation to speed of approach.");
  d("restitution_threshold", p.restitution_threshold, "m/s", at_least(0),
    "What approaches more slowly does not bounce.");
  d("impact_passes", p.impact_passes, "", between(1, 100000),
    "Rounds of bounces in a substep, at most: a blow runs through a row of so many bodies.");
  d("rolling_resistance", p.rolling_resistance, "m", at_least(0),
    "Moment against rolling and spinning to pressure.");
  d("contact_hertz", p.contact_hertz, "Hz", above(0),
    "Frequency of the oscillator that takes back overlaps. Default: 35 Hz, or a seventh of the "
    "rate "
    "of substeps where that is less. Twice that against what does not move. Contacts whose load "
    "would press them in by more than 1.4 % of a body's thickness are stiffened, in small piles by "
    "more than 0.02 %.");
  d("contact_damping", p.contact_damping, "", at_least(0), "Its damping ratio.");
  d("push_speed", p.push_speed, "m/s", above(0), "Overlaps are taken back no faster.");
  d("margin", p.margin, "m", at_least(0),
    "Contacts are watched from this distance, and from what bodies move in a step. Default: 10 mm, "
    "or half the width of the thinnest body where that is less, but what gravity moves in a step.");
  d("sleep_after", p.sleep_after, "s", above(0),
    "Bodies that touch fall asleep, all together, once they have been still for so long; what "
    "comes near or pushes one of them wakes them. Default: they do not sleep.");
  d("sleep_speed", p.sleep_speed, "m/s", above(0),
    "Still is what moves more slowly, at the point farthest from its centre.");
  d("linear_damping", p.linear_damping, "1/s", at_least(0), "Velocities decay as exp(-c t).");
  d("angular_damping", p.angular_damping, "1/s", at_least(0), "And angular velocities.");
  if (p.static_friction && *p.static_friction < p.friction)
    d.fault("static_friction", "must not be below \"friction\"");
}

}  // namespace rtsim
