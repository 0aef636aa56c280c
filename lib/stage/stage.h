#pragma once
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "world/world.h"

namespace rtsim {

struct Step {
  long index;           // 0, 1, 2, ...
  double time;          // [s] at its start: index * dt, never a running sum
  double dt;            // [s]
  bool framed = false;  // a frame is taken at its end

  double end() const { return double(index + 1) * dt; }  // [s]; time + dt may round otherwise
};

// One number of the series, measured at the end of a step. Names are `<object>.<quantity>`; the run
// puts the stage's name in front.
struct Measurement {
  std::string name;
  double value;
  std::string unit;
};

// What may come into the energy of what a stage moves besides what its series show: for the run's
// ledger (records/ledger.h). What a stage knows it fed is in its series, as `<object>.fed_energy`.
struct Feed {
  double potential = 0;     // [J] of fed_energy: of gravity, that came with rows, less what left
  double hidden = 0;        // [J] that may come free of what no series counts, at most
  double power = 0;         // [W] of motors, at most
  double acceleration = 0;  // [m/s^2] by forces whose work nobody adds up, at most
  double speed = 0;         // [m/s] of handles, nozzles and sides that push what is there
  double mass = 0;          // [kg] that all this acts on, where no series has it as `mass`
  std::string unknown;      // why nothing bounds what comes in; the ledger then only counts
};

// A state stopped being finite. The stage knows the row and what step would have been stable; the
// run adds the step, the time, and the last good frame.
class Diverged : public Error {
 public:
  explicit Diverged(const std::string& message) : Error(ExitCode::diverged, message) {}
};

enum class Access { read, write, add };

// A column that a stage uses. Build refuses two stages that write one column; any number may add to
// it, before or behind the one that writes.
struct ColumnUse {
  std::string table;
  std::string column;
  Access access;
};

// One link of the pipeline: a solver, a coupler, a source or a force. It holds its parameters and
// scratch that it can rebuild; all state is in the world. Sources add rows to a table and take rows
// out, so the others must not keep what they know of rows beyond a change of Table::revision().
class Stage {
 public:
  virtual ~Stage() = default;

  virtual void advance(World&, const Step&) = 0;

  // The largest stable step for the present state [s]. Warns only: dt is the scene's.
  virtual double stable_dt(World&) const { return std::numeric_limits<double>::infinity(); }

  // What the user should know of the present state, or nothing. The run says a stage's first one
  // once.
  virtual std::string warning(World&) const { return {}; }

  virtual void measure(World&, std::vector<Measurement>&) const {}

  // Besides those series; asked for where they are measured.
  virtual Feed feed(World&) const { return {}; }

  // An output shows this table. What frames alone show of one that none does need not be computed.
  virtual void show(std::string_view table) { (void)table; }

  // Computes the derived columns that only frames show, where every step would be too often.
  virtual void before_frame(World&) {}

  // Recomputes the derived columns from the state at a time [s]: before the first step, and after a
  // checkpoint is read.
  virtual void refresh(World&, double time) { (void)time; }

  // Rows came or went since it advanced. It is then refreshed at the end of the step, so that what
  // others do to velocities before its next one acts on the same as where a run goes on from here.
  virtual bool stale(World&) const { return false; }

  virtual std::vector<ColumnUse> uses() const { return {}; }
};

}  // namespace rtsim
