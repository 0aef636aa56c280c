#include <fmt/format.h>
#include <openvdb/io/Stream.h>

#include <cmath>
#include <exception>
#include <fstream>
#include <ios>
#include <new>
#include <optional>
#include <string>

#include "base/printable.h"
#include "shapes/level_set.h"
#include "shapes/mesh_text.h"
#include "surfaces/signed_field.h"
#include "volumes/vdb_file.h"

namespace rtsim {

namespace {

using openvdb::FloatGrid;
using openvdb::GridBase;

// A stream that complains finds the end of a file that is cut off, where io::File goes on with
// what it happens to hold.
openvdb::GridPtrVec read_grids(const std::string& file) try {
  std::ifstream in(file, std::ios::binary);
  in.exceptions(std::ios::failbit | std::ios::badbit);
  return *openvdb::io::Stream(in, /*delayLoad=*/false).getGrids();
} catch (const std::ios::failure&) {
  mesh_fault(file, "ends too early, or cannot be read; write it again");
} catch (const std::bad_alloc&) {
  mesh_fault(file, "needs more memory than there is, or is damaged; write it again");
} catch (const std::exception& e) {
  mesh_fault(file, fmt::format("is no OpenVDB file that can be read ({}); write it again",
                               printable(e.what())));
}

// What of it is real, in single precision.
FloatGrid::Ptr real_grid(const GridBase::Ptr& grid) {
  if (auto single = openvdb::gridPtrCast<FloatGrid>(grid)) return single;
  const auto wide = openvdb::gridPtrCast<openvdb::DoubleGrid>(grid);
  return wide ? std::make_shared<FloatGrid>(*wide) : nullptr;
}

bool is_level_set(const GridBase& grid) { return grid.getGridClass() == openvdb::GRID_LEVEL_SET; }

std::string tell(const GridBase& grid) {
  const bool real = grid.isType<FloatGrid>() || grid.isType<openvdb::DoubleGrid>();
  return fmt::format("'{}' ({})", printable(grid.getName()),
                     is_level_set(grid)                                        ? "a level set"
                     : grid.getGridClass() == openvdb::GRID_FOG_VOLUME && real ? "a density"
                                                                               : grid.valueType());
}

std::string tell_all(const openvdb::GridPtrVec& grids) {
  if (grids.empty()) return "holds no grids";
  std::string all;
  for (const GridBase::Ptr& g : grids) all += (all.empty() ? "" : ", ") + tell(*g);
  return "holds " + all;
}

FloatGrid::Ptr named(const openvdb::GridPtrVec& grids, const std::string& name,
                     const std::string& file) {
  for (const GridBase::Ptr& g : grids) {
    if (g->getName() != name) continue;
    if (auto real = real_grid(g)) return real;
    mesh_fault(file, fmt::format("its grid {} holds no real numbers, so it has no surface; it {}",
                                 tell(*g), tell_all(grids)));
  }
  mesh_fault(file, fmt::format("has no grid '{}'; it {}", name, tell_all(grids)));
}

// The only level set, or for a density the only other grid of real numbers.
FloatGrid::Ptr only(const openvdb::GridPtrVec& grids, bool density, const std::string& file) {
  FloatGrid::Ptr found;
  for (const GridBase::Ptr& g : grids) {
    const auto real = real_grid(g);
    if (!real || is_level_set(*g) == density) continue;
    if (found)
      mesh_fault(file, fmt::format("has several grids that can be meant; name one of them in "
                                   "\"grid\": it {}",
                                   tell_all(grids)));
    found = real;
  }
  if (found) return found;
  if (density)
    mesh_fault(file, fmt::format("has no density; it {}, and level sets need no \"least_density\"",
                                 tell_all(grids)));
  mesh_fault(file, fmt::format("has no level set; it {}. Of a density give \"least_density\", "
                               "above which it is solid",
                               tell_all(grids)));
}

void check_class(const FloatGrid& grid, bool density, const std::string& file) {
  if (is_level_set(grid) == !density) return;
  mesh_fault(file, density ? fmt::format("its grid {} needs no \"least_density\": it is solid "
                                         "below zero",
                                         tell(grid))
                           : fmt::format("its grid {} is no level set; give \"least_density\", "
                                         "above which it is solid",
                                         tell(grid)));
}

TriangleMesh surface_in(const std::string& file, const std::string& name,
                        std::optional<double> least) {
  openvdb::initialize();
  const openvdb::GridPtrVec grids = read_grids(file);
  const FloatGrid::Ptr grid =
      name.empty() ? only(grids, least.has_value(), file) : named(grids, name, file);
  check_class(*grid, least.has_value(), file);
  // Solid without end outside of its voxels, which a mesh cannot be.
  const double value = least.value_or(0);
  if (least ? !(double(grid->background()) < value) : !(grid->background() > 0))
    mesh_fault(file, fmt::format("its grid {} is solid where it has no voxels", tell(*grid)));
  TriangleMesh mesh;
  with_threads(1, [&] { mesh = contour(*grid, value, 1); });
  for (Vec3d& v : mesh.vertices) {
    const openvdb::Vec3d x = grid->indexToWorld(openvdb::Vec3d(v[0], v[1], v[2]));
    v = {{x[0], x[1], x[2]}};
    if (!std::isfinite(norm(v)))
      mesh_fault(file, fmt::format("the transform of its grid {} is not finite", tell(*grid)));
  }
  return mesh;
}

}  // namespace

}  // namespace rtsim

extern "C" __attribute__((visibility("default")))
const rtsim::VolumeReader RTSIM_VOLUME_READER{rtsim::surface_in};
