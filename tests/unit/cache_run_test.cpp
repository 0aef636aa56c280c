#include <catch2/catch.hpp>

#include "base/error.h"
#include "cache/async_writer.h"
#include "cache/checkpoint.h"
#include "cache/resume.h"
#include "cache/verify.h"
#include "cache_scratch.h"

using namespace rtsim;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// A run folder as a run leaves it: frames 0 to 3, a row of the series for each, and checkpoints.
struct RunFolder {
  RunFolder() {
    LineLog series(scratch / "series.csv");
    series.append("step,time [s],mass [kg]");
    AsyncWriter writer(scratch.folder, {"run", 1});
    for (long k = 0; k < 4; ++k) {
      writer.push(frame_of(block(5), k));
      series.append(std::to_string(20 * k) + ",0,1");
      series.sync();
      writer.drain();
      const Progress now{20 * k, k + 1, fs::file_size(scratch / "frames.jsonl"), series.bytes()};
      save_checkpoint(scratch.folder, world(), now);
      progress.push_back(now);
    }
    write_file(scratch / "log.jsonl", "{}\n");
  }

  static World world() {
    World w(Exec::cpu(1), 3);
    Table& water = w.add_table("water", 3);
    water.add<Vec<3>>({"position", "m"}, {{{1, 2, 3}}, {{-0.0f, 5e-39f, 6}}, {{7, 8, 1.0f / 3}}});
    water.add<std::uint32_t>({"id", ""}, {5, 4, 3});
    water.add<Real>({"density", "kg/m^3", Role::derived}, {1, 2, 3});
    w.add_table("wcsph.state", 1).add<std::int64_t>({"count", ""}, {1L << 40});
    w.next_id = 6;
    return w;
  }

  fs::path frame(long k) const { return scratch.folder / frame_path("water", k, Format::hdf5); }
  fs::path newest() const { return scratch / "checkpoints/000000000060.h5"; }
  std::string problem() const {
    const Verdict v = verify_run(scratch.folder);
    return v.problems.empty() ? "" : v.problems[0];
  }

  Scratch scratch;
  std::vector<Progress> progress;
};

// The same tables with nothing in them.
World empty_world() {
  World w(Exec::cpu(1), 3);
  Table& water = w.add_table("water", 1);
  water.add<Vec<3>>({"position", "m"});
  water.add<std::uint32_t>({"id", ""});
  water.add<Real>({"density", "kg/m^3", Role::derived});
  w.add_table("wcsph.state", 1).add<std::int64_t>({"count", ""});
  return w;
}

}  // namespace

TEST_CASE("async_writer: frames are committed in the order they were pushed") {
  const Scratch scratch;
  {
    AsyncWriter writer(scratch.folder, {"run", 2});
    for (long k = 0; k < 8; ++k) writer.push(frame_of(block(k % 2 ? 12 : 2), k));
    writer.drain();
    CHECK(writer.frames_committed() == 8);
    CHECK(writer.bytes_written() > 0);
    CHECK(writer.seconds_busy() > 0);
  }
  const std::vector<CommittedFrame> commits = read_commits(scratch.folder);
  REQUIRE(commits.size() == 8);
  for (long k = 0; k < 8; ++k) CHECK(commits[std::size_t(k)].frame == k);
}

TEST_CASE("async_writer: destruction finishes what was pushed") {
  const Scratch scratch;
  {
    AsyncWriter writer(scratch.folder, {"run", 1});
    for (long k = 0; k < 3; ++k) writer.push(frame_of(block(4), k));
  }
  CHECK(read_commits(scratch.folder).size() == 3);
}

TEST_CASE("async_writer: a failure reaches every later call and commits nothing more") {
  const Scratch scratch;
  AsyncWriter writer(scratch.folder, {"run", 1});
  writer.push(frame_of(block(2), 0));
  writer.drain();
  const FileLimit limit(3000);
  writer.push(frame_of(block(20), 1));
  CHECK_THROWS_WITH(writer.drain(), Contains("cannot write: File too large"));
  CHECK_THROWS_AS(writer.check(), Error);
  CHECK_THROWS_AS(writer.push(frame_of(block(2), 2)), Error);
  CHECK_THROWS_AS(writer.drain(), Error);
  CHECK(writer.frames_committed() == 1);
  CHECK(read_commits(scratch.folder).size() == 1);
}

TEST_CASE("async_writer: the .hdf.series lists the committed frames with their times, also after a restart") {
  const Scratch scratch;
  for (long k = 0; k < 2; ++k) AsyncWriter(scratch.folder, {"run", 1}).push(frame_of(block(2), k));
  CHECK(read_file(scratch / "cache/water.hdf.series") ==
        "{\"file-series-version\":\"1.0\",\"files\":[\n"
        "  {\"name\":\"water/water.000000.hdf\",\"time\":0.0},\n"
        "  {\"name\":\"water/water.000001.hdf\",\"time\":0.25}\n"
        "]}\n");
}

TEST_CASE("checkpoint: a world comes back with the same bits, rows and next id") {
  const RunFolder run;
  std::string warnings;
  const auto found = find_checkpoint(run.scratch.folder, warnings);
  REQUIRE(found);
  CHECK(warnings.empty());
  CHECK(found->progress.step == 60);
  CHECK(found->progress.frames == 4);
  CHECK(found->progress.frames_bytes == run.progress[3].frames_bytes);
  CHECK(found->progress.series_bytes == run.progress[3].series_bytes);
  World w = empty_world();
  load_checkpoint(found->file, w);
  CHECK(w.state_hash() == RunFolder::world().state_hash());
  CHECK(w.next_id == 6);
  CHECK(w.table("water").rows() == 3);
}

TEST_CASE("checkpoint: equal worlds are equal files") {
  const RunFolder a, b;
  CHECK(read_file(a.newest()) == read_file(b.newest()));
}

TEST_CASE("checkpoint: the newest two stay") {
  const RunFolder run;
  const std::vector<fs::path> files = marked_checkpoints(run.scratch.folder);
  REQUIRE(files.size() == 2);
  CHECK(files[0] == run.newest());
  CHECK(files[1] == run.scratch / "checkpoints/000000000040.h5");
  CHECK_FALSE(fs::exists(run.scratch / "checkpoints/000000000000.h5"));
}

TEST_CASE("checkpoint: damage is never loaded and the older one is found, with a warning") {
  const RunFolder run;
  const fs::path marker = run.scratch / "checkpoints/000000000060.complete";
  const int kind = GENERATE(0, 1, 2, 3, 4);
  if (kind == 0) flip(run.newest(), 0);
  if (kind == 1) flip(run.newest(), fs::file_size(run.newest()) - 1);
  if (kind == 2) truncate_file(run.newest(), 100);
  if (kind == 3) flip(marker, 10);
  if (kind == 4) fs::remove(run.newest());
  World w = empty_world();
  CHECK_THROWS_AS(load_checkpoint(run.newest(), w), Error);
  std::string warnings;
  const auto found = find_checkpoint(run.scratch.folder, warnings);
  REQUIRE(found);
  CHECK(found->progress.step == 40);
  CHECK_THAT(warnings, Contains("000000000060") && Contains("an older checkpoint is used"));
}

TEST_CASE("checkpoint: without its marker it does not count") {
  const RunFolder run;
  fs::remove(run.scratch / "checkpoints/000000000060.complete");
  std::string warnings;
  CHECK(find_checkpoint(run.scratch.folder, warnings)->progress.step == 40);
}

TEST_CASE("checkpoint: a world of other tables or columns is refused and left alone") {
  const RunFolder run;
  World extra = empty_world();
  extra.add_table("oil", 1);
  CHECK_THROWS_WITH(load_checkpoint(run.newest(), extra), Contains("the scene has oil, water, wcsph.state"));
  World column = empty_world();
  column.table("water").add<Real>({"mass", "kg"});
  CHECK_THROWS_WITH(load_checkpoint(run.newest(), column), Contains("columns id, position here, id, mass, position"));
  CHECK(column.table("water").rows() == 1);
}

TEST_CASE("checkpoint: on a full disk the older ones stay and nothing is left over") {
  const RunFolder run;
  World large(Exec::cpu(1), 3);
  large.add_table("water", 100000).add<Real>({"mass", "kg"});
  {
    const FileLimit limit(50000);
    CHECK_THROWS_WITH(save_checkpoint(run.scratch.folder, large, {80, 4, 0, 0}), Contains("000000000080.h5.tmp: cannot "));
  }
  CHECK(marked_checkpoints(run.scratch.folder).size() == 2);
  CHECK_FALSE(fs::exists(run.scratch / "checkpoints/000000000080.h5.tmp"));
  save_checkpoint(run.scratch.folder, large, {80, 4, 0, 0});  // HDF5 works on after its failure
  std::string warnings;
  CHECK(find_checkpoint(run.scratch.folder, warnings)->progress.step == 80);
}

TEST_CASE("verify: a whole run has no problems and is counted") {
  const RunFolder run;
  const Verdict v = verify_run(run.scratch.folder);
  CHECK(v.problems == std::vector<std::string>{});
  CHECK(v.frames == 4);
  CHECK(v.files == 4);
  CHECK(v.checkpoints == 2);
  CHECK(v.bytes > 4000);
}

TEST_CASE("verify: every kind of damage is found and named") {
  const RunFolder run;
  const std::string frames = read_file(run.scratch / "frames.jsonl");
  const std::string series = read_file(run.scratch / "series.csv");
  const std::size_t line = frames.find('\n') + 1;

  SECTION("a flipped byte") {
    flip(run.frame(2), 5000);
    CHECK(run.problem() == "cache/water/water.000002.hdf: its checksum is not that of frames.jsonl");
  }
  SECTION("a cut file") {
    truncate_file(run.frame(2), 100);
    CHECK_THAT(run.problem(), Contains("water.000002.hdf: 100 bytes, not the "));
  }
  SECTION("a missing file") {
    fs::remove(run.frame(1));
    CHECK(run.problem() == "cache/water/water.000001.hdf: No such file or directory");
  }
  SECTION("a torn line") {
    write_bytes(run.scratch / "frames.jsonl", frames.substr(0, frames.size() - 5));
    CHECK(run.problem() == "frames.jsonl:4: the line is cut");
  }
  SECTION("a damaged line") {
    flip(run.scratch / "frames.jsonl", 0);
    CHECK_THAT(run.problem(), Contains("frames.jsonl:1: not a frame's line"));
  }
  SECTION("a frame left out") {
    write_bytes(run.scratch / "frames.jsonl", frames.substr(line));
    CHECK(run.problem() == "frames.jsonl:1: frame 1 stands where frame 0 should");
  }
  SECTION("lines lost at the end") {
    write_bytes(run.scratch / "frames.jsonl", frames.substr(0, line));
    CHECK_THAT(run.problem(), Contains("frames.jsonl: its end is lost"));
  }
  SECTION("no frames.jsonl") {
    fs::remove(run.scratch / "frames.jsonl");
    CHECK(run.problem() == "frames.jsonl: missing");
  }
  SECTION("a cut row of the series") {
    write_bytes(run.scratch / "series.csv", series.substr(0, series.size() - 1));
    CHECK(run.problem() == "series.csv:5: the row is cut");
  }
  SECTION("a row with a field too few") {
    write_bytes(run.scratch / "series.csv", series + "80,0\n");
    CHECK(run.problem() == "series.csv:6: 2 fields, the header has 3");
  }
  SECTION("a damaged checkpoint") {
    flip(run.newest(), 700);
    CHECK_THAT(run.problem(), Contains("000000000060.h5: its checksum differs"));
  }
  SECTION("a damaged marker") {
    flip(run.scratch / "checkpoints/000000000060.complete", 3);
    CHECK_THAT(run.problem(), Contains("000000000060.complete: the marker is damaged"));
  }
}

TEST_CASE("resume: cutting back leaves exactly what the checkpoint knew") {
  const RunFolder run;
  const fs::path& folder = run.scratch.folder;
  const std::string series = read_file(folder / "cache/water.hdf.series");
  write_bytes(folder / "cache/water/water.000004.hdf.tmp", "half");
  write_bytes(folder / "cache/water/notes.txt", "mine");
  write_bytes(folder / "cache/water/water.000009.vdb", "never committed");
  write_bytes(folder / "checkpoints/000000000080.h5", "unmarked");
  write_bytes(folder / "run.json.tmp", "half");
  write_bytes(folder / "log.jsonl", "{}\n{\"ev");
  write_bytes(folder / "frames.jsonl", read_file(folder / "frames.jsonl") + "{\"fra");

  cut_back(folder, run.progress[2]);

  CHECK(fs::file_size(folder / "frames.jsonl") == run.progress[2].frames_bytes);
  CHECK(fs::file_size(folder / "series.csv") == run.progress[2].series_bytes);
  CHECK(read_file(folder / "log.jsonl") == "{}\n");
  CHECK(fs::exists(run.frame(2)));
  CHECK_FALSE(fs::exists(run.frame(3)));
  CHECK_FALSE(fs::exists(run.newest()));
  CHECK_FALSE(fs::exists(folder / "checkpoints/000000000080.h5"));
  CHECK_FALSE(fs::exists(folder / "cache/water/water.000004.hdf.tmp"));
  CHECK_FALSE(fs::exists(folder / "cache/water/water.000009.vdb"));
  CHECK_FALSE(fs::exists(folder / "run.json.tmp"));
  CHECK(fs::exists(folder / "cache/water/notes.txt"));
  CHECK(verify_run(folder).problems.empty());

  AsyncWriter(folder, {"run", 1}).push(frame_of(block(5), 3));
  CHECK(read_file(folder / "cache/water.hdf.series") == series);
  CHECK(verify_run(folder).problems.empty());
}

TEST_CASE("resume: a log shorter than its checkpoint is refused") {
  const RunFolder run;
  truncate_file(run.scratch / "series.csv", 10);
  CHECK_THROWS_WITH(cut_back(run.scratch.folder, run.progress[3]), Contains("series.csv: its end is lost"));
}

TEST_CASE("resume: going back to nothing, also in an empty folder") {
  const RunFolder run;
  cut_back(run.scratch.folder, {});
  CHECK(read_commits(run.scratch.folder).empty());
  CHECK(fs::is_empty(run.scratch / "cache/water"));
  CHECK(fs::is_empty(run.scratch / "checkpoints"));
  const Scratch empty;
  cut_back(empty.folder, {});
  CHECK(fs::is_empty(empty.folder));
}

TEST_CASE("resume: clearing removes what a run writes and nothing else") {
  const RunFolder run;
  write_file(run.scratch / "run.json", "{}");
  write_file(run.scratch / "scene.resolved.json", "{}");
  write_file(run.scratch / "notes.txt", "mine");
  fs::create_directory(run.scratch / "plots");
  clear_run(run.scratch.folder);
  std::vector<std::string> left;
  for (const auto& e : fs::directory_iterator(run.scratch.folder)) left.push_back(e.path().filename().string());
  std::ranges::sort(left);
  CHECK(left == std::vector<std::string>{"notes.txt", "plots"});
  clear_run(run.scratch.folder);
}
