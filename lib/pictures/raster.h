#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/vec.h"

namespace rtsim {

using Vec3f =
    VecT<float, 3>;  // a colour, red, green and blue from 0 to 1; or a place on the screen

inline Vec3f in_float(const Vec3d& x) { return {{float(x[0]), float(x[1]), float(x[2])}}; }

// A picture in the making: a pixel's colour, and how far away what it shows is.
struct Raster {
  Raster(int width, int height, const Vec3f& background);

  int width, height;
  std::vector<Vec3f> colour;
  std::vector<float> depth;  // along the line of sight [m]; infinite: background
  int threads = 1;
  int finer = 1;  // pixels of it, along each side, to one of the picture

  std::size_t at(int x, int y) const {
    return std::size_t(y) * std::size_t(width) + std::size_t(x);
  }
};

// Horizontal bands of pixels, worked on at once; what is drawn within one is drawn in order, so
// that the picture does not depend on the number of threads.
constexpr int band_height = 32;
void for_bands(const Raster&, const std::function<void(int band, int y_begin, int y_end)>&);

// Which of n things touch each band: first_y and last_y say it, the things are in order. Those that
// touch none have last_y < first_y.
struct Bands {
  std::vector<std::uint32_t> first;  // of a band, and one past the last
  std::vector<std::uint32_t> things;
};
Bands sort_into_bands(const Raster&, const std::vector<std::int32_t>& first_y,
                      const std::vector<std::int32_t>& last_y);

// Darkens what has nearer things around it, which shows the shape of clouds of points (Boucheny,
// "Visualisation scientifique de grands volumes de données", Grenoble 2009: eye-dome lighting).
void darken_edges(Raster&);

}  // namespace rtsim
