#include <openvdb/openvdb.h>

#include <catch2/catch.hpp>

#include "base/error.h"
#include "cache/frame_writer.h"
#include "cache_scratch.h"

using namespace rtsim;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

struct VdbFile {
  explicit VdbFile(const Frame& frame, int threads = 1) {
    write_vdb(path, {"run", threads}, frame, frame.files[0]);
  }
  openvdb::FloatGrid::Ptr grid(const char* name) const {
    openvdb::io::File file(path.string());
    file.open();
    return openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid(name));
  }

  Scratch scratch;
  fs::path path = scratch / "water.vdb";
};

// Fraction of each voxel behind the surface, as if it were flat there.
double enclosed_volume(const openvdb::FloatGrid& surface) {
  const double h = surface.voxelSize()[0];
  double voxels = 0;
  const openvdb::CoordBBox box = surface.evalActiveVoxelBoundingBox();
  for (auto c = box.begin(); c; ++c)
    voxels += std::clamp(0.5 - surface.tree().getValue(*c) / h, 0.0, 1.0);
  return voxels * h * h * h;
}

double sum_of(const openvdb::FloatGrid& grid) {
  double sum = 0;
  for (auto v = grid.cbeginValueOn(); v; ++v) sum += double(*v);
  return sum;
}

}  // namespace

TEST_CASE("vdb: the fog holds the volume of all particles and is full inside") {
  const VdbFile file(frame_of(block(10)));
  const auto density = file.grid("density");
  CHECK(density->getGridClass() == openvdb::GRID_FOG_VOLUME);
  CHECK(sum_of(*density) == Approx(1000));  // spacing^3 = voxel^3
  CHECK(density->tree().getValue({5, 5, 5}) == Approx(1));
}

TEST_CASE("vdb: with other voxels the fog holds the same volume") {
  Frame frame = frame_of(block(10));
  frame.files[0].output.voxel = 0.15;
  const auto density = VdbFile(frame).grid("density");
  CHECK(density->voxelSize()[0] == Approx(0.15));
  CHECK(sum_of(*density) * std::pow(0.15, 3) == Approx(1));
}

TEST_CASE("vdb: in the plane one layer holds the areal fraction") {
  const auto density = VdbFile(frame_of(block(10, 2))).grid("density");
  CHECK(sum_of(*density) == Approx(100));
  CHECK(density->evalActiveVoxelBoundingBox().dim()[2] == 1);
}

TEST_CASE("vdb: the level set of a box encloses its volume and knows the distance to its faces") {
  const auto surface = VdbFile(frame_of(block(12))).grid("surface");
  CHECK(surface->getGridClass() == openvdb::GRID_LEVEL_SET);
  // The rounded edges and corners of a box of twelve spacings are under 3 % of it.
  CHECK(enclosed_volume(*surface) == Approx(1.2 * 1.2 * 1.2).epsilon(0.03));
  for (int i = -2; i <= 2; ++i)  // along x through the middle; the face is at x = 0
    CHECK(surface->tree().getValue({i, 6, 6}) == Approx(-0.1 * i).margin(0.01));
  CHECK(surface->tree().getValue({6, 6, 6}) == Approx(-surface->background()));
  CHECK(surface->tree().getValue({40, 6, 6}) == Approx(surface->background()));
}

TEST_CASE("vdb: no particles are two empty grids, one far from the others is no failure") {
  const VdbFile none(frame_of(block(0)));
  CHECK(none.grid("density")->activeVoxelCount() == 0);
  CHECK(none.grid("surface")->activeVoxelCount() == 0);
  FrameObject one = block(1);
  CHECK(sum_of(*VdbFile(frame_of(one)).grid("density")) == Approx(1));
}

TEST_CASE("vdb: equal frames are equal files on any number of threads, others have another UUID") {
  const Frame frame = frame_of(block(8));
  const std::string a = read_file(VdbFile(frame, 1).path), b = read_file(VdbFile(frame, 3).path);
  CHECK(a == b);
  const std::string c = read_file(VdbFile(frame_of(block(8), 13)).path);
  CHECK(a.substr(21, 36) != c.substr(21, 36));
  CHECK(a[21 + 8] == '-');
}

TEST_CASE("vdb: metadata tell frame, time and units") {
  const VdbFile vdb(frame_of(block(4)));
  openvdb::io::File file(vdb.path.string());
  file.open();
  CHECK(file.getMetadata()->metaValue<std::int64_t>("frame") == 12);
  CHECK(file.getMetadata()->metaValue<double>("time") == 3.0);
  CHECK(file.getMetadata()->metaValue<std::string>("time_units") == "s");
  CHECK(vdb.grid("surface")->metaValue<std::string>("units") == "m");
}

TEST_CASE("vdb: half floats take less room") {
  Frame frame = frame_of(block(12));
  const auto full = fs::file_size(VdbFile(frame).path);
  frame.files[0].output.half = true;
  const VdbFile half(frame);
  CHECK(fs::file_size(half.path) < full);
  CHECK(half.grid("density")->saveFloatAsHalf());
}

TEST_CASE("vdb: a position that is no number, or too far to number its voxel, names its row") {
  FrameObject object = block(4);
  const float bad = GENERATE(NAN, INFINITY, 1e12f);
  std::memcpy(object.columns[0].bytes.data() + 7 * 12, &bad, sizeof bad);
  CHECK_THROWS_WITH(VdbFile(frame_of(object)), Contains("position of row 7 is not finite"));
}

TEST_CASE("vdb: a full disk stops the frame and leaves no file of it") {
  const Scratch scratch;
  const FileLimit limit(5000);
  CHECK_THROWS_WITH(write_frame(scratch.folder, {"run", 1}, frame_of(block(6), 1, Format::vdb)),
                    Contains("cannot write: File too large"));
  CHECK(fs::is_empty(scratch / "cache/water"));
}
