#include "bodies/body_copies.h"

#include <cmath>

#include "base/random.h"
#include "shapes/rotation.h"

namespace rtsim {

namespace {

using Quaternion = std::array<double, 4>;
constexpr Quaternion no_turn{0, 0, 0, 1};

// Keys of the draws, apart from those of stages.
constexpr std::uint32_t shift_key = 0xB0D1E500, turn_key = 0xB0D1E501;

// K. Shoemake, "Uniform random rotations", Graphics Gems III, 1992.
Quaternion random_turn(const Random4& r, int dim) {
  const double a = 2 * pi * uniform(r.c[0]), b = 2 * pi * uniform(r.c[1]), u = uniform(r.c[2]);
  if (dim == 2) return {0, 0, std::sin(a / 2), std::cos(a / 2)};
  const double p = std::sqrt(1 - u), q = std::sqrt(u);
  return {p * std::sin(a), p * std::cos(a), q * std::sin(b), q * std::cos(b)};
}

std::vector<BodyCopy> on_lattice(const BodyArraySpec& a, int dim, std::uint64_t seed,
                                 std::uint64_t call) {
  std::vector<BodyCopy> copies;
  const int planes = dim == 3 ? int(a.count[2]) : 1;
  for (int k = 0; k < planes; ++k)
    for (int j = 0; j < int(a.count[1]); ++j)
      for (int i = 0; i < int(a.count[0]); ++i) {
        const auto id = std::uint32_t(copies.size());
        BodyCopy c{{{i * a.step[0], j * a.step[1], dim == 3 ? k * a.step[2] : 0}}, no_turn};
        const Random4 r = philox(seed, shift_key, call, id);
        for (int x = 0; x < dim; ++x) c.shift[x] += a.jitter * (2 * uniform(r.c[x]) - 1);
        if (a.random_rotation) c.turn = random_turn(philox(seed, turn_key, call, id), dim);
        copies.push_back(c);
      }
  return copies;
}

std::vector<BodyCopy> in_layers(const BodyPyramidSpec& p, const Vec3d& size, int dim) {
  std::vector<BodyCopy> copies;
  const double x = size[0] + p.gap, z = size[2] + p.gap;
  for (int row = 0; row < p.rows; ++row) {
    const int n = p.rows - row, deep = dim == 3 ? n : 1;
    for (int k = 0; k < deep; ++k)
      for (int i = 0; i < n; ++i)
        copies.push_back(
            {{{(i - 0.5 * (n - 1)) * x, row * size[1], (k - 0.5 * (deep - 1)) * z}}, no_turn});
  }
  return copies;
}

}  // namespace

std::vector<BodyCopy> copies_of(const BodySpec& b, const Vec3d& size, int dim, std::uint64_t seed,
                                std::uint64_t call) {
  if (b.array) return on_lattice(*b.array, dim, seed, call);
  if (b.pyramid) return in_layers(*b.pyramid, size, dim);
  return {{{}, no_turn}};
}

std::array<double, 4> product(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  const Vec3d u{{a[0], a[1], a[2]}}, v{{b[0], b[1], b[2]}};
  const Vec3d w = a[3] * v + b[3] * u + cross(u, v);
  return {w[0], w[1], w[2], a[3] * b[3] - dot(u, v)};
}

}  // namespace rtsim
