#pragma once
#include <string>
#include <vector>

#include "cache/table_file.h"
#include "sweep/status.h"

namespace rtsim {

// What one number says of a series: last, min, max, mean (of its rows).
enum class Moment { last, min, max, mean };
Moment read_moment_name(const std::string&);           // throws Error{usage}
double moment_of(Moment, const std::vector<double>&);  // NaN of none

struct GatherOptions {
  std::vector<std::string> series;  // patterns; none: all totals, else all
  std::vector<Moment> moments;      // none: all
  bool partial = false;
};

// A row a case: name, parameters, then run.state, run.frames and run.wall_time, as no parameter can
// be called, and `<series>:<moment>` of each series.
// Throws Error{different} where a case is not done, unless partial: its row then has what there is.
std::vector<TableColumn> gather(const SweepStatus&, const GatherOptions&);

// A parameter's values: numbers where all are.
TableColumn parameter_column(const SweepStatus&, std::size_t parameter);

// Throws Error{different} that says how many cases are not done, and what to do.
void require_complete(const SweepStatus&);

}  // namespace rtsim
