#include <openvdb/points/PointConversion.h>

#include <cstring>

#include "volumes/vdb_file.h"
#include "volumes/volume_writers.h"

namespace rtsim {

namespace {

namespace points = openvdb::points;
using IndexGrid = openvdb::tools::PointIndexGrid;

struct Points {
  IndexGrid::Ptr order;  // who lies in which voxel
  points::PointDataGrid::Ptr grid;
};

// `per_row` values of each row are one point's; OpenVDB has no unsigned integers: T is wider.
template <class T, class From = T>
void add_values(const Points& p, const FrameColumn& c, int per_row) {
  std::vector<From> read(c.bytes.size() / sizeof(From));
  if (!read.empty()) std::memcpy(read.data(), c.bytes.data(), c.bytes.size());
  const std::vector<T> values(read.begin(), read.end());
  const auto stride = openvdb::Index(per_row);
  points::appendAttribute<T>(p.grid->tree(), c.name, T(0), stride);
  points::populateAttribute(p.grid->tree(), p.order->tree(), c.name,
                            points::PointAttributeVector<T>(values, stride), stride);
}

void add_column(const Points& p, const FrameColumn& c) {
  const int n = c.type.components;
  const bool is_vector = n == 3;
  switch (c.type.scalar) {
    case Scalar::f32:
      return is_vector ? add_values<openvdb::Vec3f>(p, c, 1) : add_values<float>(p, c, n);
    case Scalar::f64:
      return is_vector ? add_values<openvdb::Vec3d>(p, c, 1) : add_values<double>(p, c, n);
    case Scalar::i32:
      return add_values<std::int32_t>(p, c, n);
    case Scalar::i64:
      return add_values<std::int64_t>(p, c, n);
    case Scalar::u32:
      return add_values<std::int64_t, std::uint32_t>(p, c, n);
    case Scalar::u8:
      return add_values<std::int32_t, std::uint8_t>(p, c, n);
  }
}

// Places are kept as floats from the middle of a voxel.
Points place(const std::vector<openvdb::Vec3d>& x) {
  const auto voxels = openvdb::math::Transform::createLinearTransform(1.0);
  const points::PointAttributeVector<openvdb::Vec3d> places(x);
  const auto order = openvdb::tools::createPointIndexGrid<IndexGrid>(places, *voxels);
  return {order, points::createPointDataGrid<points::NullCodec, points::PointDataGrid>(
                     *order, places, *voxels)};
}

}  // namespace

void write_vdb_points(const std::filesystem::path& path, const RunInfo& info, const Frame& frame,
                      const FrameFile& what) {
  openvdb::initialize();
  const FrameObject& object = what.object;
  const double voxel = 2 * object.spacing;  // of eight particles
  const std::vector<openvdb::Vec3d> x = positions_in_voxels(object, voxel);
  Points p;
  with_threads(info.threads, [&] {
    p = place(x);
    for (const FrameColumn& c : object.columns)
      if (c.name != "position") {
        add_column(p, c);
        p.grid->insertMeta("units_" + c.name, openvdb::StringMetadata(c.unit));
      }
  });
  write_vdb_file(path, info, frame, object, object.name + ".points", {{"points", "m", p.grid}},
                 {voxel}, false);
}

}  // namespace rtsim
