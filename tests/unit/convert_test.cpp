#include "convert/convert.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "cache/async_writer.h"
#include "cache_scratch.h"
#include "convert/formats.h"

using namespace rtsim;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// Frames 0 to 4 of a block of water and of a wall, in HDF5 and with the run's own surface.
struct Run {
  explicit Run(int dim = 3) {
    make_folders(scratch / "run");
    AsyncWriter writer(scratch / "run", {"some run", 1});
    for (long k = 0; k < 5; ++k) {
      Frame frame = frame_of(block(5 + int(k), dim), k);
      FrameObject wall = block(3, dim);
      wall.name = "wall", wall.kind = Kind::boundary;
      frame.files.push_back({Output{}, wall});
      if (dim == 3) {
        Output surface;
        surface.format = Format::surface;
        surface.surface.files = {"ply", "obj", "sdf"};
        frame.files.push_back({surface, block(5 + int(k), dim)});
      }
      writer.push(std::move(frame));
    }
    writer.drain();
  }

  Conversion to(std::vector<std::string> files) const {
    Conversion c;
    c.run = scratch / "run", c.out = scratch / "out";
    c.run_id = "some run", c.description = "{}";
    c.output.format = Format::surface;
    c.output.surface.files = files;
    c.to = std::move(files);
    return c;
  }
  Conversion to_vdb() const {
    Conversion c = to({"vdb"});
    c.output = {};
    c.output.format = Format::vdb;
    return c;
  }

  Scratch scratch;
};

std::vector<long> frames_of(const fs::path& folder) {
  std::vector<long> frames;
  for (const CommittedFrame& c : read_commits(folder)) frames.push_back(c.frame);
  return frames;
}

ExitCode code_of(const Conversion& c) {
  try {
    convert_run(c);
  } catch (const Error& e) {
    return e.code();
  }
  return ExitCode::done;
}

}  // namespace

TEST_CASE("convert: ranges of frames are Python's slices") {
  const auto frames = [](const char* text) {
    const FrameRange r = parse_frame_range(text);
    std::string list;
    for (long k = 0; k < 8; ++k)
      if (r.holds(k)) list += char('0' + k);
    return list;
  };
  CHECK(frames("3") == "3");
  CHECK(frames("2:5") == "234");
  CHECK(frames(":") == "01234567");
  CHECK(frames("5:") == "567");
  CHECK(frames("1::3") == "147");
  CHECK(frames("1:5:2") == "13");
  for (const char* text :
       {"", "a", "1:2:3:4", "::0", "-1", "1.5", "1:2:-1", "99999999999999999999"})
    CHECK_THROWS_WITH(parse_frame_range(text), Contains("FIRST:END:STEP"));
}

TEST_CASE("convert: a surface has the bytes that the run itself gave it, however many jobs") {
  const Run run;
  Conversion c = run.to({"ply", "obj", "sdf"});
  c.jobs = GENERATE(1, 3, 16);
  const Converted done = convert_run(c);
  CHECK(done.frames == 5);
  CHECK(done.files == 15);
  for (long k = 0; k < 5; ++k)
    for (const char* file : {"ply", "obj", "sdf"}) {
      const std::string path = surface_path("water", k, file);
      CHECK(read_file(c.out / path) == read_file(c.run / path));
    }
  CHECK(frames_of(c.out) == std::vector<long>{0, 1, 2, 3, 4});
  CHECK(read_commits(c.out)[3].time == read_commits(c.run)[3].time);
}

TEST_CASE("convert: frames and objects can be chosen, walls have no surface") {
  const Run run;
  Conversion c = run.to({"obj"});
  c.frames = {1, 4, 2};
  convert_run(c);
  CHECK(frames_of(c.out) == std::vector<long>{1, 3});
  CHECK_FALSE(fs::exists(c.out / "cache/wall"));
  c.out = run.scratch / "other";
  c.objects = {"wall"};
  CHECK_THROWS_WITH(convert_run(c), Contains("'wall' consists of no particles"));
  c.objects = {"watr"};
  CHECK_THROWS_WITH(convert_run(c), Contains("did you mean \"water\"?"));
  c.objects = {}, c.frames = {7, {}, 1};
  CHECK_THROWS_WITH(convert_run(c), Contains("none of the frames"));
  CHECK(code_of(c) == ExitCode::bad_input);
  CHECK_FALSE(fs::exists(c.out));
}

TEST_CASE("convert: the plane has volumes and no surface") {
  const Run run(2);
  CHECK_THROWS_WITH(convert_run(run.to({"ply"})), Contains("'water' lies in the plane"));
  convert_run(run.to_vdb());
  CHECK(frames_of(run.scratch / "out").size() == 5);
}

TEST_CASE(
    "convert: a folder that holds something is left alone, a conversion is replaced when asked") {
  const Run run;
  Conversion c = run.to({"ply"});
  convert_run(c);
  const std::string before = read_file(c.out / "frames.jsonl");
  c.output.surface.voxels_per_spacing = 1, c.description = R"({"voxels_per_spacing": 1})";
  CHECK(code_of(c) == ExitCode::output_exists);
  CHECK(read_file(c.out / "frames.jsonl") == before);
  c.overwrite = true;
  c.frames = {0, 2, 1};
  convert_run(c);
  CHECK(frames_of(c.out) == std::vector<long>{0, 1});
  CHECK_FALSE(fs::exists(c.out / surface_path("water", 2, "ply")));
  c.out = c.run;  // above all, the run itself
  CHECK_THROWS_WITH(convert_run(c), Contains("holds no conversion, so it is left alone"));
  CHECK(frames_of(c.run).size() == 5);
}

TEST_CASE("convert: a damaged frame stops it, and what has its line is whole") {
  const Run run;
  Conversion c = run.to({"ply"});
  flip(c.run / frame_path("water", 3, Format::hdf5), 2000);
  CHECK_THROWS_WITH(convert_run(c), Contains("water.000003.hdf") && Contains("damaged"));
  CHECK(frames_of(c.out) == std::vector<long>{0, 1, 2});
  for (const auto& entry : fs::directory_iterator(c.out / "cache/water"))
    CHECK(entry.path().extension() != ".tmp");
}

TEST_CASE("convert: a full disk is said, and leaves no half file") {
  const Run run;
  Conversion c = run.to({"ply"});
  const FileLimit limit(10000);
  CHECK_THROWS_WITH(convert_run(c), Contains("cannot write: File too large"));
  CHECK(fs::is_empty(c.out / "cache/water"));
}
