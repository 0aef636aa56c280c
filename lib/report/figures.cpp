#include "report/figures.h"

#include <fmt/format.h>

#include "pictures/canvas.h"
#include "report/html.h"

namespace rtsim {

std::string html_figure(const Picture& p, const std::string& caption) {
  const std::string text = escaped(caption);
  return fmt::format(
      "<figure><img alt=\"{0}\" width=\"{1}\" height=\"{2}\" src=\"data:image/png;base64,{3}\">"
      "<figcaption>{0}</figcaption></figure>\n",
      text, p.width, p.height, base64(png_bytes(p)));
}

std::string html_figures(const std::string& figures) {
  return figures.empty() ? "" : "<div class=\"pictures\">\n" + figures + "</div>\n";
}

std::string html_chart(const std::vector<Panel>& panels) {
  if (panels.empty()) return "";
  constexpr int columns = 3;
  const int rows = (int(panels.size()) + columns - 1) / columns;
  const int width = 400 * columns, height = 260 * rows;
  return svg_element(width, height,
                     [&](cairo_t* c) { draw_chart(c, panels, columns, width, height); });
}

}  // namespace rtsim
