#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

typedef struct _cairo cairo_t;

namespace rtsim {

// One line of a panel: y over x, both of one length. NaN breaks it.
struct Curve {
  std::string of;     // whose it is, told by its colour; empty where all are of one
  std::string label;  // what it is; told by its dashes where `of` is not empty
  std::vector<double> x, y;
  int colour = 0;                      // of the palette
  int dashes = 0;                      // 0: none
  bool joined = true, marked = false;  // by a line; with a dot at each point
};

struct Panel {
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
  bool logarithmic = false;    // y; what is not positive is left out
  bool logarithmic_x = false;  // likewise
};

// Panels in rows of so many columns, on a canvas of this many pixels.
void draw_chart(cairo_t*, const std::vector<Panel>&, int columns, double width, double height);

}  // namespace rtsim
