#include "pictures/raster.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <thread>

namespace rtsim {

Raster::Raster(int w, int h, const Vec3f& background)
    : width(w),
      height(h),
      colour(std::size_t(w) * std::size_t(h), background),
      depth(colour.size(), std::numeric_limits<float>::infinity()) {}

namespace {

int bands_of(const Raster& r) { return (r.height + band_height - 1) / band_height; }

}  // namespace

void for_bands(const Raster& r, const std::function<void(int, int, int)>& work) {
  std::atomic<int> next = 0;
  const auto take = [&] {
    for (int b; (b = next++) < bands_of(r);)
      work(b, b * band_height, std::min(r.height, (b + 1) * band_height));
  };
  std::vector<std::jthread> others;
  for (int k = 1; k < r.threads; ++k) others.emplace_back(take);
  take();
}

Bands sort_into_bands(const Raster& r, const std::vector<std::int32_t>& first_y,
                      const std::vector<std::int32_t>& last_y) {
  const int bands = bands_of(r);
  const auto range = [&](std::size_t i) {
    const int low = std::max(first_y[i], 0), high = std::min(last_y[i], r.height - 1);
    return low > high ? std::array{0, -1} : std::array{low / band_height, high / band_height};
  };
  Bands b{std::vector<std::uint32_t>(std::size_t(bands) + 1), {}};
  for (std::size_t i = 0; i < first_y.size(); ++i)
    for (auto [k, last] = range(i); k <= last; ++k) ++b.first[std::size_t(k) + 1];
  for (std::size_t k = 0; k < std::size_t(bands); ++k) b.first[k + 1] += b.first[k];
  b.things.resize(b.first.back());
  std::vector<std::uint32_t> place(b.first.begin(), b.first.end() - 1);
  for (std::size_t i = 0; i < first_y.size(); ++i)
    for (auto [k, last] = range(i); k <= last; ++k)
      b.things[place[std::size_t(k)]++] = std::uint32_t(i);
  return b;
}

void darken_edges(Raster& r) {
  constexpr std::array<std::array<int, 2>, 4> around{{{2, 0}, {-2, 0}, {0, 2}, {0, -2}}};
  float nearest = std::numeric_limits<float>::infinity(), farthest = 0;
  for (const float d : r.depth)
    if (std::isfinite(d)) nearest = std::min(nearest, d), farthest = std::max(farthest, d);
  if (!(farthest > nearest)) return;
  const float strength = 40 / (farthest - nearest);
  const std::vector<float>& depth = r.depth;
  for_bands(r, [&](int, int begin, int end) {
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < r.width; ++x) {
        const float own = depth[r.at(x, y)];
        if (!std::isfinite(own)) continue;
        float behind = 0;
        for (const auto& [dx, dy] : around) {
          const int u = std::clamp(x + dx, 0, r.width - 1), v = std::clamp(y + dy, 0, r.height - 1);
          behind += std::max(0.0f, own - depth[r.at(u, v)]);
        }
        const float light = 1 / (1 + 0.25f * std::min(strength * behind, 4.0f));
        r.colour[r.at(x, y)] = light * r.colour[r.at(x, y)];
      }
  });
}

}  // namespace rtsim
