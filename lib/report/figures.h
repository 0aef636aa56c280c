#pragma once
#include <string>
#include <vector>

#include "pictures/chart.h"
#include "pictures/picture.h"

namespace rtsim {

// A picture that lies in the page, with a line below it.
std::string html_figure(const Picture&, const std::string& caption);

// Figures side by side; nothing where there are none.
std::string html_figures(const std::string& figures);

// All panels in one drawing: several would share the names of their letters.
std::string html_chart(const std::vector<Panel>&);

}  // namespace rtsim
