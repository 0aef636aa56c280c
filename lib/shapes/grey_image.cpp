#include "shapes/grey_image.h"

#include <fmt/format.h>
#include <png.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/input_file.h"

namespace rtsim {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& message) {
  throw Error(ExitCode::bad_input, path + ": " + message);
}

// libpng reports errors by longjmp, so nothing with a destructor may live in the functions it
// leaves: they work on this struct, which outlives them.
struct Reader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string message;
  std::vector<png_byte> row;

  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

void keep_message(png_structp png, png_const_charp text) {
  static_cast<Reader*>(png_get_error_ptr(png))->message = text;
  std::longjmp(png_jmpbuf(png), 1);
}
void ignore_warning(png_structp, png_const_charp) {}

bool read_header(Reader& r, std::FILE* file) {
  if (setjmp(png_jmpbuf(r.png))) return false;
  png_init_io(r.png, file);
  png_read_info(r.png, r.info);
  const bool small = png_get_bit_depth(r.png, r.info) < 8;
  if (small) png_set_expand_gray_1_2_4_to_8(r.png);
  png_set_strip_alpha(r.png);
  png_set_interlace_handling(r.png);
  return true;
}

// Whole image at once: interlaced files give their rows in several passes.
bool read_rows(Reader& r, png_bytep* rows) {
  if (setjmp(png_jmpbuf(r.png))) return false;
  png_read_update_info(r.png, r.info);
  png_read_image(r.png, rows);
  return true;
}

void check_grey(const Reader& r, const std::string& path) {
  const int type = png_get_color_type(r.png, r.info);
  if (type != PNG_COLOR_TYPE_GRAY && type != PNG_COLOR_TYPE_GRAY_ALPHA)
    fail(path,
         "a height map needs a greyscale PNG of 8 or 16 bits, and this one has colours; "
         "convert it to greyscale");
}

GreyImage decode(Reader& r, const std::string& path) {
  GreyImage image;
  image.width = int(png_get_image_width(r.png, r.info));
  image.height = int(png_get_image_height(r.png, r.info));
  if (image.width < 2 || image.height < 2)
    fail(path, fmt::format("a height map needs 2 by 2 pixels or more, not {} by {}", image.width,
                           image.height));
  if (double(image.width) * image.height > 1e8)
    fail(path,
         fmt::format("{} by {} pixels are more than a height map may have (1e8); scale it down",
                     image.width, image.height));
  const int bytes = png_get_bit_depth(r.png, r.info) == 16 ? 2 : 1;
  const std::size_t stride = std::size_t(image.width) * bytes;
  r.row.resize(stride * image.height);
  std::vector<png_bytep> rows(image.height);
  for (int j = 0; j < image.height; ++j) rows[j] = r.row.data() + stride * j;
  if (!read_rows(r, rows.data())) fail(path, r.message + "; the file is damaged, save it again");
  image.values.reserve(std::size_t(image.width) * image.height);
  for (std::size_t i = 0; i < r.row.size(); i += bytes)
    image.values.push_back(bytes == 2 ? (r.row[i] * 256 + r.row[i + 1]) / 65535.0
                                      : r.row[i] / 255.0);
  return image;
}

}  // namespace

GreyImage read_grey_png(const std::string& path) {
  if (const std::string why = why_unreadable(path, largest_text); !why.empty())
    fail(path, "cannot be opened: " + why + "; files are looked for from the scene's folder");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) fail(path, std::strerror(errno));
  Reader r;
  r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, keep_message, ignore_warning);
  r.info = png_create_info_struct(r.png);
  if (!read_header(r, file.get())) fail(path, r.message + "; a height map needs a PNG file");
  check_grey(r, path);
  return decode(r, path);
}

}  // namespace rtsim
