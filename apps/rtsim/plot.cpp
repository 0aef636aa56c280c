#include "pictures/plot.h"

#include "commands.h"
#include "panels.h"
#include "pictures/canvas.h"

namespace rtsim {

ExitCode plot_command(const PlotFlags& f) {
  check_picture_name(f.out);
  PlotOptions o;
  o.runs.assign(f.runs.begin(), f.runs.end());
  o.series = f.series, o.logarithmic = f.logarithmic;
  draw_panels({f.out, f.width, f.height, f.json}, plot_panels(o));
  return ExitCode::done;
}

}  // namespace rtsim
