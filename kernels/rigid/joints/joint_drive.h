#pragma once
#include "rigid/joints/joint.h"

// What acts in a driven row: nothing, a spring by implicit Euler, a motor as far as its strength
// goes, or a limit. Which it is follows from trying: a block form of Murty's principal pivoting
// ("Note on a Bard-type scheme for solving the complementarity problem", Opsearch 11, 1974).
namespace rtsim::rigid {

// The compliance of stiff rows, as a share of the inverse of their effective mass, so that
// redundant rows have a solution: of a chain of 1000 links with 1e4 times a link's mass below it
// far less than rounding in floats.
constexpr double stiff_compliance = 1e-8;

// J (share v + dv) + offset + compliance dp = 0; where it is not solved the impulse is to become
// `fixed`. None of what geometric stiffness adds to an impulse is kept.
struct ActingRow {
  bool solved;
  double offset, compliance, fixed;
  double share = 1;
};

struct DriveCase {
  double value, compliance, impulse, h;
  bool relax;
  double second_order;  // of what the value becomes
};

RTSIM_HD inline ActingRow hold(const DriveCase& c, double error) {
  const double offset = c.relax ? 0 : error / c.h + c.second_order + c.compliance * c.impulse;
  return {true, offset, c.compliance, 0};
}

RTSIM_HD inline bool has_effect(const Drive& d) {
  return d.kind != DriveKind::none || d.low > -1e299 || d.high < 1e299;
}

// Of a spring [J].
RTSIM_HD inline double energy_of(const Drive& d, double value) {
  return 0.5 * d.stiffness * (value - d.rest) * (value - d.rest);
}

// v' + c p + c h k (x - rest) = 0 with the compliance c = 1 / (h (d + h k)).
RTSIM_HD inline ActingRow pull(const Drive& d, const DriveCase& c) {
  const double compliance = 1 / (c.h * (d.damping + c.h * d.stiffness));
  return {true, compliance * (c.impulse + c.h * d.stiffness * (c.value - d.rest)), compliance, 0};
}

RTSIM_HD inline ActingRow acting_row(const Drive& d, std::int32_t state, const DriveCase& c) {
  if (state == lowest) return hold(c, c.value - d.low);
  if (state == highest) return hold(c, c.value - d.high);
  if (c.relax) return {false, 0, 0, c.impulse};
  if (state != acting) return {false, 0, 0, (state == strong ? c.h : -c.h) * d.strength};
  if (d.kind == DriveKind::none) return {false, 0, 0, 0};
  if (d.kind == DriveKind::spring)
    return d.damping + c.h * d.stiffness > 0 ? pull(d, c) : ActingRow{false, 0, 0, 0};
  return {true, -d.speed, c.compliance, 0};
}

// What a drive gives where a limit stops it: the limit presses with what is beyond that. A motor
// that brakes may also hold towards the limit.
RTSIM_HD inline double drive_at_limit(const Drive& d, double limit, double side, double h) {
  if (d.kind == DriveKind::spring) return -h * d.stiffness * (limit - d.rest);
  if (d.kind == DriveKind::motor) return (side * d.speed < 0 ? -side : side) * h * d.strength;
  return 0;
}

// The next state to try, from the impulse and the velocity that the last one led to.
RTSIM_HD inline std::int32_t next_state(const Drive& d, std::int32_t state, const DriveCase& c,
                                        double impulse, double speed, bool may_release) {
  const double next = c.value + c.h * (speed + c.second_order);
  if (state == lowest || state == highest) {
    const double side = state == lowest ? -1 : 1;  // the limit presses against it
    const double drive = drive_at_limit(d, state == lowest ? d.low : d.high, side, c.h);
    return may_release && side * (impulse - drive) > 0 ? std::int32_t(acting) : state;
  }
  if (next < d.low) return lowest;
  if (next > d.high) return highest;
  if (d.kind != DriveKind::motor) return acting;
  if (state == acting) {
    if (impulse > c.h * d.strength) return strong;
    return impulse < -c.h * d.strength ? std::int32_t(weak) : state;
  }
  const bool past_speed = state == strong ? speed > d.speed : speed < d.speed;
  return may_release && past_speed ? std::int32_t(acting) : state;
}

}  // namespace rtsim::rigid
