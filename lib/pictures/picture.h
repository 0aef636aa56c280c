#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pictures/raster.h"

typedef struct _cairo cairo_t;

namespace rtsim {

// Pixels of 0x00RRGGBB.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;
};

Picture picture_of(const Raster&);
// Each pixel the mean of a square of so many.
Picture coarser(const Picture&, int by);
// Lets cairo draw on it.
void draw_on(Picture&, const std::function<void(cairo_t*)>&);
// Pictures of one size in rows of so many.
Picture sheet_of(const std::vector<Picture>&, int columns);

// Whole or not there; throws Error{io}.
void write_png(const std::filesystem::path&, const Picture&);
std::string png_bytes(const Picture&);

}  // namespace rtsim
