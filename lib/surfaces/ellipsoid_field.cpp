#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "surfaces/anisotropy.h"
#include "surfaces/signed_field.h"

namespace rtsim {

namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using Leaf = openvdb::FloatTree::LeafNodeType;
constexpr int side = Leaf::DIM;  // voxels

// The density at the surface. With it a ball of lattice particles has the volume of its particles,
// and the surface of a flat lattice is 0.43 spacings outside the last ones. Under 0.5, as the
// outermost kernels are thinner than those below.
constexpr double surface_density = 0.44;

// A particle that sees less than this is at a surface; 0.65 on a flat one, 0.90 in the layer below.
constexpr double surface_fill = 0.85;
// How far around those the field is wanted [spacings], besides the level set's band.
constexpr double surface_reach = 2;
// A kernel deep inside does not reach further, nor its centre from the particle [spacings].
constexpr double deep_reach = 1.5 * kernel_radius;

Coord leaf_of(const Coord& v) {
  return {v[0] >> Leaf::LOG2DIM, v[1] >> Leaf::LOG2DIM, v[2] >> Leaf::LOG2DIM};
}

// Blocks of voxels where the field is computed, numbered as they were met.
class Blocks {
 public:
  Blocks() = default;
  Blocks(const Blocks&) = delete;  // its reader points into it

  // Calls f(block) for each block that the box around p overlaps; block is in sides.
  template <class F>
  static void overlapped(const Vec3d& p, const Vec3d& reach, const F& f) {
    Coord low, high;
    for (int a = 0; a < 3; ++a) {
      low[a] = int(std::ceil(p[a] - reach[a]));
      high[a] = int(std::floor(p[a] + reach[a]));
    }
    low = leaf_of(low), high = leaf_of(high);
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int k = low[2]; k <= high[2]; ++k) f(Coord(i, j, k));
  }

  void add(const Vec3d& p, double reach) {
    overlapped(p, {{reach, reach, reach}}, [&](const Coord& block) {
      if (numbers_.getValue(block) >= 0) return;
      numbers_.setValue(block, int(blocks_.size()));
      blocks_.push_back(block);
    });
  }
  int number(const Coord& block) const { return reader_.getValue(block); }
  bool any(const Vec3d& p, double reach) const {
    bool found = false;
    overlapped(p, {{reach, reach, reach}}, [&](const Coord& b) { found |= number(b) >= 0; });
    return found;
  }
  const std::vector<Coord>& list() const { return blocks_; }

 private:
  openvdb::Int32Tree numbers_{-1};
  openvdb::tree::ValueAccessor<const openvdb::Int32Tree> reader_{numbers_};
  std::vector<Coord> blocks_;
};

// Which kernels each block gathers, in the order of the kernels.
struct Gather {
  std::vector<std::size_t> first;  // of each block in `kernels`, and their number
  std::vector<std::uint32_t> kernels;

  Gather(const Blocks& blocks, const std::vector<EllipsoidKernel>& all, double spacing)
      : first(blocks.list().size() + 1) {
    const auto each = [&](const auto& f) {
      for (std::size_t i = 0; i < all.size(); ++i)
        Blocks::overlapped(spacing * all[i].centre, spacing * all[i].reach, [&](const Coord& b) {
          const int n = blocks.number(b);
          if (n >= 0) f(std::size_t(n), std::uint32_t(i));
        });
    };
    each([&](std::size_t block, std::uint32_t) { ++first[block + 1]; });
    for (std::size_t b = 1; b < first.size(); ++b) first[b] += first[b - 1];
    kernels.resize(first.back());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    each([&](std::size_t block, std::uint32_t i) { kernels[next[block]++] = i; });
  }

  std::span<const std::uint32_t> of(std::size_t block) const {
    return {kernels.data() + first[block], kernels.data() + first[block + 1]};
  }
};

// Adds W to the voxels of a block. q = G (v - centre) is linear along a row of voxels.
void add_kernel(const EllipsoidKernel& k, double spacing, const Coord& origin, float* density) {
  int low[3], high[3];
  for (int a = 0; a < 3; ++a) {
    low[a] = std::max(0, int(std::ceil(spacing * (k.centre[a] - k.reach[a]))) - origin[a]);
    high[a] = std::min(side - 1, int(std::floor(spacing * (k.centre[a] + k.reach[a]))) - origin[a]);
  }
  const auto at = [&](int a, int v) { return (origin[a] + v) / spacing - k.centre[a]; };
  const float peak = float(k.peak), step = float(1 / spacing);
  const float gx = step * float(k.g[2]), gy = step * float(k.g[4]), gz = step * float(k.g[5]);
  for (int x = low[0]; x <= high[0]; ++x)
    for (int y = low[1]; y <= high[1]; ++y) {
      const double dx = at(0, x), dy = at(1, y), dz = at(2, 0);
      const float qx = float(k.g[0] * dx + k.g[1] * dy + k.g[2] * dz);
      const float qy = float(k.g[1] * dx + k.g[3] * dy + k.g[4] * dz);
      const float qz = float(k.g[2] * dx + k.g[4] * dy + k.g[5] * dz);
      float* row = density + (x * side + y) * side;
      for (int z = low[2]; z <= high[2]; ++z) {
        const float a = qx + float(z) * gx, b = qy + float(z) * gy, c = qz + float(z) * gz;
        const float rest = std::max(0.f, 1 - (a * a + b * b + c * c));
        row[z] += peak * rest * rest * rest;
      }
    }
}

// Adds the blocks around particles at a surface, as far as the surface and its band may reach.
void add_surface(Blocks& blocks, const PointCells& cells, const std::vector<Neighbourhood>& seen,
                 double spacing) {
  const double band = surface_reach * spacing + openvdb::LEVEL_SET_HALF_WIDTH;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i].fill < surface_fill) blocks.add(spacing * cells.points()[i], band);
}

// Deep inside no kernel is asked for.
std::vector<EllipsoidKernel> kernels_near(const Blocks& blocks, const PointCells& cells,
                                          const std::vector<Neighbourhood>& seen, double spacing,
                                          double smoothing) {
  std::vector<char> wanted(seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i)
    wanted[i] = seen[i].fill < surface_fill ||
                blocks.any(spacing * cells.points()[i], deep_reach * spacing);
  return ellipsoid_kernels(cells, seen, wanted, smoothing);
}

Leaf* new_leaf(const Coord& block, const std::vector<EllipsoidKernel>& kernels,
               std::span<const std::uint32_t> gathered, double spacing) {
  const Coord origin = block << Leaf::LOG2DIM;
  float density[Leaf::SIZE] = {};
  for (const std::uint32_t k : gathered) add_kernel(kernels[k], spacing, origin, density);
  auto* leaf = new Leaf(origin, float(surface_density), true);
  float* phi = leaf->buffer().data();
  for (int v = 0; v < int(Leaf::SIZE); ++v) phi[v] = float(surface_density) - density[v];
  return leaf;
}

}  // namespace

// Each voxel sums its kernels in their order, so threads change nothing.
FloatGrid::Ptr ellipsoid_field(const std::vector<openvdb::Vec3d>& x, double spacing,
                               double smoothing) {
  std::vector<Vec3d> points;  // in spacings
  for (const openvdb::Vec3d& p : x)
    points.push_back({{p[0] / spacing, p[1] / spacing, p[2] / spacing}});
  const PointCells cells(points, kernel_radius);
  const std::vector<Neighbourhood> seen = neighbourhoods(cells);
  Blocks blocks;
  add_surface(blocks, cells, seen, spacing);
  const std::vector<EllipsoidKernel> kernels =
      kernels_near(blocks, cells, seen, spacing, smoothing);
  const Gather gather(blocks, kernels, spacing);

  std::vector<Leaf*> leaves(blocks.list().size());
  tbb::parallel_for(std::size_t(0), leaves.size(), [&](std::size_t b) {
    leaves[b] = new_leaf(blocks.list()[b], kernels, gather.of(b), spacing);
  });
  const FloatGrid::Ptr field = FloatGrid::create(float(surface_density));
  for (Leaf* leaf : leaves) field->tree().addLeaf(leaf);
  return field;
}

}  // namespace rtsim
