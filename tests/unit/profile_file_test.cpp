#include "sim/records/profile_file.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cache/durable.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using nlohmann::json;

TEST_CASE("profile_file: the trace has every launch in Chrome's format") {
  const TemporaryFolder folder;
  Profile profile;
  profile.trace = true;
  profile.record("walk", 10, 0.5, 0.25);
  profile.record("a \"quoted\" label", 10, 1, 1e-6);
  write_profile_file(folder.path, profile,
                     {.wall = 2,
                      .steps = 1,
                      .rows = 10,
                      .pairs = 0,
                      .writer_seconds = 0,
                      .writer_bytes = 0,
                      .peak_bytes = 0});
  const json trace = json::parse(read_file(folder.path / "trace.json"));
  CHECK(trace["otherData"]["events_left_out"] == 0);
  REQUIRE(trace["traceEvents"].size() == 2);
  CHECK(trace["traceEvents"][0] ==
        json({{"name", "walk"}, {"ph", "X"}, {"pid", 0}, {"tid", 0}, {"ts", 5e5}, {"dur", 2.5e5}}));
  CHECK(trace["traceEvents"][1]["name"] == "a \"quoted\" label");
  CHECK(json::parse(read_file(folder.path / "profile.json"))["labels"].size() == 2);
}

TEST_CASE(
    "profile_file: launches beyond the most that are kept are counted, and their time is not "
    "lost") {
  Profile profile;
  profile.trace = true;
  for (std::size_t i = 0; i < Profile::most_events + 3; ++i) profile.record("walk", 1, 0, 1);
  CHECK(profile.events().size() == Profile::most_events);
  CHECK(profile.events_left_out() == 3);
  CHECK(profile.rows()[0].launches == Profile::most_events + 3);
  profile.clear();
  CHECK(profile.events_left_out() == 0);
}

TEST_CASE("profile_file: without a trace no launch is kept") {
  const TemporaryFolder folder;
  Profile profile;
  profile.record("walk", 1, 0, 1);
  CHECK(profile.events().empty());
  CHECK(profile.events_left_out() == 0);
  write_profile_file(folder.path, profile,
                     {.wall = 1,
                      .steps = 1,
                      .rows = 1,
                      .pairs = 0,
                      .writer_seconds = 0,
                      .writer_bytes = 0,
                      .peak_bytes = 0});
  CHECK_FALSE(std::filesystem::exists(folder.path / "trace.json"));
}
