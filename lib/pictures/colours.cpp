#include "pictures/colours.h"

#include <algorithm>

namespace rtsim {

namespace {

constexpr std::array<std::array<float, 3>, 9> stops{{{0.267f, 0.005f, 0.329f},
                                                     {0.283f, 0.141f, 0.458f},
                                                     {0.230f, 0.322f, 0.546f},
                                                     {0.173f, 0.449f, 0.558f},
                                                     {0.128f, 0.567f, 0.551f},
                                                     {0.158f, 0.684f, 0.502f},
                                                     {0.369f, 0.789f, 0.383f},
                                                     {0.678f, 0.864f, 0.190f},
                                                     {0.993f, 0.906f, 0.144f}}};

constexpr std::array<std::array<float, 3>, 6> things{{{0.42f, 0.60f, 0.82f},
                                                      {0.88f, 0.62f, 0.36f},
                                                      {0.50f, 0.72f, 0.52f},
                                                      {0.78f, 0.52f, 0.66f},
                                                      {0.80f, 0.74f, 0.42f},
                                                      {0.62f, 0.62f, 0.66f}}};

Vec3f colour(const std::array<float, 3>& c) { return {{c[0], c[1], c[2]}}; }

}  // namespace

Vec3f map_colour(float share) {
  if (std::isnan(share)) return {{0.9f, 0.1f, 0.1f}};
  const float s = std::clamp(share, 0.0f, 1.0f) * float(stops.size() - 1);
  const std::size_t k = std::min(std::size_t(s), stops.size() - 2);
  const float t = s - float(k);
  return (1 - t) * colour(stops[k]) + t * colour(stops[k + 1]);
}

Vec3f thing_colour(int number) { return colour(things[std::size_t(number) % things.size()]); }

}  // namespace rtsim
