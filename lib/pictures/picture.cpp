#include "pictures/picture.h"

#include <cairo.h>
#include <libdeflate.h>
#include <png.h>

#include <algorithm>
#include <memory>
#include <new>

#include "base/error.h"
#include "cache/durable.h"

namespace rtsim {

Picture picture_of(const Raster& r) {
  Picture p{r.width, r.height, std::vector<std::uint32_t>(r.colour.size())};
  for_bands(r, [&](int, int begin, int end) {
    for (std::size_t i = r.at(0, begin); i < r.at(0, end); ++i) {
      std::uint32_t pixel = 0;
      for (int c = 0; c < 3; ++c)
        pixel = pixel << 8 | std::uint32_t(255 * std::clamp(r.colour[i][c], 0.0f, 1.0f) + 0.5f);
      p.pixels[i] = pixel;
    }
  });
  return p;
}

void draw_on(Picture& p, const std::function<void(cairo_t*)>& draw) {
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface(
      cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(p.pixels.data()),
                                          CAIRO_FORMAT_RGB24, p.width, p.height, 4 * p.width),
      cairo_surface_destroy);
  const std::unique_ptr<cairo_t, void (*)(cairo_t*)> c(cairo_create(surface.get()), cairo_destroy);
  // Said, or letters depend on what else was drawn before.
  const std::unique_ptr<cairo_font_options_t, void (*)(cairo_font_options_t*)> letters(
      cairo_font_options_create(), cairo_font_options_destroy);
  cairo_font_options_set_antialias(letters.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(letters.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(letters.get(), CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(c.get(), letters.get());
  cairo_select_font_face(c.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  draw(c.get());
  if (const cairo_status_t s = cairo_status(c.get()); s != CAIRO_STATUS_SUCCESS)
    throw Error(ExitCode::internal, std::string("cairo: ") + cairo_status_to_string(s));
  cairo_surface_flush(surface.get());
}

Picture coarser(const Picture& p, int by) {
  if (by == 1) return p;
  Picture mean{p.width / by, p.height / by, {}};
  for (int y = 0; y < mean.height; ++y)
    for (int x = 0; x < mean.width; ++x) {
      std::uint32_t sum[3] = {};
      for (int k = 0; k < by * by; ++k) {
        const int row = by * y + k / by, column = by * x + k % by;
        const std::uint32_t pixel =
            p.pixels[std::size_t(row) * std::size_t(p.width) + std::size_t(column)];
        for (int c = 0; c < 3; ++c) sum[c] += pixel >> (16 - 8 * c) & 0xff;
      }
      const std::uint32_t n = std::uint32_t(by * by);
      mean.pixels.push_back(sum[0] / n << 16 | sum[1] / n << 8 | sum[2] / n);
    }
  return mean;
}

Picture sheet_of(const std::vector<Picture>& all, int columns) {
  columns = std::min(columns, int(all.size()));
  const int w = all[0].width, h = all[0].height, rows = (int(all.size()) + columns - 1) / columns;
  Picture sheet{columns * w, rows * h, {}};
  sheet.pixels.assign(std::size_t(sheet.width) * std::size_t(sheet.height), 0xffffff);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::size_t left = (k % std::size_t(columns)) * std::size_t(w),
                      top = (k / std::size_t(columns)) * std::size_t(h);
    for (std::size_t y = 0; y < std::size_t(h); ++y)
      std::copy_n(&all[k].pixels[y * std::size_t(w)], w,
                  &sheet.pixels[(top + y) * std::size_t(sheet.width) + left]);
  }
  return sheet;
}

namespace {

void append(png_structp png, png_bytep data, png_size_t n) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), n);
}

[[noreturn]] void fail(png_structp, png_const_charp why) {
  throw Error(ExitCode::internal, std::string("libpng: ") + why);
}

struct Writer {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail, nullptr);
  png_infop info = png_create_info_struct(png);
  ~Writer() { png_destroy_write_struct(&png, &info); }
};

// Lines as PNG packs them: filter 1, each byte less the one three before it.
std::vector<std::uint8_t> filtered(const Picture& p) {
  const std::size_t width = 3 * std::size_t(p.width);
  std::vector<std::uint8_t> row(width), out((width + 1) * std::size_t(p.height));
  for (std::size_t y = 0; y < std::size_t(p.height); ++y) {
    const std::uint32_t* pixel = &p.pixels[y * std::size_t(p.width)];
    for (std::size_t x = 0; x < std::size_t(p.width); ++x)
      for (std::size_t c = 0; c < 3; ++c) row[3 * x + c] = std::uint8_t(pixel[x] >> (16 - 8 * c));
    std::uint8_t* line = &out[y * (width + 1)];
    *line++ = 1;
    std::copy_n(row.data(), 3, line);
    for (std::size_t i = 3; i < width; ++i) line[i] = std::uint8_t(row[i] - row[i - 3]);
  }
  return out;
}

// libdeflate takes a third of zlib's time.
std::vector<std::uint8_t> deflated(const std::vector<std::uint8_t>& plain) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> c(
      libdeflate_alloc_compressor(1), libdeflate_free_compressor);
  if (!c) throw std::bad_alloc();
  std::vector<std::uint8_t> packed(libdeflate_zlib_compress_bound(c.get(), plain.size()));
  packed.resize(
      libdeflate_zlib_compress(c.get(), plain.data(), plain.size(), packed.data(), packed.size()));
  if (packed.empty()) throw Error(ExitCode::internal, "libdeflate cannot compress a picture");
  return packed;
}

}  // namespace

std::string png_bytes(const Picture& p) {
  std::string bytes;
  Writer w;
  png_set_write_fn(w.png, &bytes, append, nullptr);
  png_set_IHDR(w.png, w.info, png_uint_32(p.width), png_uint_32(p.height), 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(w.png, w.info);
  const std::vector<std::uint8_t> lines = deflated(filtered(p));
  png_write_chunk(w.png, reinterpret_cast<png_const_bytep>("IDAT"), lines.data(), lines.size());
  png_write_chunk(w.png, reinterpret_cast<png_const_bytep>("IEND"), nullptr, 0);
  return bytes;
}

void write_png(const std::filesystem::path& file, const Picture& p) {
  write_file(file, png_bytes(p));
}

}  // namespace rtsim
