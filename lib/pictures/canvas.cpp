#include "pictures/canvas.h"

#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "cache/durable.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;

bool is_svg(const fs::path& file) { return file.extension() == ".svg"; }

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(ExitCode::internal, std::string("cairo: ") + cairo_status_to_string(status));
}

using Context = std::unique_ptr<cairo_t, void (*)(cairo_t*)>;

cairo_status_t append(void* text, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

std::string svg_text(int width, int height, const std::function<void(cairo_t*)>& draw) {
  std::string text;
  const Surface surface(cairo_svg_surface_create_for_stream(append, &text, width, height),
                        cairo_surface_destroy);
  const Context c(cairo_create(surface.get()), cairo_destroy);
  draw(c.get());
  check(cairo_status(c.get()));
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()));
  return text;
}

std::string png_text(int width, int height, const std::function<void(cairo_t*)>& draw) {
  std::string bytes;
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height),
                        cairo_surface_destroy);
  const Context c(cairo_create(surface.get()), cairo_destroy);
  draw(c.get());
  check(cairo_status(c.get()));
  check(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  return bytes;
}

}  // namespace

std::string svg_element(int width, int height, const std::function<void(cairo_t*)>& draw) {
  const std::string text = svg_text(width, height, draw);
  return text.substr(std::min(text.find("<svg"), text.size()));
}

void check_picture_name(const fs::path& file) {
  if (!is_svg(file) && file.extension() != ".png")
    throw Error(ExitCode::usage, file.string() + ": a picture's name ends in .svg or .png");
}

// Drawn in memory: cairo does not say why a disk takes no more.
void draw_file(const fs::path& file, int width, int height,
               const std::function<void(cairo_t*)>& draw) {
  check_picture_name(file);
  const auto on_white = [&](cairo_t* c) {
    cairo_set_source_rgb(c, 1, 1, 1);
    cairo_paint(c);
    draw(c);
  };
  write_file(file, (is_svg(file) ? svg_text : png_text)(width, height, on_white));
}

}  // namespace rtsim
