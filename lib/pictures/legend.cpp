#include "pictures/legend.h"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pictures/axis.h"
#include "pictures/colours.h"

namespace rtsim {

namespace {

constexpr int least_width = 400;  // [pixels] of a picture that has a scale

// Writes on a picture, legibly.
class Pen {
 public:
  Pen(cairo_t* c, const Picture& p, const Vec3f& ground)
      : size(std::max(11.0, p.height / 48.0)), c_(c), ground_(ground) {
    cairo_set_font_size(c, size);
  }
  double width(const std::string& text) const {
    cairo_text_extents_t e;
    cairo_text_extents(c_, text.c_str(), &e);
    return e.x_advance;
  }
  void ink() const {
    const double dark = ground_[0] < 0.5f ? 0.95 : 0.1;
    cairo_set_source_rgb(c_, dark, dark, dark);
  }
  void write(double x, double y, const std::string& text) const {
    ink();
    cairo_move_to(c_, x, y);
    cairo_show_text(c_, text.c_str());
  }
  // What is drawn shows through a little.
  void clear(double x, double y, double w, double h) const {
    cairo_set_source_rgba(c_, double(ground_[0]), double(ground_[1]), double(ground_[2]), 0.8);
    cairo_rectangle(c_, x, y, w, h);
    cairo_fill(c_);
  }
  void line(double x0, double y0, double x1, double y1) const {
    ink();
    cairo_set_line_width(c_, std::max(1.0, size / 9));
    cairo_move_to(c_, x0, y0);
    cairo_line_to(c_, x1, y1);
    cairo_stroke(c_);
  }

  double size;  // [pixels] of the letters

 private:
  cairo_t* c_;
  Vec3f ground_;
};

void draw_colours(cairo_t* c, const Pen& pen, const Picture& p, const Legend& l) {
  const double size = pen.size, width = 0.25 * p.width, left = p.width - width - size,
               top = 2.2 * size;
  pen.clear(left - 0.5 * size, 0.5 * size, width + size, 4.2 * size);
  for (int k = 0; k < 64; ++k) {
    const Vec3f colour = map_colour((float(k) + 0.5f) / 64);
    cairo_set_source_rgb(c, double(colour[0]), double(colour[1]), double(colour[2]));
    cairo_rectangle(c, left + width * k / 64, top, width / 64 + 1, 0.8 * size);
    cairo_fill(c);
  }
  pen.write(left, 1.8 * size, l.what);
  pen.write(left, top + 2 * size, fmt::format("{:.3g}", l.low));
  const std::string high = fmt::format("{:.3g}", l.high);
  pen.write(left + width - pen.width(high), top + 2 * size, high);
}

void draw_bar(const Pen& pen, const Picture& p, double pixels, double left) {
  const double length = round_number(0.16 * p.width / pixels), width = pixels * length;
  const double size = pen.size, y = p.height - size;
  const std::string text = fmt::format("{:.6g} m", length);
  pen.clear(left - 0.5 * size, y - 2.2 * size, std::max(width, pen.width(text)) + size, 2.7 * size);
  pen.line(left, y, left + width, y);
  for (const double x : {left, left + width}) pen.line(x, y - 0.3 * size, x, y + 0.3 * size);
  pen.write(left, y - 0.7 * size, text);
}

// Each as long as it looks from there, with its name at its end.
void draw_axes(const Pen& pen, const Camera& camera, int dim, double x, double y, double length) {
  for (int a = 0; a < dim; ++a) {
    Vec3f axis;
    axis[a] = 1;
    const Vec3f seen = camera.turned(axis);
    const double right = double(seen[0]), up = double(seen[1]), part = std::hypot(right, up);
    if (part < 0.1) continue;  // towards the viewer
    pen.line(x, y, x + length * right, y - length * up);
    const double off = length + 0.5 * pen.size / part;
    pen.write(x + off * right - 0.3 * pen.size, y - off * up + 0.35 * pen.size,
              std::string(1, "xyz"[a]));
  }
}

}  // namespace

void draw_legend(Picture& p, const Legend& l) {
  draw_on(p, [&](cairo_t* c) {
    const Pen pen(c, p, l.ground);
    const std::string now = fmt::format("t = {:.4g} s", l.time);
    pen.clear(0.5 * pen.size, 0.5 * pen.size, pen.width(now) + pen.size, 1.9 * pen.size);
    pen.write(pen.size, 1.8 * pen.size, now);
    if (!l.what.empty()) draw_colours(c, pen, p, l);
  });
}

void draw_scale(Picture& p, const Camera& camera, int dim, const Vec3f& ground) {
  if (p.width < least_width) return;
  draw_on(p, [&](cairo_t* c) {
    const Pen pen(c, p, ground);
    const double length = 2.5 * pen.size, room = 5.5 * pen.size, edge = 0.5 * pen.size;
    pen.clear(edge, p.height - room - edge, room, room);
    // The third axis comes to the viewer, down and to the left.
    const double x = edge + (dim == 2 ? 0.25 : 0.4) * room, y = p.height - edge - 0.4 * room;
    draw_axes(pen, camera, dim, x, y, length);
    draw_bar(pen, p, double(camera.scale_in_middle()), room + 2 * pen.size);
  });
}

}  // namespace rtsim
