#include <openvdb/openvdb.h>
#include <openvdb/tools/FastSweeping.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "base/hash.h"
#include "cache/frame_writer.h"

namespace rtsim {

namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using openvdb::MaskTree;
using Point = openvdb::Vec3d;  // in voxels
using openvdb::Vec4s;

const float half_width = float(openvdb::LEVEL_SET_HALF_WIDTH);  // of the narrow band, in voxels

template <class T>
Point row_of(const FrameColumn& c, Index row) {
  Point p(0);
  T x;
  for (int a = 0; a < c.type.components; ++a) {
    std::memcpy(&x, c.bytes.data() + (std::size_t(row) * c.type.components + a) * sizeof x,
                sizeof x);
    p[a] = double(x);
  }
  return p;
}

// Positions in voxels; voxel (i,j,k) is centred on (i,j,k).
std::vector<Point> positions_in_voxels(const FrameObject& object, double voxel) {
  const FrameColumn& c = object.columns.at(0);
  std::vector<Point> x;
  x.reserve(std::size_t(object.rows));
  for (Index i = 0; i < object.rows; ++i) {
    x.push_back((c.type.scalar == Scalar::f64 ? row_of<double>(c, i) : row_of<float>(c, i)) /
                voxel);
    constexpr double reach = 1e9;  // voxels are numbered with 32 bits
    for (int a = 0; a < 3; ++a)
      if (!(std::abs(x.back()[a]) < reach))
        throw Error(ExitCode::diverged, "frame of '" + object.name + "': the position of row " +
                                            std::to_string(i) +
                                            " is not finite, or over 1e9 voxels away");
  }
  return x;
}

// Each particle's volume spread over its eight nearest voxels with trilinear weights: their sum is
// the volume of all particles. In the plane the volume is areal and one layer of voxels holds it.
FloatGrid::Ptr splat_density(const std::vector<Point>& x, double spacing, double voxel, int dim) {
  const FloatGrid::Ptr grid = FloatGrid::create(0);
  const double fraction = std::pow(spacing / voxel, dim);
  auto voxels = grid->getAccessor();
  for (const Point& p : x) {
    const Coord c = Coord::floor(p);
    const Point f = p - c.asVec3d();
    for (int k = 0; k < 8; ++k) {
      const double weight =
          (k & 1 ? f[0] : 1 - f[0]) * (k & 2 ? f[1] : 1 - f[1]) * (k & 4 ? f[2] : 1 - f[2]);
      if (weight == 0) continue;
      const auto add = [&](float& v) { v += float(weight * fraction); };
      voxels.modifyValue(c.offsetBy(k & 1, k >> 1 & 1, k >> 2), add);
    }
  }
  grid->setGridClass(openvdb::GRID_FOG_VOLUME);
  return grid;
}

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

// phi(v) = |v - xbar| - r with xbar the weighted mean of the particles within R of v, weights
// (1 - d^2/R^2)^3: Zhu & Bridson, "Animating sand as a fluid", SIGGRAPH 2005, eqs. 5-8. Known in
// the cells around the surface, in voxels; where no particle is near, far outside or inside. With
// R = 2 and r = 0.64 spacings the surface of a filled box is half a spacing off its last particles.
FloatGrid::Ptr rough_distance(const std::vector<Point>& x, double spacing) {
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

// The surface of the particles as signed distances [m], negative inside, in a narrow band.
FloatGrid::Ptr level_set(const std::vector<Point>& x, double spacing, double voxel) {
  const FloatGrid::Ptr grid = FloatGrid::create(float(half_width * voxel));
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  if (x.empty()) return grid;
  const FloatGrid::Ptr distance = openvdb::tools::sdfToSdf(*rough_distance(x, spacing / voxel));
  auto voxels = grid->getAccessor();
  for (auto d = distance->cbeginValueOn(); d; ++d)
    if (std::abs(*d) < half_width) voxels.setValue(d.getCoord(), float(*d * voxel));
  openvdb::tools::signedFloodFill(grid->tree());
  return grid;
}

void describe(FloatGrid& grid, const char* name, const char* unit, const Output& output,
              double voxel) {
  grid.setName(name);
  grid.setTransform(openvdb::math::Transform::createLinearTransform(voxel));
  grid.setSaveFloatAsHalf(output.half);
  grid.insertMeta("units", openvdb::StringMetadata(unit));
}

openvdb::MetaMap file_metadata(const RunInfo& info, const Frame& frame, const FrameObject& object) {
  openvdb::MetaMap m;
  m.insertMeta("format", openvdb::StringMetadata("rtsim-frame"));
  m.insertMeta("format_version", openvdb::Int64Metadata(1));
  m.insertMeta("run_id", openvdb::StringMetadata(info.run_id));
  m.insertMeta("object", openvdb::StringMetadata(object.name));
  m.insertMeta("kind", openvdb::StringMetadata(to_string(object.kind)));
  m.insertMeta("frame", openvdb::Int64Metadata(frame.index));
  m.insertMeta("step", openvdb::Int64Metadata(frame.step));
  m.insertMeta("time", openvdb::DoubleMetadata(frame.time));
  m.insertMeta("time_units", openvdb::StringMetadata("s"));
  return m;
}

// Version 8 of RFC 9562: the maker chooses the bits.
std::string uuid_of(const RunInfo& info, const Frame& frame, const FrameObject& object) {
  const std::string key = info.run_id + "/" + object.name + "/" + std::to_string(frame.index);
  const std::string h =
      hex(hash_bytes(key.data(), key.size(), 0)) + hex(hash_bytes(key.data(), key.size(), 1));
  return h.substr(0, 8) + "-" + h.substr(8, 4) + "-8" + h.substr(13, 3) + "-8" + h.substr(17, 3) +
         "-" + h.substr(20, 12);
}

// io::File ignores a full disk: this writes the same bytes to a stream that we can ask.
class Archive : public openvdb::io::Archive {
 public:
  openvdb::SharedPtr<openvdb::io::Archive> copy() const override {
    return openvdb::SharedPtr<openvdb::io::Archive>(new Archive(*this));
  }
  void write_to(std::ostream& out, const openvdb::GridCPtrVec& grids,
                const openvdb::MetaMap& meta) const {
    openvdb::io::Archive::write(out, grids, /*seekable=*/true, meta);
  }
};

void write_archive(const std::filesystem::path& path, const openvdb::GridCPtrVec& grids,
                   const openvdb::MetaMap& meta, const std::string& uuid) {
  constexpr std::streamoff uuid_at = 21;  // magic 8, format 4, library 8, seekable 1
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (out) Archive().write_to(out, grids, meta);
  // OpenVDB draws it at random, and no two runs would agree.
  out.seekp(uuid_at).write(uuid.data(), std::streamsize(uuid.size()));
  out.close();
  if (out) return;
  const std::string cause = errno ? std::strerror(errno) : "write error";
  throw Error(ExitCode::io, path.string() + ": cannot write: " + cause);
}

}  // namespace

void write_vdb(const std::filesystem::path& path, const RunInfo& info, const Frame& frame,
               const FrameFile& what) {
  openvdb::initialize();
  const FrameObject& object = what.object;
  const double voxel = what.output.voxel > 0 ? what.output.voxel : object.spacing;
  const std::vector<Point> x = positions_in_voxels(object, voxel);
  const FloatGrid::Ptr density = splat_density(x, object.spacing, voxel, object.dim);
  FloatGrid::Ptr surface;
  // OpenVDB's loops take what threads TBB gives: no more than the writer may use.
  const int threads = std::clamp(info.threads, 1, tbb::info::default_concurrency());
  tbb::task_arena(threads).execute([&] { surface = level_set(x, object.spacing, voxel); });
  describe(*density, "density", "1", what.output, voxel);
  describe(*surface, "surface", "m", what.output, voxel);
  write_archive(path, {density, surface}, file_metadata(info, frame, object),
                uuid_of(info, frame, object));
}

}  // namespace rtsim
