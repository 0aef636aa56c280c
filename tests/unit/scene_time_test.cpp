#include <catch2/catch.hpp>
#include <climits>

#include "fake_stage.h"

using namespace rtsim;
using namespace rtsim::fake;

namespace {

std::string with_time(const std::string& time) {
  std::string text = good_scene;
  const auto at = text.find("{ \"fps\"");
  return text.replace(at, text.find('}', at) + 1 - at, time);
}

std::string complaint(const std::string& time) {
  const std::string all = complaints(with_time(time));
  return all.substr(all.find(": ") + 2);
}

}  // namespace

TEST_CASE("scene_time: the step follows from fps, or is given") {
  CHECK(read(with_time(R"({ "fps": 24, "steps_per_frame": 10, "frames": 3 })")).time.step_dt() ==
        1 / 240.0);
  CHECK(read(with_time(R"({ "dt": 1e-3, "steps_per_frame": 10, "frames": 3 })")).time.step_dt() ==
        1e-3);
}

TEST_CASE("scene_time: a duration counts frames exactly however it rounds") {
  // 0.3 / 0.02 and 0.7 / 0.1 are not whole in binary.
  CHECK(read(with_time(R"({ "fps": 50, "duration": 0.3 })")).time.frame_count() == 15);
  CHECK(read(with_time(R"({ "dt": 0.1, "duration": 0.7 })")).time.frame_count() == 7);
  CHECK(read(with_time(R"({ "dt": 1e-6, "duration": 1000 })")).time.frame_count() == 1000000000);
}

TEST_CASE("scene_time: a duration that is not whole frames names the two nearest") {
  CHECK(complaint(R"({ "fps": 50, "duration": 0.105 })") ==
        "/time/duration: 0.105 s is 5.25 frames of 0.02 s; use 0.1 s (5 frames) or 0.12 s (6 "
        "frames)");
  CHECK(complaint(R"({ "dt": 0.005, "steps_per_frame": 2, "duration": 0.004 })") ==
        "/time/duration: 0.004 s is 0.4 frames of 0.01 s; use 0.01 s (1 frame)");
  CHECK(complaint(R"({ "dt": 1e-6, "duration": 1e6 })") ==
        "/time/duration: is more than 2147483647 frames of 1e-06 s");
}

TEST_CASE("scene_time: exactly one way to say the step and one to say the end") {
  CHECK(complaint(R"({ "frames": 3 })") == R"(/time: needs "fps" or "dt")");
  CHECK(complaint(R"({ "fps": 3 })") == R"(/time: needs "frames" or "duration")");
  CHECK(complaint(R"({ "fps": 3, "frames": 3, "duration": 1 })") ==
        R"(/time/duration: give "frames" or "duration", not both)");
  CHECK(complaint(R"({ "dt": 0, "frames": 3 })") == "/time/dt: must be > 0 s, got 0");
  CHECK(complaint(R"({ "fps": 1e-310, "frames": 3 })") == "/time/fps: gives a step of inf s");
  CHECK(complaint(R"({ "fps": 1e308, "steps_per_frame": 100, "frames": 3 })") ==
        "/time/fps: gives a step of 0 s");
}
