#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.h"
#include "base/random.h"
#include "cache/frame_reader.h"
#include "cache/resume.h"
#include "cache_run_folder.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

// Everything that reads; each may refuse with Error{io} or {bad_input} and nothing else.
void read_all(const fs::path& folder) {
  const auto refuses_well = [](auto read) {
    try {
      read();
    } catch (const Error& e) {
      CHECK((e.code() == ExitCode::io || e.code() == ExitCode::bad_input));
    }
  };
  refuses_well([&] { verify_run(folder); });
  refuses_well([&] {
    for (const CommittedFrame& c : read_commits(folder))
      for (const WrittenFile& f : c.files) read_frame(folder, f);
  });
  refuses_well([&] {
    std::string warnings;
    World w = empty_world();
    if (const auto found = find_checkpoint(folder, warnings)) load_checkpoint(found->file, w);
  });
}

}  // namespace

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
    CHECK(run.problem() ==
          "cache/water/water.000002.hdf: its checksum is not that of frames.jsonl");
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
  SECTION("another digit in the series") {
    flip(run.scratch / "series.csv", series.size() - 2);
    CHECK_THAT(run.problem(), Contains("series.csv: changed"));
  }
  SECTION("a frame's time in frames.jsonl") {
    const std::size_t time = frames.find("0.25");
    write_bytes(run.scratch / "frames.jsonl", std::string(frames).replace(time, 4, "0.35"));
    CHECK_THAT(run.problem(), Contains("frames.jsonl: changed"));
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

TEST_CASE("cache: no flipped byte of any file crashes a reader, and each in a frame is found") {
  const RunFolder run;
  const fs::path& folder = run.scratch.folder;
  std::vector<fs::path> files;
  for (const auto& e : fs::recursive_directory_iterator(folder))
    if (e.is_regular_file()) files.push_back(e.path());
  std::ranges::sort(files);
  std::uint32_t draw = 0;
  for (const fs::path& file : files) {
    const std::string whole = read_file(file);
    for (int k = 0; k < 3; ++k) {
      flip(file, philox(1, 2, 3, draw++).c[0] % whole.size());
      if (file.extension() == ".hdf") CHECK(verify_run(folder).problems.size() == 1);
      read_all(folder);
      write_bytes(file, whole);
    }
  }
  CHECK(draw > 30);
}

TEST_CASE("resume: it goes on from the newest checkpoint that saw no damage") {
  const RunFolder run;
  std::string passed_over;
  const auto step = [&]() -> long {
    const auto found = find_resume_point(run.scratch.folder, passed_over);
    return found ? found->progress.step : -1;
  };
  CHECK(step() == 60);
  CHECK(passed_over.empty());
  const std::string series = read_file(run.scratch / "series.csv");
  write_bytes(run.scratch / "series.csv", series.substr(0, series.size() - 7));
  CHECK(step() == 40);
  CHECK_THAT(passed_over, Contains("000000000060.h5: not all that it saw is whole: series.csv"));
  write_bytes(run.scratch / "series.csv", series + "80,0,1\n");  // of a step that was lost
  CHECK(step() == 60);
  flip(run.frame(3), 5000);
  CHECK(step() == 40);
  fs::remove(run.frame(2));
  CHECK(step() == -1);
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

  CHECK(fs::file_size(folder / "frames.jsonl") == run.progress[2].frames_log.bytes);
  CHECK(fs::file_size(folder / "series.csv") == run.progress[2].series.bytes);
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
  CHECK_THROWS_WITH(cut_back(run.scratch.folder, run.progress[3]),
                    Contains("series.csv: its end is lost"));
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
  for (const auto& e : fs::directory_iterator(run.scratch.folder))
    left.push_back(e.path().filename().string());
  std::ranges::sort(left);
  CHECK(left == std::vector<std::string>{"notes.txt", "plots"});
  clear_run(run.scratch.folder);
}
