#include <algorithm>

#include "pictures/draw.h"
#include "pictures/shading.h"

namespace rtsim {

namespace {

// A corner on the screen; what is linear there: 1/depth, and the rest over depth.
struct Seen {
  Vec3f at, normal, colour;
  float inverse;  // 1 / depth
};

Seen seen(const Camera& camera, const Corner& c) {
  const Vec3f p = camera.project(c.x);
  return {p, camera.turned(c.normal), c.colour, 1 / p[2]};
}

float twice_area(const Vec3f& a, const Vec3f& b, float x, float y) {
  return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

class Triangle {
 public:
  Triangle(const Seen* c) : c_(c), area_(twice_area(c[0].at, c[1].at, c[2].at[0], c[2].at[1])) {}

  void draw(Raster& r, int begin, int end) const {
    if (area_ == 0) return;
    const auto [low, high] = std::minmax({c_[0].at[1], c_[1].at[1], c_[2].at[1]});
    const auto [left, right] = std::minmax({c_[0].at[0], c_[1].at[0], c_[2].at[0]});
    const int y0 = std::max(begin, int(std::floor(low))), y1 = std::min(end - 1, int(high) + 1);
    const int x0 = std::max(0, int(std::floor(left))), x1 = std::min(r.width - 1, int(right) + 1);
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) pixel(r, x, y);
  }

 private:
  void pixel(Raster& r, int x, int y) const {
    const float px = float(x) + 0.5f, py = float(y) + 0.5f, by = 1 / area_;
    const float a = by * twice_area(c_[1].at, c_[2].at, px, py);
    const float b = by * twice_area(c_[2].at, c_[0].at, px, py), c = 1 - a - b;
    if (a < 0 || b < 0 || c < 0) return;
    const float wa = a * c_[0].inverse, wb = b * c_[1].inverse, wc = c * c_[2].inverse;
    const float depth = 1 / (wa + wb + wc);
    const std::size_t p = r.at(x, y);
    if (!(depth < r.depth[p])) return;
    r.depth[p] = depth;
    const auto mixed = [&](const Vec3f& u, const Vec3f& v, const Vec3f& w) {
      return depth * (wa * u + wb * v + wc * w);
    };
    Vec3f n = mixed(c_[0].normal, c_[1].normal, c_[2].normal);
    const float length = norm(n);
    n = (n[2] < 0 ? -1 : 1) / (length > 0 ? length : 1) * n;
    r.colour[p] = shade(n) * mixed(c_[0].colour, c_[1].colour, c_[2].colour);
  }

  const Seen* c_;
  float area_;
};

// Corners of things that are `corners` of them together.
std::vector<Seen> project(const Camera& camera, const std::vector<Corner>& all) {
  std::vector<Seen> s;
  s.reserve(all.size());
  for (const Corner& c : all) s.push_back(seen(camera, c));
  return s;
}

Bands into_bands(const Raster& r, const std::vector<Seen>& s, std::size_t corners, float margin) {
  std::vector<std::int32_t> first(s.size() / corners, 0), last(first.size(), -1);
  for (std::size_t t = 0; t < first.size(); ++t) {
    float low = 1e30f, high = -1e30f;
    bool before = true;
    for (std::size_t k = 0; k < corners; ++k) {
      const Vec3f& p = s[corners * t + k].at;
      low = std::min(low, p[1]), high = std::max(high, p[1]);
      before = before && p[2] > 0 && std::abs(p[0]) < 1e5f && std::abs(p[1]) < 1e5f;
    }
    if (!before) continue;
    first[t] = std::int32_t(std::floor(low - margin)), last[t] = std::int32_t(high + margin) + 1;
  }
  return sort_into_bands(r, first, last);
}

// Pixels nearer to the line than half its width; a line lies before the surface that it is part of.
void draw_line(Raster& r, const Seen& a, const Seen& b, float width, int begin, int end) {
  const float dx = b.at[0] - a.at[0], dy = b.at[1] - a.at[1];
  const int steps = std::max(1, int(std::ceil(1.5f * std::max(std::abs(dx), std::abs(dy)))));
  const float half = 0.5f * width;
  for (int k = 0; k <= steps; ++k) {
    const float t = float(k) / float(steps);
    const float x = a.at[0] + t * dx, y = a.at[1] + t * dy;
    const float depth = 0.999f * (a.at[2] + t * (b.at[2] - a.at[2]));
    for (int v = std::max(begin, int(std::floor(y - half)));
         v <= std::min(end - 1, int(std::floor(y + half))); ++v)
      for (int u = std::max(0, int(std::floor(x - half)));
           u <= std::min(r.width - 1, int(std::floor(x + half))); ++u) {
        const std::size_t p = r.at(u, v);
        if (!(depth < r.depth[p])) continue;
        r.depth[p] = depth, r.colour[p] = (1 - t) * a.colour + t * b.colour;
      }
  }
}

}  // namespace

void draw_triangles(Raster& r, const Camera& camera, const std::vector<Corner>& all) {
  const std::vector<Seen> s = project(camera, all);
  const Bands bands = into_bands(r, s, 3, 0);
  for_bands(r, [&](int band, int begin, int end) {
    for (auto k = bands.first[std::size_t(band)]; k < bands.first[std::size_t(band) + 1]; ++k)
      Triangle(&s[3 * bands.things[k]]).draw(r, begin, end);
  });
}

void draw_lines(Raster& r, const Camera& camera, const std::vector<Corner>& all, float width) {
  width *= float(r.finer);
  const std::vector<Seen> s = project(camera, all);
  const Bands bands = into_bands(r, s, 2, width);
  for_bands(r, [&](int band, int begin, int end) {
    for (auto k = bands.first[std::size_t(band)]; k < bands.first[std::size_t(band) + 1]; ++k)
      draw_line(r, s[2 * bands.things[k]], s[2 * bands.things[k] + 1], width, begin, end);
  });
}

}  // namespace rtsim
