#pragma once
#include <optional>
#include <string>

#include "sim/records/diagnostics.h"
#include "sim/scene.h"

// What expectations name, and read from a finished run's series.
namespace rtsim {

// What was expected at one place or time, and what was found there.
struct Compared {
  double expected, measured;
};

// Whether x counts: a range that is not given holds everything.
bool in_range(const ExpectSpec&, double x);

// By straight lines between the rows. Throws Error{different} where the series does not reach.
double at_time(const SeriesTable&, const std::string& name, double time);

// What "one - other" names; no `minus` where there is one series alone.
struct Difference {
  std::string series;
  std::optional<std::string> minus;
};
Difference read_difference(const std::string& value);

// The one number that a value expectation means.
double value_at(const ExpectSpec&, const SeriesTable&);

// "<object>.<column>" with an optional .x, .y or .z.
struct ColumnName {
  std::string object, column;
  std::optional<int> component{};
};

ColumnName column_name(const std::string&);

}  // namespace rtsim
