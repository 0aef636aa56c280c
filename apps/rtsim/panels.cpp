#include "panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cache/durable.h"
#include "pictures/canvas.h"
#include "written.h"

namespace rtsim {

void draw_panels(const PanelsFile& f, const std::vector<Panel>& panels) {
  const Written written;
  const int count = int(panels.size()), columns = int(std::ceil(std::sqrt(0.5 * count)));
  const int rows = (count + columns - 1) / columns;
  const int width = f.width > 0 ? f.width : std::max(720, 480 * columns);
  const int height = f.height > 0 ? f.height : std::max(400, 300 * rows);
  make_folders(std::filesystem::path(f.out).parent_path());
  draw_file(f.out, width, height,
            [&](cairo_t* c) { draw_chart(c, panels, columns, width, height); });
  if (!f.json) {
    fmt::print("{}: {} panels, {} x {} pixels\n", f.out, count, width, height);
    return;
  }
  nlohmann::ordered_json titles = nlohmann::ordered_json::array();
  for (const Panel& p : panels) titles.push_back({{"title", p.title}, {"curves", p.curves.size()}});
  written.print(f.out, {f.out}, {}, {{"width", width}, {"height", height}, {"panels", titles}});
}

}  // namespace rtsim
