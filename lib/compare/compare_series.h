#pragma once
#include <functional>

#include "cache/series_table.h"
#include "compare/compare.h"

namespace rtsim {

// Compares b with the series of a whose names are asked for.
void compare_series(const SeriesTable& a, const SeriesTable& b, const CompareOptions&, Comparison&);

// Calls `compare_one` for each series of a that is asked for and that b has in the same unit;
// the others, and what only b has, are told.
void compare_names(const SeriesTable& a, const SeriesTable& b, const CompareOptions&, Comparison&,
                   const std::function<Compared(const std::string& name)>& compare_one);

// Notes where b goes on when a has ended.
void note_end(const SeriesTable& a, const SeriesTable& b, Comparison&);

// The names of a table that are measurements and are asked for.
std::vector<std::string> measured(const SeriesTable&, const std::vector<std::string>& patterns);

// The series.csv of a run folder, or the file itself. Throws Error{bad_input} where there is none.
SeriesTable series_of(const std::filesystem::path& run);

std::string row_place(double step, double time);

}  // namespace rtsim
