#include "pictures/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.h"
#include "pictures/canvas.h"
#include "pictures/chart.h"

namespace rtsim {

// As many columns as make panels wider than high; each as large as a figure in a paper.
ExitCode plot_command(const PlotFlags& f) {
  check_picture_name(f.out);
  PlotOptions o;
  o.runs.assign(f.runs.begin(), f.runs.end());
  o.series = f.series, o.logarithmic = f.logarithmic;
  const std::vector<Panel> panels = plot_panels(o);
  const int count = int(panels.size()), columns = int(std::ceil(std::sqrt(0.5 * count)));
  const int rows = (count + columns - 1) / columns;
  const int width = f.width > 0 ? f.width : std::max(720, 480 * columns);
  const int height = f.height > 0 ? f.height : std::max(400, 300 * rows);
  draw_file(f.out, width, height,
            [&](cairo_t* c) { draw_chart(c, panels, columns, width, height); });
  fmt::print("{}: {} panels, {} x {} pixels\n", f.out, count, width, height);
  return ExitCode::done;
}

}  // namespace rtsim
