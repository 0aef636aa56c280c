#pragma once
#include <string>
#include <vector>

#include "pictures/chart.h"
#include "sweep/gather.h"

namespace rtsim {

struct SweepPlotOptions {
  std::vector<std::string> series;  // patterns; none: all totals, else all
  std::string over;                 // a parameter; empty: the curves of all cases over time
  Moment moment = Moment::last;
  bool logarithmic = false, logarithmic_x = false;
  bool partial = false;
};

// A panel for each series. Over a parameter, the other parameters tell the curves apart.
std::vector<Panel> sweep_panels(const SweepStatus&, const SweepPlotOptions&);

}  // namespace rtsim
