#include "pictures/chart.h"

#include <cairo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "pictures/axis.h"

namespace rtsim {

namespace {

// Told apart also by those who see no red or no green (Okabe & Ito, "Color Universal Design",
// 2008).
constexpr std::array<std::array<double, 3>, 8> palette{{{0.00, 0.45, 0.70},
                                                        {0.84, 0.37, 0.00},
                                                        {0.00, 0.62, 0.45},
                                                        {0.80, 0.47, 0.65},
                                                        {0.90, 0.62, 0.00},
                                                        {0.34, 0.71, 0.91},
                                                        {0.35, 0.35, 0.35},
                                                        {0.00, 0.00, 0.00}}};

constexpr double text_size = 12, line_height = 16;

void colour(cairo_t* c, double grey) { cairo_set_source_rgb(c, grey, grey, grey); }
void colour(cairo_t* c, int number) {
  const auto& p = palette[std::size_t(number) % palette.size()];
  cairo_set_source_rgb(c, p[0], p[1], p[2]);
}

double width_of(cairo_t* c, const std::string& text) {
  cairo_text_extents_t e;
  cairo_text_extents(c, text.c_str(), &e);
  return e.x_advance;
}

// `align` 0: begins at x, 1: ends there.
void write(cairo_t* c, double x, double y, const std::string& text, double align) {
  cairo_move_to(c, x - align * width_of(c, text), y);
  cairo_show_text(c, text.c_str());
}

struct AxisRange {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double v) { low = std::min(low, v), high = std::max(high, v); }
  bool empty() const { return low > high; }
};

bool shown(const Panel& p, double y) { return std::isfinite(y) && (!p.logarithmic || y > 0); }
bool shown(const Panel& p, const Curve& c, std::size_t i) {
  return shown(p, c.y[i]) && (!p.logarithmic_x || c.x[i] > 0);
}

// A line of a legend.
struct Entry {
  std::string text;
  std::optional<int> colour;  // of the palette; none: what is said of all colours
  int dashes;

  bool operator==(const Entry&) const = default;
};

void add_once(std::vector<Entry>& to, Entry e) {
  if (std::ranges::find(to, e) == to.end()) to.push_back(std::move(e));
}

// Whose the curves are, which one legend says for all panels.
std::vector<Entry> owners(const Panel& p) {
  std::vector<Entry> entries;
  for (const Curve& c : p.curves)
    if (!c.of.empty()) add_once(entries, {c.of, c.colour, 0});
  return entries;
}

// What they are, where a panel has several.
std::vector<Entry> quantities(const Panel& p) {
  std::vector<Entry> entries;
  for (const Curve& c : p.curves)
    add_once(entries, {c.label, c.of.empty() ? std::optional(c.colour) : std::nullopt, c.dashes});
  return entries.size() > 1 ? entries : std::vector<Entry>();
}

// What an earlier one says is left out.
std::vector<Entry> legend_of(const std::vector<Panel>& panels, std::size_t k) {
  std::vector<Entry> entries = owners(panels[k]);
  for (std::size_t j = 0; j < k; ++j)
    if (owners(panels[j]) == entries) entries.clear();
  for (Entry& e : quantities(panels[k])) entries.push_back(std::move(e));
  return entries;
}

// The axes of a panel where it stands.
class ChartFrame {
 public:
  ChartFrame(cairo_t* c, const Panel& p, std::vector<Entry> legend, double left, double top,
             double width, double height)
      : c_(c), p_(p), legend_(std::move(legend)) {
    AxisRange x, y;
    for (const Curve& curve : p.curves)
      for (std::size_t i = 0; i < curve.y.size(); ++i)
        if (shown(p, curve, i)) x.add(curve.x[i]), y.add(curve.y[i]);
    if (x.empty())
      x = p.logarithmic_x ? AxisRange{1, 10} : AxisRange{0, 1},
      y = p.logarithmic ? AxisRange{1, 10} : AxisRange{0, 1};
    y_ = axis_over(y.low, y.high, std::max(2, int(height / 60)), p.logarithmic);
    x_ = axis_over(x.low, x.high, std::max(2, int(width / 90)), p.logarithmic_x);
    if (!p.logarithmic_x) x_.low = x.low, x_.high = x.high > x.low ? x.high : x.low + 1;
    double labels = 0;
    for (const double t : y_.ticks) labels = std::max(labels, width_of(c, y_.label(t)));
    double beside = 0;  // the curves, where the legend stands
    for (const Entry& e : legend_) beside = std::max(beside, width_of(c, e.text) + 44);
    left_ = left + labels + 36;
    right_ = left + width - 22 - std::min(beside, 0.4 * width);
    top_ = top + 30, bottom_ = top + height - 42;
  }

  void draw() {
    grid();
    cairo_save(c_);
    cairo_rectangle(c_, left_, top_, right_ - left_, bottom_ - top_);
    cairo_clip(c_);
    for (const Curve& curve : p_.curves)
      if (curve.joined) draw(curve);
    cairo_restore(c_);
    for (const Curve& curve : p_.curves)
      if (curve.marked) mark(curve);
  }

  void legend() {
    const double left = right_ + 12;
    double y = top_ + 0.5 * line_height;
    for (const Entry& e : legend_) {
      e.colour ? colour(c_, *e.colour) : colour(c_, 0.1);
      cairo_set_line_width(c_, 2);
      dash(e.dashes);
      cairo_move_to(c_, left, y), cairo_line_to(c_, left + 26, y);
      cairo_stroke(c_);
      cairo_set_dash(c_, nullptr, 0, 0);
      colour(c_, 0.1);
      write(c_, left + 34, y + 4, e.text, 0);
      y += line_height;
    }
  }

 private:
  double at_x(double v) const { return left_ + x_.share(v) * (right_ - left_); }
  double at_y(double v) const { return bottom_ - y_.share(v) * (bottom_ - top_); }

  void grid() {
    cairo_set_line_width(c_, 1);
    for (const double t : y_.ticks) {
      line(left_, at_y(t), right_, at_y(t), 0.87);
      write(c_, left_ - 6, at_y(t) + 4, y_.label(t), 1);
    }
    for (const double t : x_.ticks) {
      if (x_.share(t) < -1e-9 || x_.share(t) > 1 + 1e-9) continue;
      line(at_x(t), top_, at_x(t), bottom_, 0.87);
      write(c_, at_x(t), bottom_ + 16, x_.label(t), 0.5);
    }
    line(left_, top_, left_, bottom_, 0.3), line(left_, bottom_, right_, bottom_, 0.3);
    write(c_, 0.5 * (left_ + right_), bottom_ + 34, p_.x_label, 0.5);
    write(c_, left_, top_ - 12, p_.title, 0);
    write(c_, right_, top_ - 12, p_.y_label, 1);
  }

  void line(double x0, double y0, double x1, double y1, double grey) {
    colour(c_, grey);
    cairo_move_to(c_, std::round(x0) + 0.5, std::round(y0) + 0.5);
    cairo_line_to(c_, std::round(x1) + 0.5, std::round(y1) + 0.5);
    cairo_stroke(c_);
    colour(c_, 0.1);
  }

  void dash(int dashes) {
    const double on = 3.0 + 3 * (dashes % 3), off = 3;
    const double pattern[] = {on, off};
    cairo_set_dash(c_, pattern, dashes > 0 ? 2 : 0, 0);
  }

  // Of rows that fall onto one column of pixels the first, the least, the greatest and the last are
  // drawn: a million rows look as they would, and make a small file.
  void draw(const Curve& curve) {
    colour(c_, curve.colour);
    cairo_set_line_width(c_, 1.6);
    dash(curve.dashes);
    bool pen_down = false;
    for (std::size_t i = 0; i < curve.y.size();) {
      if (!shown(p_, curve, i)) {
        pen_down = false, ++i;
        continue;
      }
      const double pixel = std::floor(at_x(curve.x[i]));
      std::size_t last = i, least = i, greatest = i;
      for (std::size_t k = i;
           k < curve.y.size() && shown(p_, curve, k) && std::floor(at_x(curve.x[k])) == pixel;
           ++k) {
        last = k;
        if (curve.y[k] < curve.y[least]) least = k;
        if (curve.y[k] > curve.y[greatest]) greatest = k;
      }
      std::array<std::size_t, 4> rows{i, least, greatest, last};
      std::ranges::sort(rows);
      for (const std::size_t k : rows) {
        (pen_down ? cairo_line_to : cairo_move_to)(c_, at_x(curve.x[k]), at_y(curve.y[k]));
        pen_down = true;
      }
      i = last + 1;
    }
    cairo_stroke(c_);
    cairo_set_dash(c_, nullptr, 0, 0);
  }

  void mark(const Curve& curve) {
    constexpr double radius = 3, whole_turn = 6.283185307179586;
    colour(c_, curve.colour);
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
      if (!shown(p_, curve, i)) continue;
      cairo_new_sub_path(c_);
      cairo_arc(c_, at_x(curve.x[i]), at_y(curve.y[i]), radius, 0, whole_turn);
      cairo_fill(c_);
    }
  }

  cairo_t* c_;
  const Panel& p_;
  std::vector<Entry> legend_;
  Axis x_, y_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
};

}  // namespace

void draw_chart(cairo_t* c, const std::vector<Panel>& panels, int columns, double width,
                double height) {
  cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c, text_size);
  const int rows = (int(panels.size()) + columns - 1) / columns;
  const double w = width / columns, h = height / std::max(rows, 1);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    ChartFrame frame(c, panels[k], legend_of(panels, k), w * double(int(k) % columns),
                     h * double(int(k) / columns), w, h);
    frame.draw();
    frame.legend();
  }
}

}  // namespace rtsim
