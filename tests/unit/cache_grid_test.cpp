#include <openvdb/openvdb.h>

#include <catch2/catch.hpp>

#include "cache/frame_reader.h"
#include "cache/frame_writer.h"
#include "cache_scratch.h"

using namespace rtsim;

namespace {

// Density i + 10 j + 100 k, zero but for the first cells along x; velocity (density, 1, ...).
FrameObject grid_object(Kind kind, GridShape g, int dim) {
  std::vector<float> density, velocity;
  for (Index k = 0; k < g.cells[2]; ++k)
    for (Index j = 0; j < g.cells[1]; ++j)
      for (Index i = 0; i < g.cells[0]; ++i) {
        density.push_back(i < 9 ? float(i + 10 * j + 100 * k) : 0.0f);
        velocity.push_back(density.back());
        for (int a = 1; a < dim; ++a) velocity.push_back(1);
      }
  FrameObject o{"air", kind, dim, g.spacing, Index(g.rows()), {}, g};
  o.columns = {column_of("density", "kg/m^3", 1, density),
               column_of("velocity", "m/s", dim, velocity)};
  return o;
}

FrameObject in_space(Index nx = 40, Index ny = 30, Index nz = 50) {
  GridShape g;
  g.spacing = 0.25, g.low = {{-1, 2, 0.5}};
  g.cells[0] = nx, g.cells[1] = ny, g.cells[2] = nz;
  return grid_object(Kind::grid, g, 3);
}

FrameObject read_back(const FrameObject& object) {
  const Scratch scratch;
  const Frame frame = frame_of(object);
  const auto files = write_frame(scratch.folder, {"run", 2}, frame);
  return read_frame(scratch.folder, files[0]);
}

void check_equal(const FrameObject& a, const FrameObject& b) {
  CHECK(a.kind == b.kind);
  CHECK(a.rows == b.rows);
  REQUIRE(b.grid.has_value());
  for (int k = 0; k < 3; ++k) {
    CHECK(a.grid->cells[k] == b.grid->cells[k]);
    CHECK(a.grid->spans[k] == b.grid->spans[k]);
    CHECK(a.grid->low[k] == b.grid->low[k]);
  }
  REQUIRE(a.columns.size() == b.columns.size());
  for (std::size_t k = 0; k < a.columns.size(); ++k) {
    CHECK(a.columns[k].name == b.columns[k].name);
    CHECK(a.columns[k].bytes == b.columns[k].bytes);
  }
}

}  // namespace

TEST_CASE("cache_grid: a grid in space comes back as it was, chunked or small") {
  check_equal(in_space(), read_back(in_space()));  // two chunks, the last one short
  check_equal(in_space(3, 4, 2), read_back(in_space(3, 4, 2)));
  check_equal(in_space(70, 1, 1), read_back(in_space(70, 1, 1)));
}

TEST_CASE("cache_grid: grids of the plane and height fields come back as they were") {
  GridShape plane;
  plane.cells[0] = 12, plane.cells[1] = 9, plane.spans[2] = false;
  check_equal(grid_object(Kind::grid, plane, 2), read_back(grid_object(Kind::grid, plane, 2)));

  GridShape pond;
  pond.cells[0] = 7, pond.cells[2] = 11, pond.spans[1] = false;
  FrameObject o = grid_object(Kind::height_field, pond, 3);
  o.columns = {column_of("bed", "m", 1, std::vector<float>(77, -2)),
               column_of("depth", "m", 1, std::vector<float>(77, 0.5))};
  check_equal(o, read_back(o));
}

TEST_CASE(
    "cache_grid: volumes hold the columns at the centres of cells, and nothing where it is zero") {
  const Scratch scratch;
  const Frame frame = frame_of(in_space(), 3, Format::vdb);
  write_vdb(scratch / "air.vdb", {"run", 1}, frame, frame.files[0]);
  openvdb::io::File file((scratch / "air.vdb").string());
  file.open();
  const auto density = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("density"));
  CHECK(density->tree().getValue({2, 3, 4}) == 432);
  const openvdb::Vec3d at = density->indexToWorld(openvdb::Coord(2, 3, 4));
  CHECK(at.eq({-1 + 2.5 * 0.25, 2 + 3.5 * 0.25, 0.5 + 4.5 * 0.25}));
  CHECK(density->evalActiveVoxelBoundingBox().max()[0] < 16);  // blocks of eight
  const auto velocity = openvdb::gridPtrCast<openvdb::Vec3SGrid>(file.readGrid("velocity"));
  CHECK(velocity->tree().getValue({2, 3, 4}) == openvdb::Vec3f(432, 1, 1));
}

TEST_CASE("cache_grid: equal frames are equal volumes") {
  const Scratch scratch;
  const Frame frame = frame_of(in_space(), 3, Format::vdb);
  write_vdb(scratch / "a.vdb", {"run", 1}, frame, frame.files[0]);
  write_vdb(scratch / "b.vdb", {"run", 2}, frame, frame.files[0]);
  CHECK(read_file(scratch / "a.vdb") == read_file(scratch / "b.vdb"));
}
