#include <algorithm>

#include "base/concurrent_for.h"
#include "pictures/draw.h"

namespace rtsim {

namespace {

// What a ray meets in a cell: how much it dims a metre, and the light there.
struct Sample {
  float density, light;
};

// Planes of z, worked on at once.
template <class Work>
void for_planes(const Smoke& s, int threads, const Work& work) {
  concurrent_for(std::size_t(s.cells[2]), threads, work);
}

std::vector<Sample> lit(const Smoke& s, int threads) {
  const std::size_t nx = std::size_t(s.cells[0]), ny = std::size_t(s.cells[1]);
  std::vector<Sample> out(nx * ny * std::size_t(s.cells[2]));
  for_planes(s, threads, [&](std::size_t z) {
    std::vector<float> above(nx);
    for (std::size_t y = ny; y-- > 0;)
      for (std::size_t x = 0; x < nx; ++x) {
        const std::size_t c = x + nx * (y + ny * z);
        const float own = s.spacing * s.density[c];
        // Skylight reaches also where the sun does not. Half of a depth that is too small to be
        // seen is not worth its exponential.
        const float depth = above[x] + 0.5f * own;
        out[c] = {s.density[c], depth < 1e-4f ? 1.0f : 0.35f + 0.65f * std::exp(-depth)};
        above[x] += own;
      }
  });
  return out;
}

// Blocks of cells that hold nothing to be seen. A sample between two blocks reads cells of both, so
// that a block is empty only if the cells next to it are too.
class Bricks {
 public:
  static constexpr int edge = 8;  // cells

  explicit Bricks(const Smoke& s) {
    int longest = 0;
    for (int a = 0; a < 3; ++a) {
      count_[a] = (s.cells[a] + edge - 1) / edge;
      longest = std::max(longest, s.cells[a]);
    }
    // A box full of it would change no colour by half a step of 255.
    const float least = 0.5f / 255 / (float(longest) * s.spacing);
    filled_.assign(std::size_t(count_[0]) * std::size_t(count_[1]) * std::size_t(count_[2]), 0);
    for (int z = 0; z < s.cells[2]; ++z)
      for (int y = 0; y < s.cells[1]; ++y) {
        const float* row = &s.density[std::size_t(s.cells[0]) *
                                      (std::size_t(y) + std::size_t(s.cells[1]) * std::size_t(z))];
        for (int x = 0; x < s.cells[0]; ++x)
          if (row[x] > least) fill(x, y, z);
      }
  }

  bool empty(int x, int y, int z) const { return !filled_[at(x / edge, y / edge, z / edge)]; }

 private:
  std::size_t at(int x, int y, int z) const {
    return std::size_t(x) +
           std::size_t(count_[0]) * (std::size_t(y) + std::size_t(count_[1]) * std::size_t(z));
  }
  // Of a cell its brick, and those of the cells around it.
  void fill(int x, int y, int z) {
    const auto first = [](int c) { return std::max(c - 1, 0) / edge; };
    const auto last = [&](int c, int a) { return std::min((c + 1) / edge, count_[a] - 1); };
    for (int k = first(z); k <= last(z, 2); ++k)
      for (int j = first(y); j <= last(y, 1); ++j)
        for (int i = first(x); i <= last(x, 0); ++i) filled_[at(i, j, k)] = 1;
  }

  int count_[3];
  std::vector<std::uint8_t> filled_;
};

class March {
 public:
  March(const Smoke& s, int threads) : s_(s), cells_(lit(s, threads)), bricks_(s) {}

  // Light that comes along a ray, and the share of what stands behind at `depth` that still shows.
  Vec3f along(const Vec3f& from, const Vec3f& along, float depth, float& clear) const {
    clear = 1;
    float enter = 0, leave = depth;
    for (int a = 0; a < 3; ++a) {
      const float high = s_.low[a] + s_.spacing * float(s_.cells[a]);
      if (along[a] == 0) {
        if (from[a] < s_.low[a] || from[a] > high) return {};
        continue;
      }
      const float t0 = (s_.low[a] - from[a]) / along[a], t1 = (high - from[a]) / along[a];
      enter = std::max(enter, std::min(t0, t1)), leave = std::min(leave, std::max(t0, t1));
    }
    Vec3f light;
    const float step = s_.spacing;
    const int steps = int((leave - enter) / step);
    for (int k = 0; k <= steps && clear > 0.01f; ++k) {
      const float t = enter + (float(k) + 0.5f) * step;
      if (t >= leave) break;
      const Vec3f x = from + t * along;
      if (const int skip = empty_steps(x, along); skip > 0) {
        k += skip - 1;
        continue;
      }
      const Sample p = at(x);
      if (p.density <= 0) continue;
      const float through = std::exp(-step * p.density), grey = clear * (1 - through) * p.light;
      light = light + grey * Vec3f{{1, 1, 1}};
      clear *= through;
    }
    return light;
  }

 private:
  // So many steps from here on meet nothing; the samples stay where they would be without.
  int empty_steps(const Vec3f& x, const Vec3f& along) const {
    int cell[3];
    for (int a = 0; a < 3; ++a)
      cell[a] = std::clamp(int((x[a] - s_.low[a]) / s_.spacing), 0, s_.cells[a] - 1);
    if (!bricks_.empty(cell[0], cell[1], cell[2])) return 0;
    float leave = 3.0f * Bricks::edge * s_.spacing;
    for (int a = 0; a < 3; ++a) {
      if (along[a] == 0) continue;
      const int brick = cell[a] / Bricks::edge + (along[a] > 0 ? 1 : 0);
      const float side = s_.low[a] + s_.spacing * float(brick * Bricks::edge);
      leave = std::min(leave, (side - x[a]) / along[a]);
    }
    return std::max(1, int(std::ceil(leave / s_.spacing)));
  }

  // Between the eight centres around.
  Sample at(const Vec3f& x) const {
    std::size_t first[3], second[3];
    float share[3];
    for (int a = 0; a < 3; ++a) {
      const float u =
          std::clamp((x[a] - s_.low[a]) / s_.spacing - 0.5f, 0.0f, float(s_.cells[a] - 1));
      first[a] = std::size_t(u);
      second[a] = std::min(first[a] + 1, std::size_t(s_.cells[a]) - 1);
      share[a] = u - float(first[a]);
    }
    const std::size_t nx = std::size_t(s_.cells[0]), nxy = nx * std::size_t(s_.cells[1]);
    const auto line = [&](std::size_t y, std::size_t z) {
      const Sample *row = &cells_[nx * y + nxy * z], &p = row[first[0]], &q = row[second[0]];
      return Sample{p.density + share[0] * (q.density - p.density),
                    p.light + share[0] * (q.light - p.light)};
    };
    const auto mix = [](const Sample& p, const Sample& q, float t) {
      return Sample{p.density + t * (q.density - p.density), p.light + t * (q.light - p.light)};
    };
    return mix(mix(line(first[1], first[2]), line(second[1], first[2]), share[1]),
               mix(line(first[1], second[2]), line(second[1], second[2]), share[1]), share[2]);
  }

  const Smoke& s_;
  std::vector<Sample> cells_;
  Bricks bricks_;
};

}  // namespace

// A ray to every second pixel of every second line: smoke is smooth, and between rays lies their
// mean.
void draw_smoke(Raster& r, const Camera& camera, const Smoke& s) {
  const March march(s, r.threads);
  struct Ray {
    Vec3f light;
    float clear;
  };
  const int wide = r.width / 2 + 2, high = r.height / 2 + 2;
  std::vector<Ray> rays(std::size_t(wide) * std::size_t(high));
  Raster coarse(wide, high, {});
  coarse.threads = r.threads;
  for_bands(coarse, [&](int, int begin, int end) {
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < wide; ++x) {
        Vec3f from, along;
        camera.ray(float(2 * x), float(2 * y), from, along);
        const int u = std::min(2 * x, r.width - 1), v = std::min(2 * y, r.height - 1);
        Ray& ray = rays[coarse.at(x, y)];
        ray.light = march.along(from, along, camera.reach(along, r.depth[r.at(u, v)]), ray.clear);
      }
  });
  for_bands(r, [&](int, int begin, int end) {
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < r.width; ++x) {
        const int u = x / 2, v = y / 2;
        const float s1 = 0.25f + 0.5f * float(x % 2), s0 = 1 - s1;
        const float t1 = 0.25f + 0.5f * float(y % 2), t0 = 1 - t1;
        const Ray &a = rays[coarse.at(u, v)], &b = rays[coarse.at(u + 1, v)],
                  &c = rays[coarse.at(u, v + 1)], &d = rays[coarse.at(u + 1, v + 1)];
        const float clear = t0 * (s0 * a.clear + s1 * b.clear) + t1 * (s0 * c.clear + s1 * d.clear);
        Vec3f& pixel = r.colour[r.at(x, y)];
        pixel =
            clear * pixel + t0 * (s0 * a.light + s1 * b.light) + t1 * (s0 * c.light + s1 * d.light);
      }
  });
}

}  // namespace rtsim
