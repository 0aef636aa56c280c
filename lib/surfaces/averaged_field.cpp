#include <algorithm>
#include <cmath>

#include "surfaces/signed_field.h"

namespace rtsim {

namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using openvdb::MaskTree;
using Point = openvdb::Vec3d;  // in voxels
using openvdb::Vec4s;

const float half_width = float(openvdb::LEVEL_SET_HALF_WIDTH);  // of the narrow band, in voxels

// Calls f(c) for every c with |c - centre| <= reach in each axis.
template <class F>
void for_neighbours(Coord centre, int reach, F f) {
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = -reach; k <= reach; ++k) f(centre.offsetBy(i, j, k));
}

MaskTree dilated(const MaskTree& cells, int reach) {
  MaskTree out;
  openvdb::tree::ValueAccessor<MaskTree> write(out);
  for (auto c = cells.cbeginValueOn(); c; ++c)
    for_neighbours(c.getCoord(), reach, [&](Coord n) { write.setValueOn(n); });
  return out;
}

// Cells of `size` voxels, about one kernel radius, sort the space: an occupied cell with an empty
// neighbour may hold surface; other occupied cells lie inside, whatever small gaps their particles
// leave, and cost nothing.
struct SurfaceCells {
  SurfaceCells(const std::vector<Point>& x, int size) : size(size) {
    openvdb::tree::ValueAccessor<MaskTree> write(occupied);
    for (const Point& p : x) write.setValueOn(cell_of(Coord::round(p)));
    openvdb::tree::ValueAccessor<const MaskTree> read(occupied);
    for (auto c = occupied.cbeginValueOn(); c; ++c) {
      bool open = false;
      for_neighbours(c.getCoord(), 1, [&](Coord n) { open |= !read.isValueOn(n); });
      if (open) surface.setValueOn(c.getCoord());
    }
  }

  Coord cell_of(Coord v) const { return {down(v[0]), down(v[1]), down(v[2])}; }
  int down(int v) const { return v >= 0 ? v / size : -((size - 1 - v) / size); }

  template <class F>
  void for_voxels(Coord cell, F f) const {
    for (int k = 0; k < size * size * size; ++k)
      f(Coord(cell[0] * size + k / (size * size), cell[1] * size + k / size % size,
              cell[2] * size + k % size));
  }

  int size;
  MaskTree occupied, surface;
};

// Sums over neighbours p of voxel v: w (p - v), and w last; all in voxels.
using Sums = openvdb::tree::Tree4<Vec4s, 5, 4, 3>::Type;

void sum_neighbours(const std::vector<Point>& x, const SurfaceCells& cells, double radius,
                    Sums& sums) {
  const MaskTree near = dilated(cells.surface, 1);
  openvdb::tree::ValueAccessor<const MaskTree> is_near(near);
  openvdb::tree::ValueAccessor<Sums> voxels(sums);
  for (const Point& p : x) {
    const Coord home = Coord::round(p);
    if (!is_near.isValueOn(cells.cell_of(home))) continue;
    for_neighbours(home, int(std::ceil(radius)), [&](Coord v) {
      const Point d = p - v.asVec3d();
      const double q = 1 - d.lengthSqr() / (radius * radius);
      Vec4s sum;
      if (q <= 0 || !voxels.probeValue(v, sum)) return;
      const double w = q * q * q;
      voxels.setValueOnly(v,
                          sum + Vec4s(float(w * d[0]), float(w * d[1]), float(w * d[2]), float(w)));
    });
  }
}

}  // namespace

// Weights are (1 - d^2/R^2)^3. Known in the cells around the surface, in voxels; where no particle
// is near, far outside or inside. With a kernel radius of 2 and a particle radius of 0.64 spacings
// the surface of a filled box is half a spacing off its last particles.
FloatGrid::Ptr averaged_field(const std::vector<Point>& x, double spacing) {
  const double size = std::max(spacing, 1.0), kernel_radius = 2 * size, radius = 0.64 * size;
  const SurfaceCells cells(x, int(std::ceil(kernel_radius)));
  const int rings = int(std::ceil((half_width + radius) / cells.size));
  const MaskTree shell = dilated(cells.surface, rings);

  const FloatGrid::Ptr phi = FloatGrid::create(half_width);
  auto voxels = phi->getAccessor();
  Sums sums;
  openvdb::tree::ValueAccessor<Sums> open(sums);
  for (auto c = shell.cbeginValueOn(); c; ++c) {
    const bool inside =
        cells.occupied.isValueOn(c.getCoord()) && !cells.surface.isValueOn(c.getCoord());
    cells.for_voxels(c.getCoord(), [&](Coord v) {
      voxels.setValue(v, inside ? float(-radius) : half_width);
      if (!inside) open.setValue(v, Vec4s(0.f));
    });
  }
  sum_neighbours(x, cells, kernel_radius, sums);
  for (auto s = sums.cbeginValueOn(); s; ++s) {
    const Vec4s& sum = *s;
    if (sum[3] <= 0) continue;
    const double distance = openvdb::Vec3s(sum[0], sum[1], sum[2]).length() / sum[3];
    voxels.setValue(s.getCoord(), float(distance - radius));
  }
  return phi;
}

}  // namespace rtsim
