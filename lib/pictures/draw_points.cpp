#include <algorithm>

#include "pictures/draw.h"
#include "pictures/shading.h"

namespace rtsim {

namespace {

struct Disc {
  Vec3f at;
  float radius;  // [pixels]
  Vec3f colour;
};

void draw(Raster& r, const Disc& d, float depth_of_radius, int begin, int end) {
  const int low = std::max(begin, int(std::floor(d.at[1] - d.radius))),
            high = std::min(end - 1, int(std::ceil(d.at[1] + d.radius)));
  const int left = std::max(0, int(std::floor(d.at[0] - d.radius))),
            right = std::min(r.width - 1, int(std::ceil(d.at[0] + d.radius)));
  const float by = 1 / d.radius, nearest = d.at[2] - depth_of_radius;
  for (int y = low; y <= high; ++y)
    for (int x = left; x <= right; ++x) {
      const std::size_t p = r.at(x, y);
      if (nearest >= r.depth[p]) continue;  // most of what lies inside
      const float u = (float(x) + 0.5f - d.at[0]) * by, v = (d.at[1] - float(y) - 0.5f) * by;
      const float rest = 1 - u * u - v * v;
      if (rest < 0) continue;
      const float w = std::sqrt(rest), depth = d.at[2] - depth_of_radius * w;
      if (!(depth < r.depth[p])) continue;
      r.depth[p] = depth;
      r.colour[p] = shade({{u, v, w}}) * d.colour;
    }
}

}  // namespace

void draw_points(Raster& r, const Camera& camera, const std::vector<Vec3f>& centre,
                 const std::vector<Vec3f>& colour, float radius) {
  std::vector<Disc> discs(centre.size());
  std::vector<std::int32_t> first(centre.size()), last(centre.size());
  for (std::size_t i = 0; i < centre.size(); ++i) {
    const Vec3f p = camera.project(centre[i]);
    // A ball less than a pixel wide still covers one.
    discs[i] = {p, std::max(0.71f, radius * camera.scale(p[2])), colour[i]};
    const bool seen =
        p[2] > 0 && p[0] > -1e4f && p[0] < 1e5f && std::abs(p[1]) < 1e5f && discs[i].radius < 1e5f;
    first[i] = seen ? std::int32_t(std::floor(p[1] - discs[i].radius)) : 0;
    last[i] = seen ? std::int32_t(std::ceil(p[1] + discs[i].radius)) : -1;
  }
  const Bands bands = sort_into_bands(r, first, last);
  for_bands(r, [&](int band, int begin, int end) {
    // From the nearest on: those behind then cost little.
    std::vector<std::uint32_t> order(bands.things.begin() + bands.first[std::size_t(band)],
                                     bands.things.begin() + bands.first[std::size_t(band) + 1]);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return discs[i].at[2]; });
    for (const std::uint32_t i : order) draw(r, discs[i], radius, begin, end);
  });
}

}  // namespace rtsim
