#pragma once
#include <string>

#include "sim/diagnostics.h"
#include "sim/scene.h"

// What expectations read from a finished run's series.
namespace rtsim {

// Whether x counts: a range that is not given holds everything.
bool in_range(const ExpectSpec&, double x);

// By straight lines between the rows. Throws Error{different} where the series does not reach.
double at_time(const SeriesTable&, const std::string& name, double time);

// The one number that a value expectation means.
double value_at(const ExpectSpec&, const SeriesTable&);

}  // namespace rtsim
