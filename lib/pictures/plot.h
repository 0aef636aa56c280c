#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "pictures/chart.h"

namespace rtsim {

struct PlotOptions {
  std::vector<std::filesystem::path> runs;  // folders, or their series.csv
  std::vector<std::string> series;          // patterns of names; none: all totals, else all
  bool logarithmic = false;
  std::vector<std::string> labels;  // of the runs; none: names of their folders
};

// A panel for each quantity of a stage's object: components together, and energies together; what
// several runs have of one name in one panel, a colour for each run. Throws Error{bad_input} where
// a run has no log or no series fits.
std::vector<Panel> plot_panels(const PlotOptions&);

}  // namespace rtsim
