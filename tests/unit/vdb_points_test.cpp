#include <openvdb/points/PointConversion.h>

#include <catch2/catch.hpp>

#include "base/error.h"
#include "cache/volumes.h"
#include "cache_scratch.h"
#include "convert/format.h"
#include "convert/frame_formats.h"

using namespace rtsim;
using Catch::Matchers::Contains;
using PointPlace = openvdb::Vec3d;
using openvdb::Vec3f;
namespace fs = std::filesystem;
namespace points = openvdb::points;

namespace {

// What `convert --to vdb_points` makes of a frame.
struct PointsFile {
  explicit PointsFile(const FrameObject& object, int threads = 1) {
    const Frame frame = frame_of(object);
    FileSink sink(scratch.folder);
    write_frame_vdb_points({frame, object, frame.files[0].output, {"run", threads}, {}}, sink);
    path = scratch.folder / sink.written().at(0).path;
  }
  points::PointDataGrid::Ptr grid() const {
    openvdb::initialize();
    openvdb::io::File file(path.string());
    file.open();
    return openvdb::gridPtrCast<points::PointDataGrid>(file.readGrid("points"));
  }

  Scratch scratch;
  fs::path path;
};

// The attribute `name` of the points, by their ids.
template <class T>
std::map<std::int64_t, T> by_id(const points::PointDataGrid& grid, const char* name,
                                openvdb::Index component = 0) {
  std::map<std::int64_t, T> values;
  for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
    const points::AttributeHandle<std::int64_t> id(leaf->constAttributeArray("id"));
    const points::AttributeHandle<T> value(leaf->constAttributeArray(name));
    for (auto i = leaf->beginIndexOn(); i; ++i) values[id.get(*i)] = value.get(*i, component);
  }
  return values;
}

std::map<std::int64_t, PointPlace> places_by_id(const points::PointDataGrid& grid) {
  std::map<std::int64_t, PointPlace> places;
  for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
    const points::AttributeHandle<std::int64_t> id(leaf->constAttributeArray("id"));
    const points::AttributeHandle<Vec3f> p(leaf->constAttributeArray("P"));
    for (auto i = leaf->beginIndexOn(); i; ++i)
      places[id.get(*i)] =
          grid.transform().indexToWorld(PointPlace(p.get(*i)) + i.getCoord().asVec3d());
  }
  return places;
}

// What block(side, dim) has of the row with this id: see there.
PointPlace place_in_block(std::int64_t id, int side, int dim) {
  const int n = dim == 3 ? side * side * side : side * side, k = n - int(id);
  const int cell[3] = {k % side, k / side % side, k / (side * side)};
  return {(cell[0] + 0.5) * 0.1, (cell[1] + 0.5) * 0.1, dim == 3 ? (cell[2] + 0.5) * 0.1 : 0};
}

}  // namespace

TEST_CASE("vdb_points: every particle is a point with its columns, in space and in the plane") {
  const int dim = GENERATE(3, 2), side = 9;
  const auto grid = PointsFile(block(side, dim)).grid();
  REQUIRE(grid);
  CHECK(grid->metaValue<std::string>("units_velocity") == "m/s");
  const auto place = places_by_id(*grid);
  const auto velocity = by_id<Vec3f>(*grid, "velocity");
  const auto density = by_id<float>(*grid, "density");
  const int n = dim == 3 ? side * side * side : side * side;
  REQUIRE(place.size() == std::size_t(n));
  CHECK(points::pointCount(grid->tree()) == openvdb::Index64(n));
  for (const auto& [id, x] : place) {
    const PointPlace is = place_in_block(id, side, dim);
    CHECK((x - is).length() < 1e-6);  // floats of 1 m
    CHECK((PointPlace(velocity.at(id)) - is).length() < 1e-6);
    CHECK(density.at(id) == 1000 + std::sin(float(n - id)));
  }
}

TEST_CASE("vdb_points: doubles, small integers and matrices are attributes too") {
  FrameObject object = block(1);
  object.columns.push_back(column_of<double>("level", "", 1, {0.1}));
  object.columns.push_back(column_of<std::uint8_t>("group", "", 1, {200}));
  object.columns.push_back(column_of<float>("shape", "", 9, {0, 1, 2, 3, 4, 5, 6, 7, 8}));
  const auto grid = PointsFile(object).grid();
  CHECK(by_id<double>(*grid, "level").at(1) == 0.1);
  CHECK(by_id<std::int32_t>(*grid, "group").at(1) == 200);
  for (openvdb::Index k = 0; k < 9; ++k) CHECK(by_id<float>(*grid, "shape", k).at(1) == float(k));
}

TEST_CASE("vdb_points: two in one place are two points, and none are an empty grid") {
  FrameObject object = block(2);
  std::memcpy(object.columns[0].bytes.data() + 12, object.columns[0].bytes.data(), 12);
  CHECK(points::pointCount(PointsFile(object).grid()->tree()) == 8);
  CHECK(points::pointCount(PointsFile(block(0)).grid()->tree()) == 0);
}

TEST_CASE("vdb_points: equal frames are equal files on any number of threads") {
  const FrameObject object = block(24);  // in several leaves
  const std::string one = read_file(PointsFile(object, 1).path);
  CHECK(read_file(PointsFile(object, 3).path) == one);
}

TEST_CASE("vdb_points: a position that is no number names its row") {
  FrameObject object = block(4);
  const float bad = NAN;
  std::memcpy(object.columns[0].bytes.data() + 7 * 12, &bad, sizeof bad);
  CHECK_THROWS_WITH(PointsFile(object), Contains("position of row 7 is not finite"));
}
