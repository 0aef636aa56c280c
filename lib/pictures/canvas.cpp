#include "pictures/canvas.h"

#include <cairo-svg.h>
#include <cairo.h>

#include <memory>

#include "base/error.h"
#include "cache/durable.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;

bool is_svg(const fs::path& file) { return file.extension() == ".svg"; }

void check(cairo_status_t status, const fs::path& file) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(ExitCode::io, file.string() + ": cannot draw: " + cairo_status_to_string(status));
}

}  // namespace

void check_picture_name(const fs::path& file) {
  if (!is_svg(file) && file.extension() != ".png")
    throw Error(ExitCode::usage, file.string() + ": a picture's name ends in .svg or .png");
}

void draw_file(const fs::path& file, int width, int height,
               const std::function<void(cairo_t*)>& draw) {
  check_picture_name(file);
  write_durably(file, [&](const fs::path& temporary) {
    const Surface surface(is_svg(file)
                              ? cairo_svg_surface_create(temporary.c_str(), width, height)
                              : cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height),
                          cairo_surface_destroy);
    check(cairo_surface_status(surface.get()), file);
    const std::unique_ptr<cairo_t, void (*)(cairo_t*)> c(cairo_create(surface.get()),
                                                         cairo_destroy);
    cairo_set_source_rgb(c.get(), 1, 1, 1);
    cairo_paint(c.get());
    draw(c.get());
    check(cairo_status(c.get()), file);
    if (!is_svg(file)) check(cairo_surface_write_to_png(surface.get(), temporary.c_str()), file);
    cairo_surface_finish(surface.get());
    check(cairo_surface_status(surface.get()), file);
  });
}

}  // namespace rtsim
