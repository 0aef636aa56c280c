#pragma once
#include "pictures/chart.h"

namespace rtsim {

// Where curves go, and how large: 0 pixels are as many as the panels need.
struct PanelsFile {
  std::string out;
  int width = 0, height = 0;
  bool json = false;
};

// Draws them and says so: as many columns as make panels wider than high, each as large as a figure
// in a paper.
void draw_panels(const PanelsFile&, const std::vector<Panel>&);

}  // namespace rtsim
