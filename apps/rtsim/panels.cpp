#include "panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pictures/canvas.h"

namespace rtsim {

void draw_panels(const PanelsFile& f, const std::vector<Panel>& panels) {
  const int count = int(panels.size()), columns = int(std::ceil(std::sqrt(0.5 * count)));
  const int rows = (count + columns - 1) / columns;
  const int width = f.width > 0 ? f.width : std::max(720, 480 * columns);
  const int height = f.height > 0 ? f.height : std::max(400, 300 * rows);
  draw_file(f.out, width, height,
            [&](cairo_t* c) { draw_chart(c, panels, columns, width, height); });
  fmt::print("{}: {} panels, {} x {} pixels\n", f.out, count, width, height);
}

}  // namespace rtsim
