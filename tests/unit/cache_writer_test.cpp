#include <catch2/catch.hpp>
#include <chrono>
#include <set>
#include <thread>

#include "base/error.h"
#include "cache_run_folder.h"

using namespace rtsim;
using Catch::Matchers::Contains;

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

TEST_CASE("async_writer: frames are committed together, and none lags for long") {
  using Clock = std::chrono::steady_clock;
  const Scratch scratch;
  AsyncWriter writer(scratch.folder, {"run", 1});
  const auto begin = Clock::now();
  std::set<long> seen;
  for (long k = 0; k < 100; ++k) {
    writer.push(frame_of(block(1), k));
    seen.insert(writer.frames_committed());
  }
  // One commit in each lapse of the lag, and none before the first has passed.
  CHECK(double(seen.size()) <= 2 + double((Clock::now() - begin) / AsyncWriter::may_lag));
  const auto pushed = Clock::now();
  while (writer.frames_committed() < 100 && Clock::now() - pushed < std::chrono::seconds(30))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(writer.frames_committed() == 100);  // though nobody drained it
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

TEST_CASE(
    "async_writer: the .hdf.series lists the committed frames with their times, also after a "
    "restart") {
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
  CHECK(found->progress.frames_log.bytes == run.progress[3].frames_log.bytes);
  CHECK(found->progress.series.bytes == run.progress[3].series.bytes);
  World w = empty_world();
  load_checkpoint(found->file, w);
  CHECK(w.state_hash() == RunFolder::world().state_hash());
  CHECK(w.next_id == 6);
  CHECK(w.table("water").rows() == 3);
}

TEST_CASE("checkpoint: loading spares derived columns where the rows are as many as before") {
  const RunFolder run;
  World w = RunFolder::world();
  load_checkpoint(run.newest(), w);
  CHECK(w.table("water").download<Real>("density") == std::vector<Real>{1, 2, 3});
}

TEST_CASE("checkpoint: equal worlds are equal files") {
  const Scratch a, b;
  save_checkpoint(a.folder, RunFolder::world(), {60, 4, {100}, {200}});
  save_checkpoint(b.folder, RunFolder::world(), {60, 4, {100}, {200}});
  CHECK(read_file(marked_checkpoints(a.folder)[0]) == read_file(marked_checkpoints(b.folder)[0]));
}

TEST_CASE("checkpoint: the newest two stay") {
  const RunFolder run;
  const std::vector<fs::path> files = marked_checkpoints(run.scratch.folder);
  REQUIRE(files.size() == 2);
  CHECK(files[0] == run.newest());
  CHECK(files[1] == run.scratch / "checkpoints/000000000040.h5");
  CHECK_FALSE(fs::exists(run.scratch / "checkpoints/000000000000.h5"));
}

TEST_CASE("checkpoint: as many stay as are asked for") {
  for (const int keep : {1, 3, 0}) {
    const Scratch scratch;
    for (const long step : {20, 40, 60, 80})
      save_checkpoint(scratch.folder, RunFolder::world(), {step, 4, {}, {}}, keep);
    CHECK(marked_checkpoints(scratch.folder).size() == std::size_t(keep == 0 ? 4 : keep));
    CHECK(check_checkpoint(marked_checkpoints(scratch.folder)[0]).step == 80);
  }
}

TEST_CASE("checkpoint: a copy counts in another run, with that one's logs") {
  const RunFolder run;
  const Scratch other;
  copy_checkpoint(run.newest(), other.folder, {60, 9, {123, 4}, {567, 8}});
  const fs::path copy = marked_checkpoints(other.folder).at(0);
  CHECK(read_file(copy) == read_file(run.newest()));
  const Progress p = check_checkpoint(copy);
  CHECK(p.frames == 9);
  CHECK(p.frames_log.bytes == 123);
  CHECK(p.series.xxh3 == 8);
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
  CHECK_THROWS_WITH(load_checkpoint(run.newest(), extra),
                    Contains("the scene has oil, water, wcsph.state"));
  World column = empty_world();
  column.table("water").add<Real>({"mass", "kg"});
  CHECK_THROWS_WITH(load_checkpoint(run.newest(), column),
                    Contains("columns id, position here, id, mass, position"));
  CHECK(column.table("water").rows() == 1);
}

TEST_CASE("checkpoint: on a full disk the older ones stay and nothing is left over") {
  const RunFolder run;
  World large(Exec::cpu(1), 3);
  large.add_table("water", 100000).add<Real>({"mass", "kg"});
  {
    const FileLimit limit(50000);
    CHECK_THROWS_WITH(save_checkpoint(run.scratch.folder, large, {80, 4, {}, {}}),
                      Contains("000000000080.h5.tmp: cannot "));
  }
  CHECK(marked_checkpoints(run.scratch.folder).size() == 2);
  CHECK_FALSE(fs::exists(run.scratch / "checkpoints/000000000080.h5.tmp"));
  save_checkpoint(run.scratch.folder, large, {80, 4, {}, {}});  // HDF5 works on after its failure
  std::string warnings;
  CHECK(find_checkpoint(run.scratch.folder, warnings)->progress.step == 80);
}
